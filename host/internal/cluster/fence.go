package cluster

import (
	"context"
	"errors"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

const tableTimeout = 5 * time.Second // of one statement

// beat beats until ctx ends. If another host has fenced this one, it aborts the matches
// and begins again.
func (c *Cluster) beat(ctx context.Context) {
	fenced := false // and not renewed yet
	for ; ctx.Err() == nil; c.pause(ctx, c.times.tick) {
		err := c.ask(ctx, c.table.Beat)
		if errors.Is(err, record.ErrFenced) {
			if !fenced {
				fenced = true
				c.counts.wasFenced.Add(1)
				c.log.Error("another host has fenced this one and recorded its running matches as aborted: aborting them, and beginning again")
			}
			if c.sources.Fenced != nil {
				c.sources.Fenced()
			}
			if err = c.ask(ctx, c.table.Renew); err == nil {
				fenced = false
				c.listings.begin(c.elsewhere.buckets()) // the others have ended our listings
			}
		}
		if err != nil && ctx.Err() == nil {
			c.rarely.warn("could not write a sign of life to PostgreSQL", "error", err)
		}
	}
}

// ask calls f with a timeout.
func (c *Cluster) ask(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, tableTimeout)
	defer cancel()
	return f(ctx)
}

// observe looks for dead hosts and fences them, until ctx ends. All hosts do this; the
// table decides which one is first.
func (c *Cluster) observe(ctx context.Context) {
	o := observer{silent: c.times.silent, hosts: map[string]*observed{}}
	for ; ctx.Err() == nil; c.pause(ctx, c.times.tick) {
		var rows []store.HostRow
		err := c.ask(ctx, func(ctx context.Context) (err error) {
			rows, err = c.table.List(ctx)
			return err
		})
		if err != nil && ctx.Err() == nil {
			c.rarely.warn("could not read the list of hosts in PostgreSQL", "error", err)
		}
		if err != nil || !c.Connected() {
			o.failed()
			continue
		}
		dead, ended := o.look(time.Now(), rows, c.config.Name, c.hosts.heard)
		for _, row := range dead {
			if c.fence(ctx, row) {
				ended = append(ended, row.Name)
			}
		}
		for _, name := range ended {
			c.hosts.forget(name)
			c.endMatches(ctx, name)
			if c.sources.Ended != nil {
				c.sources.Ended(name)
			}
		}
	}
}

// fence fences a dead host, and reports whether this host did so.
func (c *Cluster) fence(ctx context.Context, row store.HostRow) bool {
	var aborted []string
	var fenced bool
	err := c.ask(ctx, func(ctx context.Context) (err error) {
		aborted, fenced, err = c.table.Fence(ctx, row)
		return err
	})
	if err != nil {
		c.log.Error("could not record the matches of a dead host as aborted: trying again", "host", row.Name, "error", err)
		return false
	}
	switch {
	case fenced && len(aborted) == 0 && c.hosts.hasLeft(row.Name):
		c.log.Debug("fenced a host that has stopped", "host", row.Name)
	case fenced:
		c.counts.fenced.Add(1)
		c.log.Warn("a host is dead: its running matches are recorded as aborted", "host", row.Name, "matches", len(aborted))
	}
	return fenced
}

// observer measures for how long each host has given no sign of life, neither in
// PostgreSQL nor in NATS. It is for one goroutine.
type observer struct {
	silent time.Duration // after which a host is dead
	last   time.Time     // the last look; zero: it failed
	hosts  map[string]*observed
}

// observed is one host.
type observed struct {
	row    store.HostRow
	heard  time.Time     // in NATS
	silent time.Duration // the sum of the time between two looks that succeeded, since the last sign of life
	ended  bool          // it was fenced, and has given no sign of life since
}

// maxBetween is how much of the time between two looks counts at most, so that a host that
// was frozen does not take the others for dead.
const maxBetween = 2 * time.Second

// failed records that a look failed, or that there is no connection to NATS. The time
// until the next look does not count.
func (o *observer) failed() { o.last = time.Time{} }

// look compares the table with the last look. It returns the hosts that are dead, and
// those that were fenced or have left since the last look.
func (o *observer) look(now time.Time, rows []store.HostRow, self string, heard func(name string) time.Time) (dead []store.HostRow, ended []string) {
	var between time.Duration
	if !o.last.IsZero() {
		between = min(now.Sub(o.last), maxBetween)
	}
	o.last = now
	listed := map[string]bool{}
	for _, row := range rows {
		if row.Name == self {
			continue
		}
		listed[row.Name] = true
		h := o.hosts[row.Name]
		at := heard(row.Name)
		if h == nil {
			o.hosts[row.Name] = &observed{row: row, heard: at}
			continue
		}
		before, signs := h.row, at.After(h.heard) || row.Beat != h.row.Beat
		h.row, h.heard = row, at
		switch {
		case signs:
			h.silent, h.ended = 0, false
		case h.ended:
		case row.Generation != before.Generation && h.silent >= o.silent/2:
			// A host that starts also begins a generation, a moment before its first beat.
			h.ended = true
			ended = append(ended, row.Name)
		case row.Generation != before.Generation:
			h.silent = 0
		default:
			if h.silent += between; h.silent >= o.silent {
				dead = append(dead, row)
			}
		}
	}
	for name, h := range o.hosts {
		if listed[name] {
			continue
		}
		delete(o.hosts, name)
		if !h.ended {
			ended = append(ended, name)
		}
	}
	return dead, ended
}
