package cluster

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestLeaderGivesUpWhenTheNetworkDropsEverything has a connection that stays open.
func TestLeaderGivesUpWhenTheNetworkDropsEverything(t *testing.T) {
	t.Parallel()
	for name, flush := range map[string]func(context.Context) error{
		"dropped":      func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"disconnected": func(context.Context) error { return errors.New("no connection") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &Cluster{draining: make(chan struct{})}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				start := time.Now()
				cut := func() bool { return time.Since(start) > 10*time.Second }
				go c.hear(ctx, func(ctx context.Context) error { // ends with ctx
					if cut() {
						return flush(ctx)
					}
					return nil
				})
				got := c.leadership(ctx, &fakeLock{lost: make(chan struct{})}, nil)
				if took := time.Since(start) - 10*time.Second; got != "NATS does not answer" || took < natsCut-time.Second || took > natsCut+time.Second {
					t.Errorf("got %q after %v without an answer, want that NATS does not answer after about %v", got, took, natsCut)
				}
			})
		})
	}
}
