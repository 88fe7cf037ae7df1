package arrival

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"
)

// enable asks the system for arrival times, and reports whether it returns them.
// It does so only for TCP; on a Unix socket the option has no effect.
func enable(fd int) bool {
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PROTOCOL)
	return err == nil && kind == unix.IPPROTO_TCP && unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS_NEW, 1) == nil
}

// receive reads from a TCP socket without waiting, and returns when the last of
// the bytes arrived. That is the zero time if the system does not know it, for
// example of bytes that arrived just before it began to record times.
func receive(fd int, p []byte) (n int, came time.Time, err error) {
	var control [32]byte // a header, and a timespec of two 64-bit numbers
	n, controlN, _, _, err := unix.Recvmsg(fd, p, control[:], unix.MSG_DONTWAIT)
	if err != nil || n == 0 || controlN == 0 {
		return max(n, 0), came, err
	}
	header, data, _, err := unix.ParseOneSocketControlMessage(control[:controlN])
	if err != nil || header.Level != unix.SOL_SOCKET || header.Type != unix.SO_TIMESTAMPNS_NEW || len(data) < 16 {
		return n, came, nil
	}
	now := time.Now()
	age := now.Round(0).Sub(time.Unix(int64(binary.NativeEndian.Uint64(data)), int64(binary.NativeEndian.Uint64(data[8:]))))
	return n, now.Add(-max(0, age)), nil // age is negative if the clock was set back in between
}
