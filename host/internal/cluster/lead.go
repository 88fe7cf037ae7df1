package cluster

import (
	"context"
	"time"
)

// Lead calls lead whenever this host has become the leader, with a context that ends
// when it no longer is. It returns when ctx has ended or Drain was called, and lead has
// returned. Lead must return soon after its context has ended. A runner never leads.
func (c *Cluster) Lead(ctx context.Context, lead func(ctx context.Context)) {
	if c.config.Runner {
		<-ctx.Done()
		return
	}
	for ctx.Err() == nil && !c.drains() {
		if c.Connected() {
			asking, cancel := context.WithTimeout(ctx, 5*time.Second)
			lock, err := c.table.Lead(asking)
			cancel()
			switch {
			case err != nil && ctx.Err() == nil:
				c.rarely.warn("could not ask PostgreSQL which host leads", "error", err)
			case lock != nil:
				c.leadWith(ctx, lock, lead)
			}
		}
		c.pause(ctx, c.times.tick)
	}
}

// leadWith runs lead as long as this host leads.
func (c *Cluster) leadWith(ctx context.Context, lock Lock, lead func(ctx context.Context)) {
	defer lock.Release()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.log.Info("this host leads: it pairs the players that serve and plays the contests")
	c.leads.Store(true)
	c.listNow()
	done := make(chan struct{})
	go func() { // ends with lead, which ends with ctx
		defer close(done)
		lead(ctx)
	}()
	reason := c.leadership(ctx, lock, done)
	cancel()
	<-done
	c.leads.Store(false)
	c.listNow()
	c.log.Info("this host no longer leads", "reason", reason)
}

// leadership waits for the end of the leadership and returns its reason.
func (c *Cluster) leadership(ctx context.Context, lock Lock, done <-chan struct{}) string {
	look := time.NewTicker(hearEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return "the host stops"
		case <-c.draining:
			return "the host stops"
		case <-done:
			return "its work has ended"
		case <-lock.Lost():
			return "the connection to PostgreSQL is lost"
		case <-look.C:
			if !c.answered() {
				return "NATS does not answer"
			}
		}
	}
}
