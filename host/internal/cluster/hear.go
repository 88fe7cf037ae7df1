package cluster

import (
	"context"
	"time"
)

const (
	// natsCut is for how long NATS can be silent before this host counts as cut off from it.
	// The library notices the end of a connection at once, but a network that drops
	// everything after more than six seconds.
	natsCut = 3 * time.Second
	// hearEvery is the time between two questions to NATS.
	hearEvery = 300 * time.Millisecond
	// hearTimeout is how long an answer can take.
	hearTimeout = 500 * time.Millisecond
)

// hear asks NATS with flush whether it answers, until ctx ends.
func (c *Cluster) hear(ctx context.Context, flush func(context.Context) error) {
	last := time.Now()
	for ctx.Err() == nil {
		asking, cancel := context.WithTimeout(ctx, hearTimeout)
		err := flush(asking)
		cancel()
		now := time.Now()
		if err == nil {
			c.silent.Store(0)
		} else {
			// Not more, because this host can have been frozen.
			c.silent.Add(int64(min(now.Sub(last), hearEvery+hearTimeout)))
		}
		last = now
		select {
		case <-ctx.Done():
		case <-time.After(hearEvery):
		}
	}
}

// answered reports whether NATS has answered within natsCut.
func (c *Cluster) answered() bool { return time.Duration(c.silent.Load()) < natsCut }
