package poll

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// failing is a test that records how it fails.
type failing struct {
	testing.TB
	log []string
}

type stopped struct{}

func (f *failing) Helper() {}

func (f *failing) Logf(format string, a ...any) { f.log = append(f.log, fmt.Sprintf(format, a...)) }

func (f *failing) Fatalf(format string, a ...any) { f.Logf(format, a...); panic(stopped{}) }

func TestWaitsEndWithWhatTheyWaitedFor(t *testing.T) {
	seen := func() any { return "two players" }
	for _, tt := range []struct {
		name string
		wait func(t testing.TB)
	}{
		{"until", func(t testing.TB) { Until(t, "three players are there", func() bool { return false }, seen) }},
		{"receive", func(t testing.TB) { Receive(t, "three players are there", make(chan int), seen) }},
		{"on", func(t testing.TB) {
			changed := sync.NewCond(new(sync.Mutex))
			changed.L.Lock()
			defer changed.L.Unlock()
			On(t, changed, "three players are there", func() bool { return false }, seen)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, begun := &failing{}, time.Now()
				func() {
					defer func() {
						if r := recover(); r != (stopped{}) {
							t.Errorf("got %v, want that the wait fails", r)
						}
					}()
					tt.wait(f)
				}()
				want := fmt.Sprint([]string{"seen: two players", "waited 3m0s until three players are there"})
				if fmt.Sprint(f.log) != want {
					t.Errorf("got the log %q, want %s", f.log, want)
				}
				if took := time.Since(begun); took < Limit || took > Limit+time.Second {
					t.Errorf("it took %v, want %v", took, Limit)
				}
			})
		})
	}
}

func TestWaitsReturnWhenTheEventComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, arrived, changed := time.Now(), make(chan int, 1), sync.NewCond(new(sync.Mutex))
		there := false
		time.AfterFunc(time.Second, func() {
			arrived <- 7
			changed.L.Lock()
			defer changed.L.Unlock()
			there = true
			changed.Broadcast()
		})
		if got := Receive(t, "a number", arrived); got != 7 {
			t.Errorf("got %d, want 7", got)
		}
		changed.L.Lock()
		On(t, changed, "it is there", func() bool { return there })
		changed.L.Unlock()
		Until(t, "it is there", func() bool {
			changed.L.Lock()
			defer changed.L.Unlock()
			return there
		})
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("it took %v, want a second", took)
		}
	})
}
