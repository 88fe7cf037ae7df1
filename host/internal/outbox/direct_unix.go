//go:build unix

package outbox

import (
	"net"
	"syscall"
)

// direct writes to a TCP connection without waiting.
type direct struct {
	raw     syscall.RawConn
	left    []byte           // of the bytes to write
	attempt func(fd uintptr) // d.try, bound once
}

// newDirect returns nil for a connection that does not send bytes as they are.
func newDirect(conn net.Conn) *direct {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	d := &direct{raw: raw}
	d.attempt = d.try
	return d
}

// write writes as many bytes as the system has room for, and returns the others. It must
// not be called concurrently. An error of the connection shows in its next other write.
func (d *direct) write(b []byte) (left []byte) {
	d.left = b
	_ = d.raw.Control(d.attempt) // not RawConn.Write, which waits for other writes
	left, d.left = d.left, nil
	return left
}

func (d *direct) try(fd uintptr) {
	n, err := syscall.Write(int(fd), d.left)
	for err == syscall.EINTR {
		n, err = syscall.Write(int(fd), d.left)
	}
	d.left = d.left[max(0, n):]
}
