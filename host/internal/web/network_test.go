package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// inBubble runs a test with a server in a bubble of testing/synctest, whose time
// passes only when all goroutines wait. Connections are in memory.
func inBubble(t *testing.T, change func(*Limits), test func(t *testing.T, srv *testServer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv := newTestServer(t, change)
		srv.network = &network{calls: make(chan net.Conn), closed: make(chan struct{})}
		srv.http = &httptest.Server{Listener: srv.network, Config: &http.Server{Handler: srv.Server}}
		srv.http.Start()
		t.Cleanup(srv.close) // synctest fails if a goroutine is left
		test(t, srv)
	})
}

// network is a listener whose connections are in memory.
type network struct {
	calls  chan net.Conn
	closed chan struct{}
	once   sync.Once
	ports  atomic.Int64 // of callers so far
}

func (w *network) Accept() (net.Conn, error) {
	select {
	case c := <-w.calls:
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
	here, there := newPipe(), newPipe()
	caller := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: int(w.ports.Add(1)) + 1}
	select {
	case w.calls <- &end{local: w.Addr(), remote: caller, in: here, out: there}:
		return &end{local: caller, remote: w.Addr(), in: there, out: here}, nil
	case <-w.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipeSize is how many bytes a pipe holds at most.
const pipeSize = 64 << 10

// pipe is one direction of a connection.
type pipe struct {
	mu     sync.Mutex // guards the fields below
	change *sync.Cond
	bytes  []byte // at most pipeSize
	closed bool   // by either side
	reads  due
	writes due
}

func newPipe() *pipe {
	p := &pipe{}
	p.change = sync.NewCond(&p.mu)
	return p
}

// due is a deadline.
type due struct {
	at    time.Time
	timer *time.Timer
}

func (d due) over() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

// set changes a deadline of the pipe.
func (p *pipe) set(d *due, at time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return net.ErrClosed
	}
	if d.timer != nil {
		d.timer.Stop()
	}
	*d = due{at: at}
	if !at.IsZero() {
		d.timer = time.AfterFunc(time.Until(at), func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.change.Broadcast()
		})
	}
	p.change.Broadcast()
	return nil
}

func (p *pipe) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, d := range []*due{&p.reads, &p.writes} {
		if d.timer != nil {
			d.timer.Stop()
		}
	}
	p.change.Broadcast()
}

// end is an end of a connection.
type end struct {
	local, remote net.Addr
	in, out       *pipe
}

func (e *end) Read(b []byte) (int, error) {
	p := e.in
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.reads.over():
			return 0, os.ErrDeadlineExceeded
		case len(p.bytes) > 0:
			n := copy(b, p.bytes)
			p.bytes = p.bytes[n:]
			p.change.Broadcast()
			return n, nil
		case p.closed:
			return 0, io.EOF
		}
		p.change.Wait()
	}
}

func (e *end) Write(b []byte) (written int, err error) {
	p := e.out
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.closed:
			return written, io.ErrClosedPipe
		case p.writes.over():
			return written, os.ErrDeadlineExceeded
		case written == len(b):
			return written, nil
		}
		if n := min(len(b)-written, pipeSize-len(p.bytes)); n > 0 {
			p.bytes = append(p.bytes, b[written:written+n]...)
			written += n
			p.change.Broadcast()
			continue
		}
		p.change.Wait()
	}
}

// Close closes both directions. Bytes already written can still be read.
func (e *end) Close() error {
	e.in.close()
	e.out.close()
	return nil
}

func (e *end) LocalAddr() net.Addr  { return e.local }
func (e *end) RemoteAddr() net.Addr { return e.remote }

func (e *end) SetReadDeadline(at time.Time) error  { return e.in.set(&e.in.reads, at) }
func (e *end) SetWriteDeadline(at time.Time) error { return e.out.set(&e.out.writes, at) }

func (e *end) SetDeadline(at time.Time) error {
	if err := e.SetReadDeadline(at); err != nil {
		return err
	}
	return e.SetWriteDeadline(at)
}
