package server

import (
	"net"
	"sync"
	"time"
)

// quiet is a connection that knows since when a read has waited.
type quiet struct {
	net.Conn

	mu    sync.Mutex // guards the field below
	since time.Time  // when the read began that waits now; zero: none waits
}

func (q *quiet) Read(b []byte) (int, error) {
	q.set(time.Now())
	n, err := q.Conn.Read(b)
	q.set(time.Time{})
	return n, err
}

func (q *quiet) set(since time.Time) {
	q.mu.Lock()
	q.since = since
	q.mu.Unlock()
}

func (q *quiet) silence(now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.since.IsZero() {
		return 0
	}
	return elapsed(q.since, now)
}

// elapsed returns the time between two readings of the clock. While a computer is
// suspended, Go's timers and the monotonic clock stand still on Linux and macOS; only the
// wall clock shows that time has passed. But the wall clock can be set back.
func elapsed(from, to time.Time) time.Duration {
	return max(to.Sub(from), to.Round(0).Sub(from.Round(0)))
}
