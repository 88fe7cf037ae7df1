package hostname

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var quiet = slog.New(slog.DiscardHandler)

// get sends a request through Guard. A change that is not nil is applied first.
func get(n *Names, host string, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Host = host
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	n.Guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
	return w
}

// upgrade returns a change that asks for a WebSocket, from a page if origin is not
// empty.
func upgrade(origin string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "websocket")
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
	}
}

func TestRequestsForOtherNamesAreRefused(t *testing.T) {
	const yes, no = http.StatusOK, http.StatusMisdirectedRequest
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	short, _, _ := strings.Cut(own, ".")
	tests := []struct {
		name, host string
		configured []string
		change     func(*http.Request)
		want       int
	}{
		{"loopback address", "127.0.0.1:8088", nil, nil, yes},
		{"address of IPv6", "[::1]:8088", nil, nil, yes},
		{"address of IPv6 without a port", "[2001:db8::1]", nil, nil, yes},
		{"address in a network", "192.168.1.20:8088", nil, nil, yes},
		{"localhost", "localhost:8088", nil, nil, yes},
		{"localhost in capitals with a dot", "LocalHost.:8088", nil, nil, yes},
		{"below localhost", "games.localhost:8088", nil, nil, yes},
		{"a name that ends alike", "evillocalhost:8088", nil, nil, no},
		{"a name that begins alike", "localhost.evil.example", nil, nil, no},
		{"a name with an address in it", "127.0.0.1.evil.example:8088", nil, nil, no},
		{"a stranger's name", "evil.example:8088", nil, nil, no},
		{"a stranger's name without a port", "evil.example", nil, nil, no},
		{"the machine's name", own + ":8088", nil, nil, yes},
		{"the machine's name in its network", short + ".local", nil, nil, yes},
		{"the name that it listens at", "games.lan:8088", nil, nil, yes},
		{"the name that operations listen at", "metrics.lan", nil, nil, yes},
		{"a configured name", "club.example", []string{"Club.example"}, nil, yes},
		{"a configured name in capitals", "CLUB.example:80", []string{"club.example"}, nil, yes},
		{"a name below a configured one", "evil.club.example", []string{"club.example"}, nil, no},
		{"any name", "evil.example", []string{"*"}, nil, yes},
		{"no name", "", nil, nil, yes},
		{"encrypted", "club.example", nil, func(r *http.Request) { r.TLS = &tls.ConnectionState{} }, yes},
		{"a program by any name", "club.example", nil, upgrade(""), yes},
		{"the desktop client by any name", "club.example", nil, upgrade("tauri://localhost"), yes},
		{"a page of another host, which is refused by its origin", "club.example", nil, upgrade("https://other.example"), yes},
		{"a page of a stranger's name", "evil.example:8088", nil, upgrade("http://evil.example:8088"), no},
		{"a page of a stranger's name in capitals", "evil.example:8088", nil, upgrade("http://EVIL.example:8088"), no},
		{"our own page", "127.0.0.1:8088", nil, upgrade("http://127.0.0.1:8088"), yes},
		{"our own page by a configured name", "club.example", []string{"club.example"}, upgrade("https://club.example"), yes},
		{"a sandboxed frame", "127.0.0.1:8088", nil, upgrade("null"), yes},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := New(tt.configured, []string{"games.lan:8088", "metrics.lan:9088", "unix:/run/x", "auto", ""}, quiet)
			w := get(n, tt.host, tt.change)
			if w.Code != tt.want {
				t.Errorf("got %d, want %d", w.Code, tt.want)
			}
			if text := w.Body.String(); tt.want == no && !strings.Contains(text, `add it to "names" in the host's configuration`) {
				t.Errorf("got %q, want the setting that allows the name", text)
			}
			if got, want := n.refused.Load() == 1, tt.want == no; got != want {
				t.Errorf("counted: %v, want %v", got, want)
			}
		})
	}
}

func TestClientsOfAUnixSocketCanUseAnyName(t *testing.T) {
	folder, err := os.MkdirTemp("/tmp", "s") // a short path, for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "socket")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: New(nil, nil, quiet).Guard(http.NotFoundHandler())}
	defer s.Close()
	go func() { _ = s.Serve(l) }() // ends with s
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	r, err := c.Get("http://club.example/")
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Body.Close()
	if r.StatusCode != http.StatusNotFound {
		t.Errorf("got %s, want the answer of the page", r.Status)
	}
}

func TestRefusedNamesAreCountedAndLoggedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		n := New(nil, nil, slog.New(slog.NewTextHandler(&log, nil)))
		for range 3 {
			for range 100 {
				get(n, strings.Repeat("evil.", 40)+"example", nil)
			}
			time.Sleep(time.Minute)
		}
		if got := strings.Count(log.String(), "\n"); got != 3 {
			t.Errorf("logged %d lines in 3 minutes, want 3:\n%s", got, &log)
		}
		if strings.Contains(log.String(), strings.Repeat("evil.", 20)) {
			t.Errorf("logged a name of 207 letters, want it truncated:\n%s", &log)
		}
		if got := n.Refused(); got != 300 {
			t.Errorf("counted %d refusals, want 300", got)
		}
	})
}
