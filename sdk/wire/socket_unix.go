//go:build unix

package wire

import (
	"os"
	"syscall"
)

// Sockets returns the two ends of a new connection for frames: that of the host, and
// that of the game, which inherits it.
func Sockets() (host, game *os.File, err error) {
	syscall.ForkLock.RLock() // no other child inherits them
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(ends[0])
		syscall.CloseOnExec(ends[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if host, err = openSocket(ends[0]); err != nil {
		_ = syscall.Close(ends[0])
		_ = syscall.Close(ends[1])
		return nil, nil, err
	}
	return host, os.NewFile(uintptr(ends[1]), "frames"), nil
}

// openSocket returns the end of a connection for frames with a number. The programs
// that this process starts do not inherit it.
func openSocket(fd int) (*os.File, error) {
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, os.NewSyscallError("setnonblock", err)
	}
	return os.NewFile(uintptr(fd), "frames"), nil
}

// writeNow writes what the kernel takes without waiting.
func writeNow(raw syscall.RawConn, b []byte) (n int, err error) {
	closed := raw.Write(func(fd uintptr) bool {
		for {
			n, err = syscall.Write(int(fd), b)
			if err != syscall.EINTR {
				return true
			}
		}
	})
	if err == syscall.EAGAIN {
		err = nil
	}
	if closed != nil {
		err = closed
	}
	return max(0, n), err
}

// endReading makes a reader of a socket get the end of it after what has arrived.
func endReading(raw syscall.RawConn) {
	_ = raw.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_RD) })
}
