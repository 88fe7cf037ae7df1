//go:build unix

package arrival

import (
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Reader reads a socket or a pipe. Read must not be called concurrently; the other
// methods can be.
type Reader struct {
	raw     syscall.RawConn
	stamped bool // the system returns arrival times

	// For the goroutine that reads.
	into []byte
	n    int
	err  error
	try  func(fd uintptr) (done bool) // r.attempt, bound once

	mu     sync.Mutex // guards the fields below
	last   time.Time  // arrival of the last bytes that were read
	inHand bool       // the caller of Read might still be handling them
	by     time.Time  // latest possible arrival of the next bytes; zero: not known
}

// NewReader returns a reader of a socket or a pipe, which must not be read in
// any other way.
func NewReader(c syscall.Conn) (*Reader, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	r := &Reader{raw: raw, last: time.Now()}
	_ = raw.Control(func(fd uintptr) { r.stamped = enable(int(fd)) })
	r.try = r.attempt
	return r, nil
}

// Read implements io.Reader. It must be called only when all bytes read before
// have been handled.
func (r *Reader) Read(p []byte) (int, error) {
	r.mu.Lock()
	r.inHand = false
	r.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	r.into = p
	err := r.raw.Read(r.try)
	r.into = nil
	switch {
	case err != nil:
		return 0, err // the deadline has passed, or the connection is closed
	case r.err != nil:
		return 0, r.err
	case r.n == 0:
		return 0, io.EOF
	}
	return r.n, nil
}

// attempt reads once, without waiting, and reports whether there was anything to read. It
// holds mu while it does, so that Unread finds bytes either waiting or in hand.
func (r *Reader) attempt(fd uintptr) (done bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var came time.Time
	for r.err = unix.EINTR; r.err == unix.EINTR; {
		if r.stamped {
			r.n, came, r.err = receive(int(fd), r.into)
			synchronize(int(fd))
		} else {
			r.n, r.err = syscall.Read(int(fd), r.into)
		}
	}
	switch {
	case r.err == unix.EAGAIN:
		return false
	case r.err != nil:
		r.err = os.NewSyscallError("read", r.err)
		return true
	}
	if came.IsZero() {
		came = time.Now()
		if !r.by.IsZero() {
			came = r.by
		}
	}
	r.inHand, r.last, r.by = true, came, time.Time{}
	return true
}

// Last returns when the last byte that was read arrived.
func (r *Reader) Last() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// Unread reports whether bytes that arrived before the given time, which must be
// past, might not have been read and handled yet. Waiting bytes count if the system
// does not return when they arrived.
func (r *Reader) Unread(before time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.Before(before) {
		return false // the bytes after them arrived even later
	}
	if r.inHand {
		return true
	}
	if !r.waiting() {
		return false
	}
	if r.by.IsZero() {
		r.by = before.Add(-time.Nanosecond)
	}
	return true
}

// waiting reports whether a read would return at once.
func (r *Reader) waiting() (yes bool) {
	_ = r.raw.Control(func(fd uintptr) { // not called after a close
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		yes = err == nil && n > 0
	})
	return yes
}
