package catalog

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestGateLetsAFewInAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(2, time.Minute)
		begin := time.Now()
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				leave, err := g.enter(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				<-time.After(time.Second)
				leave()
				leave()
			})
		}
		all.Wait()
		if d := time.Since(begin); d != 3*time.Second {
			t.Errorf("six took %v, want 3s for two at a time", d)
		}
		if n := len(g.places); n != 0 {
			t.Errorf("%d places are taken, want none", n)
		}
	})
}

func TestSlowGameGivesItsPlaceBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(2, time.Minute)
		for range 2 {
			if _, err := g.enter(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		begin := time.Now()
		leave, err := g.enter(t.Context())
		if d := time.Since(begin); err != nil || d != time.Minute {
			t.Errorf("the third entered after %v, %v, want a minute", d, err)
		}
		leave()
	})
}

func TestWaitingAtAGateEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1, time.Minute)
		leave, err := g.enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := g.enter(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
	})
}
