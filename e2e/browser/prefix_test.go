package browser

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"colosseum/internal/test/long"
)

// TestAMatchIsPlayedUnderAPrefix plays behind a proxy that serves the host at a part of a site,
// and nothing elsewhere.
func TestAMatchIsPlayedUnderAPrefix(t *testing.T) {
	long.Only(t, "it starts a host behind a proxy")
	h := startWith(t, "prefix: /colosseum/\n", "roshambo")
	target, err := url.Parse(h.url)
	if err != nil {
		t.Fatal(err)
	}
	site := http.NewServeMux()
	site.Handle("/colosseum/", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
	}})
	front := httptest.NewServer(site)
	t.Cleanup(front.Close)

	const inside = "performance.getEntriesByType('resource').every((e) => new URL(e.name).pathname.startsWith('/colosseum/'))"
	b := open(t, 1000, 800)
	b.visit(front.URL + "/colosseum/?x")
	b.click("#language option[value='it']")
	b.await("document.documentElement.lang === 'it' && document.querySelector('#games .card a')")
	b.await(inside)
	b.click("#language option[value='en']")
	b.await("document.documentElement.lang === 'en' && document.querySelector('#games .card a')")
	b.click("#games .card a")
	b.await("location.pathname === '/colosseum/games/roshambo'")
	b.openForm()
	b.write("#param-rounds", "1")
	b.write("#param-pace", "0")
	b.click("form.create button.main")
	b.await(moves(0))
	b.hand("ROCK")
	b.await("document.querySelector('#verdict').textContent && location.pathname.startsWith('/colosseum/match/')")
	b.await(inside)
	for _, line := range b.console() {
		t.Errorf("got %s on the console, want nothing", line)
	}
}
