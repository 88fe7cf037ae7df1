//go:build unix

package outbox

import (
	"net"
	"syscall"
	"unsafe"
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

// try does not tell Go's scheduler about the call, which never waits.
func (d *direct) try(fd uintptr) {
	n, _, err := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(unsafe.SliceData(d.left))), uintptr(len(d.left)))
	if err == 0 {
		d.left = d.left[n:]
	}
}
