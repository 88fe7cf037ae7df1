package pairing

import (
	"math"
	"testing"

	"colosseum/internal/test/long"
)

// violations is what a Swiss round should have as little as possible of, in the order
// of importance.
type violations [4]float64

func (v violations) plus(o violations) violations {
	for i := range v {
		v[i] += o[i]
	}
	return v
}

func (v violations) less(o violations) bool {
	for i := range v {
		if math.Abs(v[i]-o[i]) > 1e-9 {
			return v[i] < o[i]
		}
	}
	return false
}

// rules counts violations slowly, from nothing but the history.
type rules struct {
	h      *History
	points []float64
}

func newRules(h *History) *rules {
	r := &rules{h: h, points: make([]float64, len(h.Entrants))}
	played(h, func(p *Played) {
		for i, n := range p.Entrants {
			r.points[n] += h.Total(p)[i]
		}
	})
	return r
}

func (r *rules) pair(a, b int) (v violations) {
	played(r.h, func(p *Played) {
		if contains(p, a) && contains(p, b) {
			v[0]++
		}
	})
	if x := r.fixed(a); x != 0 && x == r.fixed(b) && r.h.Legs%2 == 1 {
		v[1]++
	}
	v[3] = (r.points[a] - r.points[b]) * (r.points[a] - r.points[b])
	return v
}

// fixed returns the seat that an entrant must have, +1 or -1, or 0.
func (r *rules) fixed(n int) int {
	var had []int
	played(r.h, func(p *Played) {
		for i, x := range p.Entrants {
			if x == n && !p.Bye() && !p.Unplayed() {
				had = append(had, 1-2*i)
			}
		}
	})
	sum := 0
	for _, x := range had {
		sum += x
	}
	if sum >= 2 {
		return -1
	}
	if sum <= -2 {
		return 1
	}
	if k := len(had); k >= 2 && had[k-1] == had[k-2] {
		return -had[k-1]
	}
	return 0
}

func (r *rules) bye(n int) (v violations) {
	played(r.h, func(p *Played) {
		for i, x := range p.Entrants {
			if x == n && (p.Bye() || p.Unplayed() && r.h.Total(p)[i] == float64(r.h.Legs)) {
				v[0]++
			}
		}
	})
	v[2] = 1 // times the rank of its points
	for _, m := range r.h.active() {
		distinct := true
		for _, k := range r.h.active() {
			distinct = distinct && !(k < m && r.points[k] == r.points[m])
		}
		if r.points[m] < r.points[n] && distinct {
			v[2]++
		}
	}
	return v
}

// best returns the fewest violations that a round can have.
func (r *rules) best(left []int) violations {
	if len(left) == 0 {
		return violations{}
	}
	best := violations{math.Inf(1)}
	try := func(v violations, rest []int) {
		if v = v.plus(r.best(rest)); v.less(best) {
			best = v
		}
	}
	without := func(skip int) (rest []int) {
		for i, n := range left {
			if i != 0 && i != skip {
				rest = append(rest, n)
			}
		}
		return rest
	}
	if len(left)%2 == 1 {
		for i := range left {
			rest := append(append([]int{}, left[:i]...), left[i+1:]...)
			try(r.bye(left[i]), rest)
		}
		return best
	}
	for i := 1; i < len(left); i++ {
		try(r.pair(left[0], left[i]), without(i))
	}
	return best
}

func TestSwissRoundBreaksAsFewRulesAsPossible(t *testing.T) {
	contests(t, Swiss, 800, []int{2, 3, 4, 5, 6, 7}, func(a *arena) {
		if len(a.h.Entrants) > 7 {
			a.h.Entrants = newHistory(Swiss, 2+a.r.IntN(6)).Entrants
		}
		a.h.Rounds = 1 + a.r.IntN(8) // more than there are opponents
		a.run(func(next []Pairing) {
			a.everybody(next)
			if len(a.h.active()) > 7 {
				return // too many to try all rounds
			}
			r := newRules(a.h)
			var got violations
			for _, p := range next {
				if p.Bye() {
					got = got.plus(r.bye(p.Entrants[0]))
				} else {
					got = got.plus(r.pair(p.Entrants[0], p.Entrants[1]))
				}
			}
			if want := r.best(a.h.active()); want.less(got) {
				t.Fatalf("round %d of %d entrants: got the violations %v, want %v", next[0].Round+1, len(a.h.Entrants), got, want)
			}
		})
	})
}

