package arrival

import (
	"encoding/binary"
	"time"
	"unsafe"

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
	var control [64]byte // a header and a timespec of two 64-bit numbers
	part := unix.Iovec{Base: unsafe.SliceData(p)}
	part.SetLen(len(p))
	message := unix.Msghdr{Iov: &part, Control: &control[0]}
	message.SetIovlen(1)
	message.SetControllen(len(control))
	// unix.Recvmsg allocates twice. It never waits, so Go's scheduler does not have to know.
	got, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&message)), unix.MSG_DONTWAIT)
	if errno != 0 {
		return 0, came, errno
	}
	if n = int(got); n == 0 {
		return 0, came, nil
	}
	for rest := control[:message.Controllen]; len(rest) >= unix.SizeofCmsghdr; {
		header, data, next, err := unix.ParseOneSocketControlMessage(rest)
		if err != nil {
			break
		}
		if header.Level == unix.SOL_SOCKET && header.Type == unix.SO_TIMESTAMPNS_NEW && len(data) >= 16 {
			now := time.Now()
			age := now.Round(0).Sub(time.Unix(int64(binary.NativeEndian.Uint64(data)), int64(binary.NativeEndian.Uint64(data[8:]))))
			came = now.Add(-max(0, age)) // age is negative if the clock was set back in between
		}
		rest = next
	}
	return n, came, nil
}
