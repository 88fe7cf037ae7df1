package relay

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// setPeerTimeout ends a connection on which sent bytes are not confirmed in time. Keep-alive
// packets are not sent while bytes wait for a confirmation.
func setPeerTimeout(_, _ string, conn syscall.RawConn) error {
	var failed error
	err := conn.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(peerTimeout.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
