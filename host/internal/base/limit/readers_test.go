package limit

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestLongWorkIsDoneInTheOrderOfTheCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &Readers{slots: make(chan struct{}, 1)}
		first, ok := r.Work(t.Context())
		if !ok {
			t.Fatal("got no slot, want the free one")
		}
		var order []int // guarded by the slot
		for i := range maxWaiting {
			go func() { // ends with its work
				if done, ok := r.Work(t.Context()); ok {
					order = append(order, i)
					done()
				}
			}()
			synctest.Wait()
		}
		if _, ok := r.Work(t.Context()); ok {
			t.Errorf("got a slot behind %d others, want a refusal", maxWaiting)
		}
		connection := make(chan bool, 1)
		go func() { // ends with its work
			done, ok := r.WorkOfConnection(t.Context())
			done()
			connection <- ok
		}()
		synctest.Wait()
		first()
		synctest.Wait()
		for i, got := range order {
			if got != i {
				t.Fatalf("got the order %v, want that of the calls", order)
			}
		}
		if len(order) != maxWaiting || r.waiting.Load() != 0 || len(r.slots) != 0 {
			t.Errorf("%d worked, %d wait, %d slots are taken, want %d, 0 and 0", len(order), r.waiting.Load(), len(r.slots), maxWaiting)
		}
		if !<-connection {
			t.Error("a connection is refused, want it to wait behind all others")
		}
		ended, cancel := context.WithCancel(t.Context())
		done, _ := r.Work(t.Context())
		cancel()
		if _, ok := r.Work(ended); ok {
			t.Error("got a slot for an ended context, want a refusal")
		}
		done()
	})
}

func TestSlotRestsAsLongAsItWasTakenButNotLong(t *testing.T) {
	for worked, want := range map[time.Duration]time.Duration{
		cooldownAfter / 2: 0, 10 * time.Millisecond: 10 * time.Millisecond, time.Minute: maxCooldown,
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &Readers{slots: make(chan struct{}, 1)}
			done, _ := r.Work(t.Context())
			time.Sleep(worked)
			done()
			began := time.Now()
			done, ok := r.Work(t.Context())
			if got := time.Since(began); !ok || got != want {
				t.Errorf("after %v of work: got a slot %t after %v, want one after %v", worked, ok, got, want)
			}
			done()
		})
	}
}

func TestReadersLeaveHalfOfTheProcessors(t *testing.T) {
	processors := runtime.GOMAXPROCS(0)
	if got := cap(NewReaders(0).slots); got < 1 || got > max(1, processors/2) {
		t.Errorf("got %d slots with %d processors, want 1 or at most half of them", got, processors)
	}
}
