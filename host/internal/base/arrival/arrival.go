// Package arrival reads connections and pipes, and returns when their bytes
// arrived at the machine. A busy process can read them much later, and that must
// not count against the player.
package arrival

import (
	"io"
	"net"
	"syscall"
)

// TCPConn is a TCP connection that is read by a Reader. It can still write several
// buffers in one call and close one direction.
type TCPConn struct {
	*net.TCPConn
	reader *Reader
}

// Read implements net.Conn.
func (c *TCPConn) Read(p []byte) (int, error) { return read(c.TCPConn, c.reader, p) }

// Conn is any other connection that is read by a Reader.
type Conn struct {
	net.Conn
	reader *Reader
}

// Read implements net.Conn.
func (c *Conn) Read(p []byte) (int, error) { return read(c.Conn, c.reader, p) }

func read(c net.Conn, r *Reader, p []byte) (int, error) {
	n, err := r.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	if failed, ok := err.(*net.OpError); ok {
		err = failed.Err
	}
	// net/http recognizes failed reads by Op.
	return n, &net.OpError{Op: "read", Net: c.LocalAddr().Network(), Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: err}
}

// Of returns the reader of a connection that a Listener has accepted, with or
// without TLS. For any other connection it returns nil.
func Of(conn net.Conn) *Reader {
	if over, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = over.NetConn()
	}
	switch c := conn.(type) {
	case *TCPConn:
		return c.reader
	case *Conn:
		return c.reader
	default:
		return nil
	}
}

// Listener accepts connections that are read by a Reader.
type Listener struct{ net.Listener }

// Accept implements net.Listener.
func (l Listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c, ok := conn.(syscall.Conn)
	if !ok {
		return conn, nil
	}
	r, err := NewReader(c)
	if err != nil {
		return conn, nil // it is closed, and its first read fails
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		return &TCPConn{tcp, r}, nil
	}
	return &Conn{conn, r}, nil
}
