package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// inBubble runs a test with a server in a bubble of testing/synctest, where time
// passes only when all goroutines wait. Connections are in memory.
func inBubble(t *testing.T, change func(*Limits), test func(t *testing.T, srv *testServer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv := newTestServer(t, change)
		srv.network = &network{dialed: make(chan net.Conn), closed: make(chan struct{})}
		srv.http = &httptest.Server{Listener: srv.network, Config: &http.Server{Handler: srv.Server}}
		srv.http.Start()
		t.Cleanup(srv.close) // synctest fails if a goroutine is left
		test(t, srv)
	})
}

// network is a listener whose connections are in memory.
type network struct {
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once
	ports  atomic.Int64 // of clients so far
}

func (w *network) Accept() (net.Conn, error) {
	select {
	case c := <-w.dialed:
		return c, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

func (w *network) Close() error {
	w.once.Do(func() { close(w.closed) })
	return nil
}

func (w *network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (w *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: int(w.ports.Add(1)) + 1}
	near, nearEnd := net.Pipe()
	far, farEnd := net.Pipe()
	go pipe(nearEnd, farEnd) // ends when either side is closed
	go pipe(farEnd, nearEnd)
	select {
	case w.dialed <- &end{far, w.Addr(), client}:
		return &end{near, client, w.Addr()}, nil
	case <-w.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipe copies bytes through a buffer.
func pipe(to, from net.Conn) {
	chunks := make(chan []byte, 256) // full: from is not read
	go func() {                      // ends when from is closed
		defer close(chunks)
		for {
			b := make([]byte, 4096)
			n, err := from.Read(b)
			if err != nil {
				return
			}
			chunks <- b[:n]
		}
	}()
	for b := range chunks {
		if _, err := to.Write(b); err != nil {
			_ = from.Close()
		}
	}
	_ = to.Close()
}

// end is an end of a connection.
type end struct {
	net.Conn
	local, remote net.Addr
}

func (e *end) LocalAddr() net.Addr  { return e.local }
func (e *end) RemoteAddr() net.Addr { return e.remote }
