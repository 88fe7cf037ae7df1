package web

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"colosseum/host/internal/base/limit"
	"colosseum/internal/test/poll"
)

// startGated starts a server whose connections pass the gate.
func startGated(t *testing.T, change func(*Limits)) *testServer {
	t.Helper()
	srv := startServer(t, change)
	srv.http.Close()
	srv.http = httptest.NewUnstartedServer(srv.Server)
	srv.http.Config.ConnState, srv.http.Config.ConnContext = srv.ConnState, srv.ConnContext
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
			opened := make([]net.Conn, 8)
			for i := range opened {
				opened[i] = srv.dialTCP()
				poll.Until(t, "it is counted", func() bool { return srv.gateCount() == min(i+1, 3) })
				if i == 0 {
					_, _ = opened[i].Write([]byte("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")) // half open
				}
				if i >= 3 { // the longest waiting is closed for it
					if n, err := opened[i-3].Read(make([]byte, 1)); err == nil { // hangs if it is kept
						t.Errorf("got %d bytes beyond the limit, want it closed", n)
					}
				}
			}
			wantLimited(t, srv.Server, tt.limit, 5)
			c := srv.connect() // takes the place of another one
			poll.Until(t, "the session has left the gate", func() bool { return srv.gateCount() == 2 })
			c.close()
		})
	}
}

// A connection whose request is being answered is never closed for another one.
func TestAnswersAreNotCutForNewConnections(t *testing.T) {
	srv := startGated(t, perAddress(limit.PerAddress{Connections: 2}))
	asked, answer := make(chan struct{}), make(chan struct{})
	srv.http.Config.Handler = srv.Or(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-answer
	}))
	results := make(chan error, 2)
	for range cap(results) {
		go func() { // ends with the answer
			r, err := http.Get(srv.http.URL)
			if err == nil {
				_ = r.Body.Close()
			}
			results <- err
		}()
		poll.Receive(t, "the request has come", asked)
	}
	if n, err := srv.dialTCP().Read(make([]byte, 1)); err == nil {
		t.Errorf("got %d bytes beyond the limit, want it closed", n)
	}
	close(answer)
	for range cap(results) {
		if err := poll.Receive(t, "an answer", results); err != nil {
			t.Error(err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	wantLimited(t, srv.Server, limit.Unshaken, 1)
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