func TestSwissKeepsTheBasicRules(t *testing.T) {
	floats, pairs, unbalanced := 0, 0, 0
	contests(t, Swiss, 200, []int{200, 1000, 64}, func(a *arena) {
		byes := map[int]int{}
		if len(a.h.Entrants) >= 1000 {
			a.h.Rounds = 4
		}
		a.run(func(next []Pairing) {
			a.everybody(next)
			r := newRules(a.h)
			met := a.h.encounters()
			last := math.Inf(1)
			for i, p := range next {
				if p.Slot != i {
					t.Fatalf("got slot %d, want %d", p.Slot, i)
				}
				if p.Bye() {
					byes[p.Entrants[0]]++
					continue
				}
				pairs++
				top := max(r.points[p.Entrants[0]], r.points[p.Entrants[1]])
				if top > last+1e-9 {
					t.Fatalf("got %v points in slot %d, want at most %v, as in the slot before", top, i, last)
				}
				last = top
				if r.points[p.Entrants[0]] != r.points[p.Entrants[1]] {
					floats++
				}
				if met[pairKey(p.Entrants[0], p.Entrants[1])] > 0 && len(a.h.active()) >= 2*(a.h.rounds()+1) {
					t.Fatalf("round %d: got %v again among %d entrants, want no repetition", p.Round+1, p.Entrants, len(a.h.active()))
				}
			}
		})
		if a.eventful || len(a.h.Entrants) < 12 {
			return
		}
		for n, times := range byes {
			if times > 1 {
				t.Fatalf("got %d byes of %d among %d, want at most 1", times, n, len(a.h.Entrants))
			}
		}
		if a.h.Legs%2 == 0 {
			return
		}
		for n, s := range a.h.sides() {
			if s.balance > 2 || s.balance < -2 || s.streak > 2 {
				unbalanced++
				t.Logf("%d of %d entrants: the balance is %d, the last %d seats are the same", n, len(a.h.Entrants), s.balance, s.streak)
			}
		}
	})
	if unbalanced > 0 {
		t.Errorf("got %d entrants with unbalanced seats in contests of 12 or more, want none", unbalanced)
	}
	if floats*3 > pairs {
		t.Errorf("got %d of %d pairs with different points, want at most a third", floats, pairs)
	}
}

func TestFirstSwissRoundPairsTheHalves(t *testing.T) {
	for _, n := range []int{2, 5, 8, 40, 301, 1000, 3001} {
		next, _, err := Next(newHistory(Swiss, n))
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range next {
			if p.Bye() {
				if p.Entrants[0] != n-1 {
					t.Errorf("%d entrants: got a bye of %d, want one of the last", n, p.Entrants[0])
				}
				continue
			}
			a, b := p.Entrants[0], p.Entrants[1]
			if a > b {
				a, b = b, a
			}
			if a != i || b != i+n/2 || (p.Entrants[0] == a) != (i%2 == 0) {
				t.Errorf("%d entrants: got %v in slot %d, want %d and %d, the better one first in every other slot", n, p.Entrants, i, i, i+n/2)
			}
		}
	}
}

func TestSwissChoosesTheNumberOfRounds(t *testing.T) {
	for n, want := range map[int]int{2: 1, 3: 3, 4: 3, 5: 4, 8: 4, 9: 5, 40: 7, 64: 7, 100: 8} {
		a := &arena{T: t, r: nil, h: newHistory(Swiss, n), favorite: true}
		a.r = newArenaRand()
		a.run(nil)
		if got := a.h.rounds(); got != want {
			t.Errorf("%d entrants: got %d rounds, want %d", n, got, want)
		}
	}
}

func TestSwissInGroupsChoosesTheNumberOfRounds(t *testing.T) {
	for _, test := range []struct{ n, size, now, earlier int }{
		{4, 4, 1, 3}, {5, 4, 2, 4}, {13, 4, 4, 5}, {16, 4, 5, 5}, {20, 4, 6, 6}, {9, 3, 4, 5}, {100, 4, 8, 8},
	} {
		h := newHistory(Swiss, test.n)
		h.Size = test.size
		if got := Rounds(h); got != test.now {
			t.Errorf("%d entrants in groups of %d: got %d rounds, want %d", test.n, test.size, got, test.now)
		}
		if h.Earlier = true; Rounds(h) != test.earlier {
			t.Errorf("%d entrants in groups of %d, started earlier: got %d rounds, want %d", test.n, test.size, Rounds(h), test.earlier)
		}
	}
}

func TestSwissOfThousandsIsPairedInParts(t *testing.T) {
	entrants := long.Number(maxMatching+100, 2500)
	h := newHistory(Swiss, entrants)
	h.Rounds, h.Legs = 3, 2
	a := &arena{T: t, r: newArenaRand(), h: h, favorite: true}
	a.run(a.everybody)
	for pair, times := range h.encounters() {
		if times > 1 {
			t.Fatalf("got %v %d times, want once", pair, times)
		}
	}
}
