package clusters

import (
	"io"
	"net"
	"sync"
)

// Link is a TCP connection between two parts, which can be cut: it listens at an address
// of its own, and forwards bytes to a target and back.
type Link struct {
	// Address is where the link listens: HOST:PORT.
	Address string

	target   string
	listener net.Listener
	wait     sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	open   map[net.Conn]bool
	passes chan struct{} // closed: bytes pass
	cut    bool          // connections are refused
	closed bool
}

// maxConnections is the most connections of a link or a balancer; more are closed.
const maxConnections = 50_000

// NewLink starts a link to a target, HOST:PORT. Its Close must be called.
func NewLink(target string) (*Link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Link{Address: listener.Addr().String(), target: target, listener: listener, open: map[net.Conn]bool{}, passes: make(chan struct{})}
	close(l.passes)
	l.wait.Go(l.accept) // ends with Close
	return l, nil
}

// Cut closes all connections, and new ones at once, until Heal.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	l.closeLocked()
}

// Freeze lets nothing pass until Heal, as if all packets were lost: connections stay
// open, and new ones are taken. What was sent in between passes after Heal.
func (l *Link) Freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.passes:
		l.passes = make(chan struct{})
	default: // it is frozen
	}
}

// Heal ends Cut and Freeze.
func (l *Link) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
	l.thawLocked()
}

// Close ends the link and its connections.
func (l *Link) Close() {
	_ = l.listener.Close()
	l.mu.Lock()
	l.closed = true
	l.thawLocked()
	l.closeLocked()
	l.mu.Unlock()
	l.wait.Wait()
}

func (l *Link) thawLocked() {
	select {
	case <-l.passes:
	default:
		close(l.passes)
	}
}

func (l *Link) closeLocked() {
	for conn := range l.open {
		_ = conn.Close()
	}
}

func (l *Link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.wait.Go(func() { l.serve(client) }) // ends with the connection
	}
}

func (l *Link) serve(client net.Conn) {
	defer client.Close()
	if !l.add(client) {
		return
	}
	defer l.remove(client)
	<-l.pass()
	server, err := net.Dial("tcp", l.target)
	if err != nil {
		return
	}
	defer server.Close()
	if !l.add(server) {
		return
	}
	defer l.remove(server)
	forward(client, server, l.pass)
}

// add reports whether a connection can be used.
func (l *Link) add(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut || l.closed || len(l.open) >= maxConnections {
		return false
	}
	l.open[conn] = true
	return true
}

func (l *Link) remove(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, conn)
}

// pass returns a channel that is closed while bytes pass.
func (l *Link) pass() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.passes
}

// forward copies both ways until both have ended. The end of one way leaves the other
// one open. If pass is not nil, bytes and ends wait for its channel.
func forward(client, server net.Conn, pass func() <-chan struct{}) {
	var both sync.WaitGroup
	both.Go(func() { copyWay(server, client, pass) })
	copyWay(client, server, pass)
	both.Wait()
}

func copyWay(to, from net.Conn, pass func() <-chan struct{}) {
	if pass == nil {
		if _, err := io.Copy(to, from); err != nil { // one of them is broken: the other way can't go on
			_, _ = to.Close(), from.Close()
			return
		}
		closeWrite(to)
		return
	}
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		<-pass()
		if n > 0 {
			if _, werr := to.Write(buffer[:n]); werr != nil {
				err = werr
			}
		}
		if err == io.EOF {
			closeWrite(to)
			return
		}
		if err != nil {
			_, _ = to.Close(), from.Close()
			return
		}
	}
}

// closeWrite ends the output of a connection, and leaves its input open.
func closeWrite(conn net.Conn) {
	if half, ok := conn.(*net.TCPConn); ok {
		_ = half.CloseWrite() // it can be closed
	}
}

// Connections returns how many clients are connected through the link now.
func (l *Link) Connections() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return (len(l.open) + 1) / 2 // each with a connection to the target
}
