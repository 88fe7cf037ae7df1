package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/play/lobby"
)

// ownerTimeout is how long NATS can take to say who has a match.
const ownerTimeout = 5 * time.Second

// maxElsewhere bounds the listings of other hosts; more are ignored.
const maxElsewhere = 200_000

// watchMatches follows the listings of matches until ctx or the watch ends.
func (c *Cluster) watchMatches(ctx context.Context, b *buckets) {
	first := true
	err := watch(ctx, b.matches, func(e jetstream.KeyValueEntry) {
		if e == nil {
			first = false
			c.endOwn(ctx, b)
			return
		}
		if err := c.setMatch(e, first); err != nil {
			c.refuse("listing of a match", e.Key(), err)
		}
	})
	if err != nil && c.Connected() {
		c.rarely.warn("could not follow the matches in NATS", "error", err)
	}
}

// setMatch sets a listing of another host. First: it was listed before this host began to
// watch. If it is then a match of this host that this host does not have, it was lost at
// the last start.
func (c *Cluster) setMatch(entry jetstream.KeyValueEntry, first bool) error {
	id := entry.Key()
	var l listed
	if !lobby.ValidID(id) || len(entry.Value()) > maxMatch {
		return errInvalid
	}
	if _, err := c.sealer.open(matchesBucket+"/"+id, entry.Value(), &l); err != nil {
		return err
	}
	var x lobby.Listing
	if err := json.Unmarshal(l.Listing, &x); err != nil {
		return err
	}
	// A copy of an old value, or a wrong clock: each host lists its matches again more
	// often than this.
	if err := c.checkAge(time.Unix(0, l.Sequence), forgetMatch+time.Minute); err != nil {
		return err
	}
	if x.Info.ID != id || !config.ValidHostName(x.Host) || l.Deleted && !x.Gone {
		return errInvalid
	}
	e := &c.elsewhere
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.listings.has(id) {
		if x.Gone && x.Reason == hostStopped { // another host took this one for dead
			c.listings.list(id)
		}
		return nil
	}
	if x.Host == c.config.Name {
		if first && !l.Deleted && len(e.own) < maxElsewhere {
			e.own = append(e.own, lostMatch{id, entry.Revision(), l.Sequence, x})
		}
		return nil
	}
	k := e.known[id]
	switch {
	case k == nil && len(e.known) >= maxElsewhere:
		return errMany
	case k == nil:
		k = &known{host: x.Host}
		e.known[id] = k
	case k.host != x.Host:
		return errors.New("a match cannot move to another host")
	case l.Sequence < k.sequence:
		return nil
	}
	k.epoch, k.seen, k.revision = e.epoch, time.Now(), entry.Revision()
	if l.Sequence > k.sequence {
		k.sequence = l.Sequence
		c.applyLocked(id, k, x, l.Listing, l.Deleted)
	}
	return nil
}

// applyLocked gives a listing to the lobby if it has changed.
func (c *Cluster) applyLocked(id string, k *known, x lobby.Listing, encoded []byte, deleted bool) {
	sum := sha256.Sum256(encoded)
	if changed := sum != k.sum; changed && !(deleted && k.listing.Info.ID == "") { // a match that was never listed here needs no end
		c.lobby.SetElsewhere(x)
	}
	if deleted {
		c.lobby.ForgetElsewhere(id)
	}
	k.sum, k.gone, k.deleted, k.listing = sum, x.Gone, deleted, x
	if deleted {
		k.listing = lobby.Listing{}
	}
}

// sweep forgets matches that were listed before the last reconnect, if their host has
// listed all its matches since and not these, and matches that were not listed again
// within forgetMatch.
func (c *Cluster) sweep() {
	if !c.Connected() {
		return
	}
	e := &c.elsewhere
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	complete := c.hosts.complete(e.id, c.times.sweepDelay)
	for id, k := range e.known {
		since := k.seen
		if since.Before(e.since) {
			since = e.since
		}
		if now.Sub(since) > forgetMatch || k.epoch != e.epoch && complete[k.host] && now.Sub(e.since) > c.times.sweepDelay {
			delete(e.known, id)
			c.lobby.ForgetElsewhere(id)
		}
	}
}

