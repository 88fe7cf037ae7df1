package catalog

import (
	"context"
	"sync"
	"time"
)

// gate lets a few games at a time do what takes much of the machine. One that
// is inside for longer than a turn keeps nobody out any more: it may hang.
type gate struct {
	places chan struct{} // as many as may be inside; full: others wait
	turn   time.Duration
}

func newGate(places int, turn time.Duration) gate {
	return gate{make(chan struct{}, places), turn}
}

// enter waits for a place, until ctx ends. Leave may be called more than once.
func (g gate) enter(ctx context.Context) (leave func(), err error) {
	select {
	case g.places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	free := sync.OnceFunc(func() { <-g.places })
	timer := time.AfterFunc(g.turn, free)
	return func() { timer.Stop(); free() }, nil
}
