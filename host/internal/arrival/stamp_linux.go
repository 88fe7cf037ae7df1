package arrival

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"
)

// enable asks the system to note when bytes come, and reports whether it does.
// It does for TCP; a Unix socket takes the option and then has no times, which
// costs nothing but a longer call.
func enable(fd int) bool {
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PROTOCOL)
	return err == nil && kind == unix.IPPROTO_TCP && unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS_NEW, 1) == nil
}

// receive reads from a TCP socket without waiting, and returns when the last of
// the bytes came: the zero time when the system has not noted it, as for those
// that come while it begins to.
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
	return n, now.Add(-max(0, age)), nil // below 0 when the clock was set back meanwhile
}
