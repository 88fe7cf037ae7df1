package clusters

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Balancer forwards TCP connections to the hosts that are ready, in turn.
type Balancer struct {
	URL string // ws://HOST:PORT/

	listener net.Listener
	next     atomic.Uint64
	ctx      context.Context // of the checks
	stop     context.CancelFunc
	wait     sync.WaitGroup

	mu       sync.Mutex // guards the fields below
	backends []*backend
	open     map[net.Conn]bool
	closed   bool
}

// backend is a host behind a balancer.
type backend struct {
	address string // HOST:PORT
	readyz  string // URL
	ready   atomic.Bool
}

const (
	checkInterval = 200 * time.Millisecond
	checkTimeout  = 2 * time.Second
	dialTimeout   = 2 * time.Second
)

// NewBalancer starts a balancer at an address for hosts. It checks again and again whether
// they are ready. Its Close must be called.
func NewBalancer(listen string, hosts []*Host) (*Balancer, error) {
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	b := &Balancer{URL: "ws://" + listener.Addr().String() + "/", listener: listener, ctx: ctx, stop: stop, open: map[net.Conn]bool{}}
	for _, h := range hosts {
		b.Add(h)
	}
	b.wait.Go(b.accept) // ends with Close
	return b, nil
}

// Add adds a host.
func (b *Balancer) Add(h *Host) {
	one := &backend{address: h.address, readyz: h.Operations + "readyz"}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.backends = append(b.backends, one)
	b.wait.Go(func() { one.check(b.ctx) }) // ends with Close
}

// Close ends the balancer and its connections.
func (b *Balancer) Close() {
	b.stop()
	_ = b.listener.Close()
	b.mu.Lock()
	b.closed = true
	for conn := range b.open {
		_ = conn.Close()
	}
	b.mu.Unlock()
	b.wait.Wait()
}

// check sets ready until ctx ends.
func (b *backend) check(ctx context.Context) {
	client := http.Client{Timeout: checkTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	ticker := time.NewTicker(checkInterval)
	defer ticker.Stop()
	for {
		b.ready.Store(answersOK(ctx, &client, b.readyz))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// answersOK reports whether a page has status 200.
func answersOK(ctx context.Context, client *http.Client, url string) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	answer, err := client.Do(r)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

func (b *Balancer) accept() {
	for {
		client, err := b.listener.Accept()
		if err != nil {
			return
		}
		b.wait.Go(func() { b.serve(client) }) // ends with the connection
	}
}

func (b *Balancer) serve(client net.Conn) {
	defer client.Close()
	if !b.add(client) {
		return
	}
	defer b.remove(client)
	server := b.dial()
	if server == nil {
		return
	}
	defer server.Close()
	if !b.add(server) {
		return
	}
	defer b.remove(server)
	forward(client, server, nil)
}

// dial connects to the next host that is ready; nil: there is none.
func (b *Balancer) dial() net.Conn {
	b.mu.Lock()
	backends := slices.Clone(b.backends)
	b.mu.Unlock()
	for range backends {
		one := backends[b.next.Add(1)%uint64(len(backends))]
		if !one.ready.Load() {
			continue
		}
		if conn, err := net.DialTimeout("tcp", one.address, dialTimeout); err == nil {
			return conn
		}
		one.ready.Store(false) // until the next check
	}
	return nil
}

func (b *Balancer) add(conn net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || len(b.open) >= maxConnections {
		return false
	}
	b.open[conn] = true
	return true
}

func (b *Balancer) remove(conn net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, conn)
}
