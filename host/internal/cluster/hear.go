package cluster

import (
	"context"
	"time"
)

const (
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
