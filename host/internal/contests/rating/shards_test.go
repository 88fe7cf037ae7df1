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

// Pairs of the first matches are found by sorting, and later ones in a map.
func TestPairsAreTheSameAtOnceAndOneByOne(t *testing.T) {
	list := append(world(50, 2000, 2, true), world(50, 100, 3, false)...)
	now := time.Unix(1_700_000_000, 0)
	for i := range list {
		list[i].At = now.Add(time.Duration(i) * time.Hour)
		if i%3 == 0 {
			list[i].Sample = int64(1 + i%7)
		}
	}
	ledgerOf := func(step int) *ledger {
		l := newLedger(24 * time.Hour)
		for rest := range slices.Chunk(list, step) {
			if err := l.add(50, rest); err != nil {
				t.Fatal(err)
			}
		}
		l.sort()
		return l
	}
	want := ledgerOf(1)
	for _, step := range []int{700, len(list)} {
		got := ledgerOf(step)
		if !slices.Equal(got.pairs, want.pairs) || !slices.Equal(got.manys, want.manys) || got.ties != want.ties || !slices.Equal(got.played, want.played) {
			t.Errorf("got another ledger with %d matches at once than with one, want the same", step)
		}
	}
}
