package pairing

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"colosseum/internal/test/long"
)

func newHistory(format Format, n int) *History {
	h := &History{Format: format, Size: 2, Legs: 1, Replays: 3}
	for i := range n {
		h.Entrants = append(h.Entrants, Entrant{Seed: i})
	}
	return h
}

// arena plays random contests.
type arena struct {
	*testing.T
	r        *rand.Rand
	h        *History
	eventful bool // with withdrawals, absences, void legs and, where possible, late entries
	favorite bool // the better seed always wins
	calls    int
}

// run plays until the contest is over. It calls check with each answer of Next.
func (a *arena) run(check func(next []Pairing)) {
	a.Helper()
	for {
		next, over, err := Next(a.h)
		if err != nil {
			a.Fatalf("%s with %d entrants: got %v after %d pairings, want the next ones", a.h.Format, len(a.h.Entrants), err, len(a.h.Pairings))
		}
		if over != (len(next) == 0) {
			a.Fatalf("got %d pairings and over=%v, want over without pairings only", len(next), over)
		}
		if a.calls++; a.calls%7 == 0 {
			if again, _, _ := Next(a.h); !reflect.DeepEqual(again, next) {
				a.Fatalf("got %v and then %v for the same history", next, again)
			}
		}
		if over {
			return
		}
		a.ordinary(next)
		if check != nil {
			check(next)
		}
		from := len(a.h.Pairings)
		for _, p := range next {
			a.h.Pairings = append(a.h.Pairings, Played{Pairing: p})
		}
		a.play(a.h.Pairings[from:])
	}
}

// ordinary checks what all formats have in common.
func (a *arena) ordinary(next []Pairing) {
	a.Helper()
	elimination := a.h.Format == Knockout || a.h.Format == DoubleElimination
	if fresh := next[0].Round >= a.h.rounds(); !fresh && next[0].Replay == 0 {
		a.Fatalf("got pairings of round %d after %d rounds", next[0].Round, a.h.rounds())
	}
	busy, slots := map[[2]int]bool{}, map[place]bool{}
	for _, p := range next {
		if slots[place{p.Bracket, p.Round, p.Slot}] {
			a.Fatalf("got two pairings in slot %d of round %d", p.Slot, p.Round)
		}
		slots[place{p.Bracket, p.Round, p.Slot}] = true
		if len(p.Entrants) != 1 && len(p.Entrants) != a.h.Size {
			a.Fatalf("got a pairing of %d entrants, want 1 or %d", len(p.Entrants), a.h.Size)
		}
		for _, n := range p.Entrants {
			if busy[[2]int{p.Round, n}] {
				a.Fatalf("got entrant %d twice in round %d", n, p.Round)
			}
			busy[[2]int{p.Round, n}] = true
			if a.h.Entrants[n].Withdrawn && !elimination {
				a.Fatalf("got a pairing of entrant %d, which has withdrawn", n)
			}
		}
	}
}

// everybody checks that all that have not withdrawn are in a round.
func (a *arena) everybody(next []Pairing) {
	a.Helper()
	n := 0
	for _, p := range next {
		n += len(p.Entrants)
	}
	if n != len(a.h.active()) {
		a.Fatalf("got a round with %d of %d entrants", n, len(a.h.active()))
	}
}

func (a *arena) play(list []Played) {
	withdraw := -1
	if a.eventful && a.r.IntN(3) == 0 {
		withdraw = a.r.IntN(len(list))
	}
	for i := range list {
		p := &list[i]
		if i == withdraw {
			n := a.r.IntN(len(a.h.Entrants))
			a.h.Entrants[n].Withdrawn = !a.h.Entrants[n].Withdrawn || a.r.IntN(4) > 0
			if a.h.Format != Knockout && a.h.Format != DoubleElimination && a.r.IntN(2) == 0 && len(a.h.Pairings) < 3000 {
				a.h.Entrants = append(a.h.Entrants, Entrant{Seed: len(a.h.Entrants)})
			}
		}
		if p.Bye() {
			continue
		}
		for range a.h.Legs {
			p.Legs = append(p.Legs, a.leg(p.Entrants))
		}
	}
}

func (a *arena) leg(entrants []int) Leg {
	l := Leg{Points: make([]float64, len(entrants))}
	others := float64(len(entrants) - 1)
	absent := map[int]bool{}
	for _, n := range entrants {
		if a.h.Entrants[n].Withdrawn || a.eventful && a.r.IntN(40) == 0 {
			absent[n] = true
		}
	}
	switch {
	case len(absent) > 0:
		l.Unplayed = true
		for i, n := range entrants {
			if !absent[n] {
				l.Points[i] = (float64(len(absent)) + float64(len(entrants)-len(absent)-1)/2) / others
			}
		}
	case a.eventful && a.r.IntN(40) == 0:
		l.Void = true
		for i := range l.Points {
			l.Points[i] = 0.5
		}
	default:
		rank := make([]int, len(entrants))
		for i, n := range entrants {
			rank[i] = a.r.IntN(3)
			if a.favorite {
				rank[i] = a.h.Entrants[n].Seed
			}
		}
		for i := range rank {
			for j := range rank {
				switch {
				case i == j:
				case rank[i] < rank[j]:
					l.Points[i] += 1 / others
				case rank[i] == rank[j]:
					l.Points[i] += 0.5 / others
				}
			}
		}
	}
	return l
}

// contests runs a test for many random contests of a format: small ones, and a few
// large ones. The short run has a third of them.
func contests(t *testing.T, format Format, count int, sizes []int, test func(a *arena)) {
	for try := range long.Number(count/3, count) {
		r := rand.New(rand.NewPCG(uint64(try), 7))
		n := 2 + r.IntN(15)
		if try%10 == 0 {
			n = 2 + r.IntN(63)
		}
		if try < len(sizes) {
			n = sizes[try]
		}
		h := newHistory(format, n)
		h.Legs, h.Seed = 1+r.IntN(3), r.Uint64()
		for i, seed := range r.Perm(n) {
			h.Entrants[i].Seed = seed
		}
		test(&arena{T: t, r: r, h: h, eventful: try%2 == 1})
	}
}

func played(h *History, count func(p *Played)) {
	for i := range h.Pairings {
		count(&h.Pairings[i])
	}
}

func contains(p *Played, n int) bool { return slices.Contains(p.Entrants, n) }

func newArenaRand() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }
