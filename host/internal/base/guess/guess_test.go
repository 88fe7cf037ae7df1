package guess

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func wrong() bool { return false }
func right() bool { return true }

// check tries once and compares the outcome.
func check(t *testing.T, l *Limiter, address, secret string, right func() bool, want error) {
	t.Helper()
	if got := l.Try(address, secret, right); !errors.Is(got, want) {
		t.Errorf("%q at %q: got %v, want %v", address, secret, got, want)
	}
}

func TestWrongTriesOfAnAddressAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{Address: 3})
		for i := range 3 {
			check(t, l, "a", fmt.Sprint(i), wrong, ErrWrong) // at different secrets
		}
		asked := func() bool { t.Error("right was called beyond the limit, want no call"); return true }
		check(t, l, "a", "0", asked, ErrAddress)
		check(t, l, "a", "9", asked, ErrAddress)
		check(t, l, "b", "0", wrong, ErrWrong)
		time.Sleep(period / 3)
		check(t, l, "a", "0", right, nil)
		check(t, l, "a", "0", wrong, ErrWrong)
		check(t, l, "a", "0", asked, ErrAddress)
	})
}

func TestManyAddressesShareTheTriesAtOneSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{Address: 2, Secret: 5})
		for i := range 5 {
			check(t, l, fmt.Sprint(i), "s", wrong, ErrWrong)
		}
		check(t, l, "9", "s", right, ErrSecret)
		check(t, l, "", "s", right, ErrSecret)
		check(t, l, "9", "other", right, nil)
		time.Sleep(period / 5)
		check(t, l, "9", "s", right, nil)
	})
}

func TestRightTriesAreNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{Address: 1, Secret: 1})
		for range 100 {
			check(t, l, "a", "s", right, nil)
		}
		check(t, l, "a", "s", wrong, ErrWrong)
	})
}

func TestWithoutLimitsAnyNumberOfTriesIsAllowed(t *testing.T) {
	tests := []struct {
		name, address, secret string
		limits                Limits
	}{
		{"limits of 0", "a", "s", Limits{}},
		{"no address", "", "s", Limits{Address: 1}},
		{"no address and no secret", "", "", Limits{Address: 1, Secret: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := New(tt.limits)
			for range 100 {
				check(t, l, tt.address, tt.secret, wrong, ErrWrong)
			}
			if n := len(l.addresses) + len(l.secrets); n != 0 {
				t.Errorf("%d addresses and secrets are remembered, want none", n)
			}
		})
	}
}

func TestTriesAtTheSameTimeDoNotExceedTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{Address: 10})
		var compared atomic.Int64
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() { _ = l.Try("a", "s", func() bool { compared.Add(1); return false }) })
		}
		all.Wait()
		if n := compared.Load(); n != 10 {
			t.Errorf("%d tries were compared, want 10", n)
		}
	})
}

func TestOldTriesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{Address: 2, Secret: 2})
		for i := range 100 {
			_ = l.Try(fmt.Sprint(i), fmt.Sprint(-i), wrong)
		}
		time.Sleep(period)
		check(t, l, "a", "s", wrong, ErrWrong)
		if a, s := len(l.addresses), len(l.secrets); a != 1 || s != 1 {
			t.Errorf("%d addresses and %d secrets are remembered, want 1 and 1", a, s)
		}
	})
}

func TestNewLimitsApplyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{Address: 1})
		check(t, l, "a", "s", wrong, ErrWrong)
		l.SetLimits(Limits{Address: 1}) // the same, so nothing is forgotten
		check(t, l, "a", "s", wrong, ErrAddress)
		l.SetLimits(Limits{Address: 2})
		check(t, l, "a", "s", wrong, ErrWrong)
		check(t, l, "a", "s", wrong, ErrWrong)
		check(t, l, "a", "s", wrong, ErrAddress)
	})
}
