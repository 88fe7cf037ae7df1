package outbox

import (
	"sync/atomic"
	"time"
)

// reportStep is the step, in bytes, in which an outbox reports its backlog. The
// few bytes that usually wait for a client that reads cost nothing to count.
const reportStep = 4 << 10

// Budget bounds the bytes that wait in all outboxes of a server together, and
// counts what they write.
type Budget struct {
	max       int64
	exceeded  func()
	started   time.Time
	written   atomic.Uint64 // bytes
	tooSlow   atomic.Uint64 // clients
	backlog   atomic.Int64  // bytes, in steps of reportStep for each outbox
	notifying atomic.Bool   // exceeded runs
}

// NewBudget returns a budget of max bytes; 0: no limit. When more wait, it calls
// exceeded on a goroutine, one at a time.
func NewBudget(max int64, exceeded func()) *Budget {
	return &Budget{max: max, exceeded: exceeded, started: time.Now()}
}

// Stats is a snapshot of the counters of a budget's outboxes.
type Stats struct {
	Written uint64 // bytes of messages
	TooSlow uint64 // clients that were closed because they did not read
	Backlog int64  // bytes that wait now
}

// Stats returns the counters.
func (b *Budget) Stats() Stats {
	return Stats{Written: b.written.Load(), TooSlow: b.tooSlow.Load(), Backlog: b.backlog.Load()}
}

// clock converts a time to nanoseconds since the budget was created, on
// the monotonic clock, because the wall clock can be set at any time.
func (b *Budget) clock(t time.Time) int64 { return int64(t.Sub(b.started)) }

func (b *Budget) add(n int) {
	if total := b.backlog.Add(int64(n)); n > 0 && b.max > 0 && total > b.max && b.notifying.CompareAndSwap(false, true) {
		go func() { // ends with exceeded
			defer b.notifying.Store(false)
			b.exceeded()
		}()
	}
}
