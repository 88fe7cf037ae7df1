// Package oidcserver runs a real provider of OpenID Connect for tests, in their process: the
// example of the library zitadel/oidc, which is certified.
package oidcserver

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// The client that the provider knows, and the password of all users.
const (
	ClientID     = "colosseum"
	ClientSecret = "a secret that is long enough"
	Password     = "verysecure"
)

// Users are those of the provider.
var Users = []string{"test-user@localhost", "test-user2"}

// Server is a provider on this machine. Its name is localhost, so for browsers it is another
// site than 127.0.0.1.
type Server struct {
	URL    string // the issuer
	server *httptest.Server
	down   atomic.Bool
}

// Listen returns a provider that Start starts, and that stops when the test ends.
func Listen(t testing.TB) *Server {
	t.Helper()
	s := &Server{server: httptest.NewUnstartedServer(nil)}
	t.Cleanup(s.server.Close)
	_, port, err := net.SplitHostPort(s.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s.URL = "http://localhost:" + port
	return s
}

// Start starts the provider. It sends browsers back to the addresses of one client.
func (s *Server) Start(callbacks ...string) {
	clients := map[string]*storage.Client{ClientID: storage.WebClient(ClientID, ClientSecret, callbacks...)}
	handler := exampleop.SetupServer(s.URL, storage.NewStorageWithClients(storage.NewUserStore(s.URL), clients), nil, false, op.WithAllowInsecure())
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.down.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		handler.ServeHTTP(w, r)
	})
	s.server.Start()
}

// SetDown makes the provider fail, or work again.
func (s *Server) SetDown(down bool) { s.down.Store(down) }

var hidden = regexp.MustCompile(`name="id" value="([^"]+)"`)

// LogIn does what a person does in a browser: it opens an address of the provider, and types a
// name and the password. It returns the address to which the provider sends the browser back,
// without going there.
func (s *Server) LogIn(t testing.TB, address, user string) string {
	t.Helper()
	back := ""
	browser := &http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if !strings.HasPrefix(r.URL.String(), s.URL) {
			back = r.URL.String()
			return http.ErrUseLastResponse
		}
		return nil
	}}
	get := func(reply *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	form := get(browser.Get(address))
	id := hidden.FindStringSubmatch(form)
	if id == nil {
		t.Fatalf("got %s from the provider, want its form", form)
	}
	answer := get(browser.PostForm(s.URL+"/login/username", url.Values{"id": {id[1]}, "username": {user}, "password": {Password}}))
	if back == "" {
		t.Fatalf("got %s from the provider, want that it sends the browser back", answer)
	}
	return back
}
