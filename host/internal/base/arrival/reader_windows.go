package arrival

import (
	"errors"
	"io"
	"sync"
	"syscall"
	"time"
)

// Reader reads a socket or a pipe. Read must not be called concurrently; the other
// methods can be.
//
// On Windows the arrival of bytes is the time at which they were read: Go has no reads
// there that return at once, with which unread bytes could be found.
type Reader struct {
	conn io.Reader

	mu     sync.Mutex // guards the fields below
	last   time.Time  // when the last bytes were read
	inHand bool       // the caller of Read might still be handling them
}

// NewReader returns a reader of a socket or a pipe, which must not be read in
// any other way.
func NewReader(c syscall.Conn) (*Reader, error) {
	conn, ok := c.(io.Reader)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return &Reader{conn: conn, last: time.Now()}, nil
}

// Read implements io.Reader. It must be called only when all bytes read before
// have been handled.
func (r *Reader) Read(p []byte) (int, error) {
	r.mu.Lock()
	r.inHand = false
	r.mu.Unlock()
	n, err := r.conn.Read(p)
	if n > 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.inHand, r.last = true, time.Now()
	}
	return n, err
}

// Last returns when the last byte that was read arrived.
func (r *Reader) Last() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// Unread reports whether bytes that arrived before the given time, which must be
// past, have been read and might not have been handled yet.
func (r *Reader) Unread(before time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inHand && r.last.Before(before)
}
