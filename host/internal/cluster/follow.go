package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// follow opens the buckets and follows them, again after each reconnect and whenever they
// were lost.
func (c *Cluster) follow(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-c.reconnected: // handled by what follows
		default:
		}
		opening, cancel := context.WithTimeout(ctx, 10*time.Second)
		b, err := openBuckets(opening, c.js)
		cancel()
		if err != nil {
			if ctx.Err() == nil && c.Connected() {
				c.rarely.warn("could not open the buckets in NATS", "error", err)
			}
			c.pause(ctx, c.times.tick)
			continue
		}
		c.followBuckets(ctx, b)
	}
}

// followBuckets lists this host's matches in the buckets and follows the other hosts and
// their matches, until a reconnect or until the buckets are lost.
func (c *Cluster) followBuckets(ctx context.Context, b *buckets) {
	ctx, cancel := context.WithCancel(ctx)
	c.listings.begin(b.id)
	c.elsewhere.begin(b.id)
	c.buckets.Store(b)
	var watchers sync.WaitGroup
	watchers.Go(func() { defer cancel(); c.watchHosts(ctx, b) })   // ends with ctx or the watch
	watchers.Go(func() { defer cancel(); c.watchMatches(ctx, b) }) // ends with ctx or the watch
	defer watchers.Wait()
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.reconnected:
			return
		case <-time.After(c.times.tick):
		}
		looking, stop := context.WithTimeout(ctx, 5*time.Second)
		id, err := b.created(looking)
		stop()
		lost := errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound)
		if lost || err == nil && id != b.id {
			c.log.Warn("NATS has lost its list of hosts or matches: listing everything again")
			return
		}
	}
}
