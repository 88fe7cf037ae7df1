package cluster

import (
	"sync"
	"time"
)

const (
	// leastFreeze is how long this host must not have run to count as frozen.
	leastFreeze = 5 * time.Second
	// backlog is how long it can take to read what has arrived during a freeze.
	backlog = 30 * time.Second
)

// pulse notices that this process did not run for some time: it was stopped, its machine
// was suspended, or had no time for it. What the other hosts have sent meanwhile is then
// old, although all clocks agree.
type pulse struct {
	mu     sync.Mutex // guards the fields below
	last   time.Time  // the last call of frozen
	frozen time.Duration
	until  time.Time // the end of the last freeze
}

// beat must be called every second at least. It returns how long the freeze was that has
// ended a moment ago; 0: there was none. First: no earlier call has returned it.
func (p *pulse) beat(now time.Time) (frozen time.Duration, first bool) {
	now = now.Round(0) // the monotonic clock of some systems stands still while they are suspended
	p.mu.Lock()
	defer p.mu.Unlock()
	if gap := now.Sub(p.last); !p.last.IsZero() && gap >= leastFreeze {
		p.frozen, p.until, first = gap, now, true
	}
	p.last = now
	if p.until.IsZero() || now.Sub(p.until) > backlog {
		return 0, false
	}
	return p.frozen, first
}