// Owner returns the host of a match that waits or runs. Empty: this host, or unknown. With
// an error, another host might have the match.
func (c *Cluster) Owner(ctx context.Context, id string) (host string, err error) {
	if x, ok := c.lobby.Elsewhere(id); ok {
		return ownerOf(x), nil
	}
	if !lobby.ValidID(id) || c.listings.has(id) {
		return "", nil
	}
	b := c.buckets.Load()
	if b == nil || !c.Connected() {
		return "", errNoConnection
	}
	// A client can know a match a moment before its listing arrives here.
	ctx, cancel := context.WithTimeout(ctx, ownerTimeout)
	defer cancel()
	entry, err := b.matches.Get(ctx, id)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return "", nil
	case err != nil:
		return "", err
	case entry.Operation() != jetstream.KeyValuePut:
		return "", nil
	}
	if err := c.setMatch(entry, false); err != nil {
		c.refuse("listing of a match", id, err)
		return "", nil
	}
	x, _ := c.lobby.Elsewhere(id)
	return ownerOf(x), nil
}

func ownerOf(x lobby.Listing) string {
	if x.Gone {
		return ""
	}
	return x.Host
}

// endOwn ends the listings of matches that this host lost at its last start.
func (c *Cluster) endOwn(ctx context.Context, b *buckets) {
	e := &c.elsewhere
	e.mu.Lock()
	own := e.own
	e.own = nil
	e.mu.Unlock()
	for _, o := range own {
		if !c.listings.has(o.id) {
			c.endListing(ctx, b, o.id, o.listing, o.sequence+1, o.revision)
		}
	}
}

// endMatches ends the matches of a host that was fenced: in this host's lobby, and in
// NATS for hosts that have not seen their listings.
func (c *Cluster) endMatches(ctx context.Context, host string) {
	e := &c.elsewhere
	e.mu.Lock()
	var dead []lostMatch
	for id, k := range e.known {
		if k.host != host || k.gone || k.deleted {
			continue
		}
		x := ended(k.listing)
		if k.epoch == e.epoch {
			dead = append(dead, lostMatch{id, k.revision, k.sequence, k.listing})
		}
		k.sequence++
		if encoded, err := json.Marshal(x); err == nil {
			c.applyLocked(id, k, x, encoded, !kept(x))
		}
	}
	for _, x := range c.lobby.AllElsewhere() {
		if x.Host == host && !x.Gone { // see lobby.Expect: its host died before it listed the match
			c.lobby.SetElsewhere(ended(x))
			c.lobby.ForgetElsewhere(x.Info.ID)
		}
	}
	e.mu.Unlock()
	b := c.buckets.Load()
	if b == nil {
		return
	}
	for _, d := range dead {
		c.endListing(ctx, b, d.id, d.listing, d.sequence+1, d.revision)
	}
}

// ended returns the listing of a match of a dead host.
func ended(x lobby.Listing) lobby.Listing {
	x.Gone, x.Reason = true, hostStopped
	return x
}

// endListing ends the listing of a lost match in NATS, unless it has changed. If that
// fails, NATS forgets it later.
func (c *Cluster) endListing(ctx context.Context, b *buckets, id string, x lobby.Listing, sequence int64, revision uint64) {
	if !x.Gone {
		x = ended(x)
	}
	sealed, err := c.sealListing(id, x, !kept(x), sequence)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, putTimeout)
	defer cancel()
	if _, err := b.matches.Update(ctx, id, sealed, revision); err != nil {
		c.log.Debug("the listing of a match of a dead host stays", "match", id, "error", err)
	}
}
