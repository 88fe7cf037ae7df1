package match

import "sync"

// Total bounds the bytes of all streams of a host together. When they exceed it, the
// longest stream is dropped: its match is aborted, so that matches that show little go on.
// Its methods can be called concurrently, and with the lock of a holder held. A nil Total
// counts nothing.
type Total struct {
	mu   sync.Mutex // guards the fields below; no other lock is taken while it is held
	max  int64      // bytes; 0: no limit
	sum  int64      // of held
	held map[Holder]int64
}

// Holder holds a stream that counts in a Total.
type Holder interface {
	// Drop ends the stream, because it is the longest of too many bytes. It is called in a
	// goroutine of its own, and can come after Release.
	Drop()
}

// NewTotal returns a total of at most max bytes; 0: no limit.
func NewTotal(max int64) *Total { return &Total{max: max, held: map[Holder]int64{}} }

// SetMax changes the limit for bytes that are added from now on.
func (t *Total) SetMax(max int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.max = max
}

// Bytes returns the bytes of all streams.
func (t *Total) Bytes() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum
}

// Add counts bytes of a holder's stream, and drops as many streams as necessary.
func (t *Total) Add(h Holder, bytes int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held[h] += int64(bytes)
	t.sum += int64(bytes)
	for t.max > 0 && t.sum > t.max {
		var longest Holder
		for other, n := range t.held {
			if longest == nil || n > t.held[longest] {
				longest = other
			}
		}
		t.releaseLocked(longest)
		go longest.Drop() // ends when the holder is not locked
	}
}

// Release forgets a holder's stream.
func (t *Total) Release(h Holder) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.releaseLocked(h)
}

func (t *Total) releaseLocked(h Holder) {
	t.sum -= t.held[h]
	delete(t.held, h)
}
