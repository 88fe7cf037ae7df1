package rendered

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestAValueIsMadeAgainOnlyWhenItsKeyChanges(t *testing.T) {
	var c Cache[int, int]
	key, made := 1, 0
	get := func() int {
		v, err := c.Get(func() int { return key }, func() (int, error) { made++; return made, nil })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, step := range []struct{ key, want int }{{1, 1}, {1, 1}, {2, 2}, {2, 2}, {1, 3}} {
		key = step.key
		if got := get(); got != step.want {
			t.Errorf("with the key %d the value %d, want %d", step.key, got, step.want)
		}
	}
}

func TestAnErrorIsNotKept(t *testing.T) {
	var c Cache[int, int]
	key := func() int { return 1 }
	if _, err := c.Get(key, func() (int, error) { return 0, errors.New("no") }); err == nil {
		t.Error("no error")
	}
	if v, err := c.Get(key, func() (int, error) { return 5, nil }); v != 5 || err != nil {
		t.Errorf("got %d, %v, want 5", v, err)
	}
}

// However fast the key changes, those who wait share one making, which began
// after they came.
func TestThoseWhoWaitShareTheNextMaking(t *testing.T) {
	const readers = 100
	var c Cache[int64, int64]
	var state atomic.Int64
	looked := make(chan struct{}, 3*readers)
	key := func() int64 { // changes with each look
		looked <- struct{}{}
		return state.Add(1)
	}
	var made atomic.Int64
	making, goOn := make(chan struct{}, readers), make(chan struct{})
	build := func() (int64, error) {
		made.Add(1)
		now := state.Load()
		making <- struct{}{}
		<-goOn
		return now, nil
	}
	var all sync.WaitGroup
	read := func() {
		came := state.Load()
		if v, err := c.Get(key, build); v < came || err != nil {
			t.Errorf("got the state %d, %v, which is older than %d", v, err, came)
		}
	}
	all.Go(read) // so that there is something kept, at which the others look first
	<-making
	goOn <- struct{}{}
	all.Wait()
	all.Go(read)
	<-making
	for len(looked) > 0 {
		<-looked
	}
	for range readers {
		all.Go(read)
	}
	for range readers { // all have come
		<-looked
	}
	close(goOn)
	all.Wait()
	if got := made.Load(); got != 3 {
		t.Errorf("it was made %d times, want 3", got)
	}
}
