package cluster

import (
	"context"
	"encoding/json"
	"time"

	"colosseum/host/internal/play/lobby"
)

// put puts listings, one after the other, until ctx ends. It runs in maxPuts goroutines.
func (c *Cluster) put(ctx context.Context) {
	l := &c.listings
	stop := context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.work.Broadcast()
	})
	defer stop()
	for {
		id, x, deleted, version, ok := l.take(ctx)
		if !ok {
			return
		}
		putting, cancel := context.WithTimeout(ctx, putTimeout)
		err := c.putListing(putting, id, x, deleted)
		cancel()
		if err == nil {
			c.counts.puts.Add(1)
		} else if ctx.Err() == nil {
			c.counts.putsFailed.Add(1)
			if c.Connected() {
				c.rarely.warn("could not list a match in NATS", "match", id, "error", err)
			}
			c.pause(ctx, retryPut)
		}
		l.end(id, version, err == nil)
	}
}

func (c *Cluster) putListing(ctx context.Context, id string, x lobby.Listing, deleted bool) error {
	b := c.buckets.Load()
	if b == nil || !c.Connected() {
		return errNoConnection
	}
	x.Host = c.config.Name
	sealed, err := c.sealListing(id, x, deleted, c.next())
	if err != nil {
		return err
	}
	if len(sealed) > maxMatch {
		c.rarely.warn("the settings of a match are too long for the list in NATS, so the other hosts do not list it", "match", id, "bytes", len(sealed))
		return nil
	}
	_, err = b.matches.Put(ctx, id, sealed)
	return err
}

func (c *Cluster) sealListing(id string, x lobby.Listing, deleted bool, sequence int64) ([]byte, error) {
	listing, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	sealed, _, err := c.sealer.seal(matchesBucket+"/"+id, listed{Sequence: sequence, Deleted: deleted, Listing: listing})
	return sealed, err
}

// Published waits until the latest listing of a match of this host is in NATS, at most
// 2 seconds, and not at all without a connection.
func (c *Cluster) Published(ctx context.Context, id string) {
	if !c.Connected() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	c.listings.wait(ctx, id)
}
