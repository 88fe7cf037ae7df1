package server

import (
	"context"
	"sync"
	"time"
)

// rate remembers how a counter has grown in the last hour. Its zero value is ready.
type rate struct {
	mu    sync.Mutex // guards the field below
	marks []mark     // one a minute, the oldest first
}

type mark struct {
	at    time.Time
	count uint64
}

// run looks at the counter once a minute until ctx ends.
func (r *rate) run(ctx context.Context, count func() uint64) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		r.look(count(), time.Now())
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (r *rate) look(count uint64, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.marks) > 1 && now.Sub(r.marks[1].at) >= time.Hour {
		r.marks = r.marks[1:]
	}
	r.marks = append(r.marks, mark{now, count})
}

// lastHour returns by how much the counter has grown in the last hour, or since the start.
func (r *rate) lastHour(count uint64, now time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.marks {
		if now.Sub(m.at) <= time.Hour {
			return int(count - m.count)
		}
	}
	return int(count)
}
