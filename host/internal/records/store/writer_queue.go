package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"colosseum/host/internal/records/dialect"
)

// entry is a row to write.
type entry struct {
	*dialect.Row
	done  chan<- error // nil for the beginning of a match, which does not wait
	bytes int          // estimated, of the end of a match
}

const (
	maxFinishes = 512
	// maxBegins bounds the beginnings in the queue. Beyond it, when the disk hangs, rows
	// are dropped, because Begin must not block. Such a match leaves no trace if the host
	// is killed before its end.
	maxBegins = 4096
)

var errClosed = errors.New("the record is closed")

// queue has what waits for the writer. The methods can be called concurrently.
type queue struct {
	// slots bounds the ends of matches that are queued or being committed, and so the
	// memory and the size of a commit. When it is full, admit waits.
	slots chan struct{}
	// wake wakes the writer. One token is enough, because the writer takes the whole
	// queue.
	wake chan struct{}

	mu      sync.Mutex // guards the fields below
	entries []entry
	begins  int // in entries, at most maxBegins
	waiting int // estimated bytes of the ends that wait
	closed  bool
	since   time.Time // when the first commit began that is not complete; zero: none
}

func newQueue() *queue {
	return &queue{slots: make(chan struct{}, maxFinishes), wake: make(chan struct{}, 1)}
}

// wakeWriter makes the writer look at the queue.
func (q *queue) wakeWriter() {
	select {
	case q.wake <- struct{}{}:
	default: // it is awake, or about to be
	}
}

// addBegin adds the beginning of a match. It does not wait.
func (q *queue) addBegin(row *dialect.Row) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return errClosed
	case q.begins == maxBegins:
		return errors.New("the disk is too slow: too many records are waiting")
	}
	q.begins++
	q.entries = append(q.entries, entry{Row: row})
	q.wakeWriter()
	return nil
}

// admit waits for a slot, which the caller then has for an end.
func (q *queue) admit(ctx context.Context) error {
	select {
	case q.slots <- struct{}{}: // the writer frees it
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// addEnd adds the end of a match, for which the caller has a slot.
func (q *queue) addEnd(e entry) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		q.freeSlot()
		return errClosed
	}
	q.waiting += e.bytes
	q.entries = append(q.entries, e)
	q.wakeWriter()
	return nil
}

// take empties the queue. It returns also how many of its entries are beginnings, and
// whether nothing can follow.
func (q *queue) take() (batch []entry, begins int, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch, begins = q.entries, q.begins
	q.entries, q.begins = nil, 0
	if q.since.IsZero() && len(batch) > 0 {
		q.since = time.Now()
	}
	return batch, begins, q.closed
}

// putBack puts a batch that could not be committed back to the front, for another attempt.
func (q *queue) putBack(batch []entry, begins int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.entries = append(batch, q.entries...)
	q.begins += begins
}

// written notes that a commit is complete.
func (q *queue) written() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.since = time.Time{}
}

// leave notes that the end of a match does not wait any more. Its slot is freed later.
func (q *queue) leave(e entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting -= e.bytes
}

func (q *queue) freeSlot() { <-q.slots }

// close lets nothing follow, and wakes the writer a last time.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.wakeWriter()
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.entries)
}

// moves reports whether the queue gets shorter: the commit that runs began less than within
// ago, and what waits needs at most the given number of bytes.
func (q *queue) moves(within time.Duration, bytes int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return (q.since.IsZero() || time.Since(q.since) < within) && q.waiting <= bytes
}
