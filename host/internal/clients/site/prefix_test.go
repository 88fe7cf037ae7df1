package site

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/contests/players"
)

// behind returns the address of a site with the prefix /colosseum behind a proxy, which removes
// the prefix or not. The proxy answers 404 elsewhere.
func behind(t *testing.T, s *Site, removes bool) string {
	t.Helper()
	host := httptest.NewServer(s)
	t.Cleanup(host.Close)
	target, err := url.Parse(host.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		if removes {
			r.Out.URL.Path, r.Out.URL.RawPath = strings.TrimPrefix(r.In.URL.Path, "/colosseum"), strings.TrimPrefix(r.In.URL.RawPath, "/colosseum")
		}
	}}
	mux := http.NewServeMux()
	mux.Handle("/colosseum/", proxy)
	front := httptest.NewServer(mux)
	t.Cleanup(front.Close)
	return front.URL
}

// under gives a site a prefix.
func under(s *Site, prefix string) *Site {
	p := s.Parts
	p.Prefix, p.Submissions = prefix, &fakeSubmissions{}
	return New(p, quiet)
}

func fetch(t *testing.T, address string) (status int, final *url.URL, body string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/html,*/*")
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, reply.Request.URL, string(text)
}

// linked matches the addresses in a page, also absolute ones of this host.
var linked = regexp.MustCompile(` (?:href|src)="([^"#?]+)|content="(http://[^"?]+)`)

// reading are the pages that readers see, with data of newSite.
var reading = []string{"/", "/match/ended0", "/match/running", "/embed/ended0", "/games/roshambo", "/games/roshambo/bot", "/hosts", "/api", "/exports", "/login", "/device", "/account", "/contests", "/contests/cup", "/contests/cup/organize", "/contests/cup/projector", "/players/ann", "/ladder/roshambo", "/programs"}

func TestAllLinksOfAllPagesWorkUnderAPrefix(t *testing.T) {
	plain, _ := newSite(t)
	s := under(plain, "/colosseum")
	for _, removes := range []bool{true, false} {
		front := behind(t, s, removes)
		known := map[string]bool{}
		check := func(page string) {
			status, at, body := fetch(t, front+page)
			if status != http.StatusOK {
				t.Errorf("%s with a proxy that removes the prefix %v: got %d, want 200", page, removes, status)
			}
			for _, m := range linked.FindAllStringSubmatch(body, -1) {
				link, err := at.Parse(m[1] + m[2])
				if err != nil || link.Host != at.Host || known[link.Path] {
					continue
				}
				known[link.Path] = true
				if status, _, _ := fetch(t, link.String()); status != http.StatusOK {
					t.Errorf("%s with a proxy that removes the prefix %v: got %d for its link %s, want 200", page, removes, status, link)
				}
			}
		}
		for _, page := range append(slices.Clone(reading), "", "//contests") {
			check("/colosseum" + page)
		}
		_, _, text := fetch(t, front+"/colosseum/nowhere")
		if !strings.Contains(text, `<a href="/colosseum/">`) {
			t.Errorf("got %s, want a link to the first page", text)
		}
		_, _, text = fetch(t, front+"/colosseum/api/games")
		if !strings.Contains(text, `"viewer":"/colosseum/games/roshambo/viewer.js`) {
			t.Errorf("got %s, want the prefix in the addresses of the API", text)
		}
	}
}

func TestTheLoginStaysUnderThePrefix(t *testing.T) {
	b, _, _ := loginSite(t, players.OIDC)
	b.site = under(b.site, "/colosseum")
	b.want(200, `%2Fcolosseum%2Flogin%2Fcallback`, "POST", "/colosseum/api/login", `{"then":"/colosseum/contests"}`)
	if got := b.cookies[attemptCookie.Name]; got == nil || got.Path != "/colosseum"+callbackPath {
		t.Errorf("got the cookie %v, want one for the path of the callback", got)
	}
	w := b.do("GET", "/colosseum"+callbackPath+"?code=ok&subject=1&name=zoe", "")
	if got := w.Header().Get("Location"); got != "/colosseum/login" {
		t.Errorf("got %q, want the page of the login under the prefix", got)
	}
	b.want(200, `"player":"zoe"`, "POST", "/api/login/player", `{"name":"zoe"}`)
	if got := b.cookies[players.Cookie]; got == nil || got.Path != "/colosseum/" {
		t.Errorf("got the cookie %v, want one for /colosseum/", got)
	}
	b.want(200, `"verification_uri":"http://example.com/colosseum/device"`, "POST", "/api/device", `{}`)
}

func TestAPrefixIsNoPathOfThePages(t *testing.T) {
	for _, path := range reading {
		if first := strings.Split(path, "/")[1]; first != "" && !slices.Contains(config.OwnPaths(), first) {
			t.Errorf("config.OwnPaths has no %s", first)
		}
	}
}
