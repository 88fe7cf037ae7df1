package web

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"colosseum/host/internal/limit"
	"colosseum/internal/poll"
)

// startGated starts a server whose connections pass the gate.
func startGated(t *testing.T, change func(*Limits)) *testServer {
	t.Helper()
	srv := startServer(t, change)
	srv.http.Close()
	srv.http = httptest.NewUnstartedServer(srv.Server)
	srv.http.Config.ConnState = srv.ConnState
	srv.http.Start()
	return srv
}

// dialTCP connects and sends nothing.
func (srv *testServer) dialTCP() net.Conn {
	srv.t.Helper()
	conn, err := net.Dial("tcp", srv.http.Listener.Addr().String())
	if err != nil {
		srv.t.Fatal(err)
	}
	srv.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (srv *testServer) gateCount() int {
	srv.gate.mu.Lock()
	defer srv.gate.mu.Unlock()
	return len(srv.gate.open)
}

func TestConnectionsWithoutAHandshakeAreLimited(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Limits)
		limit  string
	}{
		{"of one address", perAddress(limit.PerAddress{Connections: 3}), limit.Unshaken},
		{"of all together", func(l *Limits) { l.Files = 3 }, limit.Files},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := startGated(t, tt.change)
			first := srv.dialTCP()
			srv.dialTCP()
			srv.dialTCP()
			poll.Until(t, "all within the limit are counted", func() bool { return srv.gateCount() == 3 })
			for range 5 {
				beyond := srv.dialTCP()
				if n, err := beyond.Read(make([]byte, 1)); err == nil { // hangs if it is kept
					t.Errorf("got %d bytes beyond the limit, want it closed", n)
				}
			}
			if n := srv.gateCount(); n != 3 {
				t.Errorf("got %d connections within the limit, want 3", n)
			}
			wantLimited(t, srv.Server, tt.limit, 5)
			_ = first.Close()
			poll.Until(t, "there is room", func() bool { return srv.gateCount() == 2 })
			c := srv.connect() // sessions are not counted
			poll.Until(t, "the session has left the gate", func() bool { return srv.gateCount() == 2 })
			c.close()
		})
	}
}

func TestGateForgetsClosedConnections(t *testing.T) {
	srv := startGated(t, perAddress(limit.PerAddress{Connections: 10}))
	for range 20 {
		c := srv.connect()
		c.close()
		srv.awaitSessions(0)
		r, err := http.Get(srv.http.URL)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
		http.DefaultClient.CloseIdleConnections()
	}
	poll.Until(t, "the gate counts no connection", func() bool {
		srv.gate.mu.Lock()
		defer srv.gate.mu.Unlock()
		return len(srv.gate.open) == 0 && len(srv.gate.perAddress) == 0
	})
	if got := srv.Stats().Limited; len(got) != 0 {
		t.Errorf("counted %v, want nothing", got)
	}
}
