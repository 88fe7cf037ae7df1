package cluster

import (
	"context"
	"time"

	"colosseum/host/internal/base/config"
)

// standIn finds out, until ctx ends, whether this host stands in for all while none is
// connected to NATS. Hosts with NATS share a lock in PostgreSQL, which one without it can
// have alone.
func (c *Cluster) standIn(ctx context.Context) {
	var lock Lock // nil: none
	var alone bool
	release := func() {
		c.standsIn.Store(false)
		if lock != nil {
			lock.Release()
			lock = nil
		}
	}
	defer release()
	for ; ctx.Err() == nil; c.pause(ctx, c.times.tick) {
		if lock != nil {
			select {
			case <-lock.Lost():
				release()
			default:
			}
		}
		cut := !c.answered()
		if lock != nil && alone != cut || c.drains() {
			release()
		}
		if lock != nil || c.drains() || cut && c.config.Runner { // which serves no clients
			continue
		}
		take := c.table.WithNATS
		if cut {
			take = c.table.StandIn
		}
		err := c.ask(ctx, func(ctx context.Context) (err error) {
			lock, err = take(ctx)
			return err
		})
		if err != nil && ctx.Err() == nil {
			c.rarely.warn("could not ask PostgreSQL which hosts have NATS", "error", err)
		}
		alone = cut
		if lock != nil && alone {
			c.standsIn.Store(true)
			c.log.Warn("no host is connected to NATS: this one stands in for all, and takes the new clients")
		}
	}
}

// yields reports whether this host leaves new clients to another one, because it is not
// connected to NATS. It waits until one host can stand in for all, so that not all yield.
func (c *Cluster) yields() bool {
	if time.Duration(c.silent.Load()) < 2*natsCut {
		return false
	}
	switch c.config.WithoutNATS {
	case config.ReadyAll:
		return false
	case config.ReadyNone:
		return true
	default:
		return !c.standsIn.Load()
	}
}
