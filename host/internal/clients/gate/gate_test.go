package gate

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"

	"colosseum/host/internal/base/limit"
	"colosseum/internal/test/poll"
)

// testServer is a server whose connections pass a gate. It answers /session by taking the
// connection, as for a WebSocket, and closes it at the end.
type testServer struct {
	*Gate
	t    *testing.T
	http *httptest.Server

	mu      sync.Mutex     // guards the field below
	refused map[string]int // by limit
}

func start(t *testing.T, limits Limits) *testServer {
	srv := &testServer{t: t, refused: map[string]int{}}
	limits.Others = func() int { return 0 }
	limits.Key = func(host string) (netip.Prefix, bool) { return netip.MustParsePrefix("127.0.0.1/32"), true }
	limits.Refused = func(name string) {
		srv.mu.Lock()
		defer srv.mu.Unlock()
		srv.refused[name]++
	}
	srv.Gate = New(limits)
	srv.http = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		srv.Requested(r)
		if r.URL.Path != "/session" {
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\n\r\n")
		t.Cleanup(func() { _ = conn.Close() })
	}))
	srv.http.Config.ConnState, srv.http.Config.ConnContext = srv.ConnState, srv.ConnContext
	srv.http.Start()
	t.Cleanup(srv.http.Close)
	return srv
}

// dial connects and sends nothing.
func (srv *testServer) dial() net.Conn {
	srv.t.Helper()
	conn, err := net.Dial("tcp", srv.http.Listener.Addr().String())
	if err != nil {
		srv.t.Fatal(err)
	}
	srv.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// connect opens a session, and returns when it has begun.
func (srv *testServer) connect() {
	srv.t.Helper()
	conn := srv.dial()
	_, _ = io.WriteString(conn, "GET /session HTTP/1.1\r\nHost: x\r\n\r\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
		srv.t.Fatalf("got %q, %v, want a session", line, err)
	}
}

func (srv *testServer) count() int {
	srv.Gate.mu.Lock()
	defer srv.Gate.mu.Unlock()
	return len(srv.open)
}

func (srv *testServer) wantRefused(limit string, n int) {
	srv.t.Helper()
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if len(srv.refused) != 1 || srv.refused[limit] != n {
		srv.t.Errorf("got %v refused, want %d by the limit %s", srv.refused, n, limit)
	}
}

func TestConnectionsWithoutAHandshakeAreLimited(t *testing.T) {
	tests := []struct {
		name   string
		limits Limits
		limit  string
	}{
		{"of one address", Limits{PerAddress: 3}, limit.Unshaken},
		{"of all together", Limits{Files: 3}, limit.Files},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := start(t, tt.limits)
			opened := make([]net.Conn, 8)
			for i := range opened {
				opened[i] = srv.dial()
				poll.Until(t, "it is counted", func() bool { return srv.count() == min(i+1, 3) })
				if i == 0 {
					_, _ = opened[i].Write([]byte("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")) // half open
				}
				if i >= 3 { // the longest waiting is closed for it
					if n, err := opened[i-3].Read(make([]byte, 1)); err == nil { // hangs if it is kept
						t.Errorf("got %d bytes beyond the limit, want it closed", n)
					}
				}
			}
			srv.wantRefused(tt.limit, 5)
			srv.connect() // takes the place of another one
			poll.Until(t, "the session has left the gate", func() bool { return srv.count() == 2 })
		})
	}
}

func TestConnectionsOfAHostThatIsTrustedHaveNoLimitOfAnAddress(t *testing.T) {
	srv := start(t, Limits{PerAddress: 1})
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = "127.0.0.1:1234"
	srv.Trust(r)
	for i := range 3 {
		srv.dial()
		poll.Until(t, "it is counted", func() bool { return srv.count() == i+1 })
	}
	if len(srv.refused) != 0 {
		t.Errorf("got %v refused, want none", srv.refused)
	}
}

func TestGateForgetsClosedConnections(t *testing.T) {
	srv := start(t, Limits{PerAddress: 10})
	for range 20 {
		srv.connect()
		r, err := http.Get(srv.http.URL)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
		http.DefaultClient.CloseIdleConnections()
	}
	poll.Until(t, "the gate counts no connection", func() bool {
		srv.Gate.mu.Lock()
		defer srv.Gate.mu.Unlock()
		return len(srv.open) == 0 && len(srv.perAddress) == 0
	})
	if len(srv.refused) != 0 {
		t.Errorf("got %v refused, want none", srv.refused)
	}
}
