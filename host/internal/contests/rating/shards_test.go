package rating

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestNumberOfProcessorsDoesNotMatter(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	list := append(world(300, 4000, 4, false), world(300, 4000, 2, false)...)
	want := fitOf(t, 300, list, Options{})
	for _, n := range []int{2, 3, 8} {
		runtime.GOMAXPROCS(n)
		if got := fitOf(t, 300, list, Options{}); !slices.Equal(got.Estimates, want.Estimates) || !slices.Equal(got.Ties, want.Ties) {
			t.Errorf("got other ratings with %d processors than with one, want the same", n)
		}
	}
}

// Without an anchor the mean of an inexact step once kept it from ending.
func TestNewtonEndsWithManyPlayers(t *testing.T) {
	l := newLedger(0)
	if err := l.add(300, world(300, 4000, 4, false)); err != nil {
		t.Fatal(err)
	}
	l.sort()
	if l.shards() < 2 {
		t.Fatal("got one shard, want several: take more matches")
	}
	if f := newFit(l, &Options{}, time.Time{}); !f.newton() {
		t.Error("got no maximum, want one")
	}
}
