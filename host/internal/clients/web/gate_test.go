package web

import (
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
