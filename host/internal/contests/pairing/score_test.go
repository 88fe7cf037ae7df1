package pairing

import (
	"reflect"
	"testing"
)

// TestEverybodyPlaysEachRoundAlone: a round comes after the one before, and who enters
// late gets the earlier ones with it.
func TestEverybodyPlaysEachRoundAlone(t *testing.T) {
	h := &History{Format: Score, Size: 1, Legs: 2, Rounds: 3, Entrants: []Entrant{{Seed: 1}, {Seed: 0}}}
	type match struct{ round, slot, entrant int }
	next := func() (list []match) {
		t.Helper()
		pairings, over, err := Next(h)
		if err != nil || over != (len(pairings) == 0) {
			t.Fatalf("got over=%t with %d pairings, %v", over, len(pairings), err)
		}
		for _, p := range pairings {
			if p.Bye() || len(p.Entrants) != 1 {
				t.Errorf("got %+v, want an entrant that plays alone", p)
			}
			list = append(list, match{p.Round, p.Slot, p.Entrants[0]})
			h.Pairings = append(h.Pairings, Played{Pairing: p, Legs: []Leg{{Points: []float64{0}, Score: 5}, {Points: []float64{0}, Unplayed: true}}})
		}
		return list
	}
	check := func(want ...match) {
		t.Helper()
		if got := next(); !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	check(match{0, 0, 1}, match{0, 1, 0})
	check(match{1, 0, 1}, match{1, 1, 0})
	h.Entrants[1].Withdrawn = true
	h.Entrants = append(h.Entrants, Entrant{Seed: 2})
	check(match{0, 0, 2}, match{1, 0, 2}, match{2, 0, 0}, match{2, 1, 2})
	h.Entrants = append(h.Entrants, Entrant{Seed: 3})
	check(match{0, 0, 3}, match{1, 0, 3}, match{2, 0, 3})
	check()
	if n := Rounds(h); n != 3 {
		t.Errorf("got %d rounds, want 3", n)
	}
}
