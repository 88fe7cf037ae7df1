package programs

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// Browser is a person at the pages of a host, as far as the HTTP API and redirections show it.
type Browser struct {
	HTTP *http.Client

	t    testing.TB
	host string
}

// NewBrowser returns a browser without cookies. The host is an address like
// http://HOST:PORT.
func NewBrowser(t testing.TB, host string) *Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Browser{&http.Client{Transport: patient{http.DefaultTransport}, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, t, host}
}

// Ask makes a request to the API, checks the status, and returns the answer.
func (b *Browser) Ask(status int, method, path, body string) map[string]any {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.host+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := b.HTTP.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(text, &answer); err != nil || reply.StatusCode != status {
		b.t.Fatalf("%s %s: got %d %s, want %d", method, path, reply.StatusCode, text, status)
	}
	return answer
}

// Want is Ask for one field, which is empty if the answer has no such text.
func (b *Browser) Want(status int, field, method, path, body string) string {
	b.t.Helper()
	value, _ := b.Ask(status, method, path, body)[field].(string)
	return value
}

// WantPage opens an address, and checks to which page the host sends the browser.
func (b *Browser) WantPage(address, page string) {
	b.t.Helper()
	reply, err := b.HTTP.Get(address)
	if err != nil {
		b.t.Fatal(err)
	}
	reply.Body.Close()
	if got := reply.Header.Get("Location"); reply.StatusCode != http.StatusSeeOther || got != page {
		b.t.Fatalf("got %d to %q, want the page %q", reply.StatusCode, got, page)
	}
}

// Proxy returns the address of a proxy, and a function that says to which host, ws://HOST:PORT/,
// the next requests go.
func Proxy(t testing.TB) (address string, to func(host string)) {
	t.Helper()
	var target atomic.Pointer[url.URL]
	server := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target.Load())
		r.Out.Host = r.In.Host
		r.SetXForwarded()
	}})
	t.Cleanup(server.Close)
	return server.URL, func(host string) {
		u, err := url.Parse("http" + strings.TrimPrefix(host, "ws"))
		if err != nil {
			t.Fatal(err)
		}
		target.Store(u)
	}
}
