package rendered

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestValueIsBuiltAgainOnlyWhenItsKeyChanges(t *testing.T) {
	var c Cache[int, int]
	key, built := 1, 0
	get := func() int {
		v, err := c.Get(func() int { return key }, func() (int, error) { built++; return built, nil })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, step := range []struct{ key, want int }{{1, 1}, {1, 1}, {2, 2}, {2, 2}, {1, 3}} {
		key = step.key
		if got := get(); got != step.want {
			t.Errorf("with key %d: got %d, want %d", step.key, got, step.want)
		}
	}
}

func TestErrorIsNotKept(t *testing.T) {
	var c Cache[int, int]
	key := func() int { return 1 }
	if _, err := c.Get(key, func() (int, error) { return 0, errors.New("no") }); err == nil {
		t.Error("got no error, want one")
	}
	if v, err := c.Get(key, func() (int, error) { return 5, nil }); v != 5 || err != nil {
		t.Errorf("got %d, %v, want 5", v, err)
	}
}

// Although the key changes with each call, all waiting calls share one build, which
// starts after the last of them.
func TestWaitingCallsShareTheNextBuild(t *testing.T) {
	const readers = 100
	var c Cache[int64, int64]
	var state atomic.Int64
	keyed := make(chan struct{}, 3*readers) // one for each call of key
	key := func() int64 {
		keyed <- struct{}{}
		return state.Add(1)
	}
	var builds atomic.Int64
	building, proceed := make(chan struct{}, readers), make(chan struct{})
	build := func() (int64, error) {
		builds.Add(1)
		now := state.Load()
		building <- struct{}{}
		<-proceed
		return now, nil
	}
	var all sync.WaitGroup
	read := func() {
		before := state.Load()
		if v, err := c.Get(key, build); v < before || err != nil {
			t.Errorf("got state %d, %v, want at least %d", v, err, before)
		}
	}
	all.Go(read) // so that a value is kept
	<-building
	proceed <- struct{}{}
	all.Wait()
	all.Go(read)
	<-building
	for len(keyed) > 0 {
		<-keyed
	}
	for range readers {
		all.Go(read)
	}
	for range readers { // all wait
		<-keyed
	}
	close(proceed)
	all.Wait()
	if got := builds.Load(); got != 3 {
		t.Errorf("there were %d builds, want 3", got)
	}
}
