package gamedir

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestFolderThatDoesNotAnswerBlocksOneVisitOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var answered, looks atomic.Int32
		v := NewVisits(func() { answered.Add(1) })
		mount := make(chan struct{})
		visit := func() (int, time.Duration, error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			begin := time.Now()
			n, err := Visit(ctx, v, func() int { looks.Add(1); <-mount; return 7 })
			return n, time.Since(begin), err
		}
		if _, took, err := visit(); !errors.Is(err, ErrSilent) || took != time.Second {
			t.Errorf("the first visit ended after %v with %v, want %v after a second", took, err, ErrSilent)
		}
		for range 3 {
			if _, took, err := visit(); !errors.Is(err, ErrSilent) || took != 0 {
				t.Errorf("another visit ended after %v with %v, want %v at once", took, err, ErrSilent)
			}
		}
		if looks.Load() != 1 || answered.Load() != 0 {
			t.Errorf("there were %d looks and %d answers, want 1 and 0", looks.Load(), answered.Load())
		}
		close(mount)
		synctest.Wait()
		if n, _, err := visit(); n != 7 || err != nil || answered.Load() != 1 {
			t.Errorf("the next visit returned %d, %v after %d answers, want 7, no error and 1", n, err, answered.Load())
		}
	})
}

func TestVisitsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := NewVisits(func() { t.Error("answers was called, want no call") })
		inside := 0
		var visitors sync.WaitGroup
		for range 10 {
			visitors.Go(func() {
				_, err := Visit(t.Context(), v, func() bool {
					if inside++; inside != 1 {
						t.Errorf("%d look at the same time, want 1", inside)
					}
					<-time.After(time.Second)
					inside--
					return true
				})
				if err != nil {
					t.Errorf("got %v, want no error", err)
				}
			})
		}
		visitors.Wait()
	})
}
