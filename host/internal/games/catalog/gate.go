package catalog

import (
	"context"
	"sync"
	"time"
)

// gate limits how many games use much of the machine at a time. Each keeps its place
// for at most the time stay, because it might hang; 0: until it leaves.
type gate struct {
	places chan struct{} // one for each game at work; full: others wait
	stay   time.Duration
}

func newGate(places int, stay time.Duration) gate {
	return gate{make(chan struct{}, places), stay}
}

// enter waits for a place until ctx ends. Leave gives it back; it can be called
// more than once.
func (g gate) enter(ctx context.Context) (leave func(), err error) {
	select {
	case g.places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	free := sync.OnceFunc(func() { <-g.places })
	if g.stay == 0 {
		return free, nil
	}
	timer := time.AfterFunc(g.stay, free)
	return func() { timer.Stop(); free() }, nil
}
