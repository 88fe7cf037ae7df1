package pairing

import (
	"slices"
	"testing"
)

func TestPairingOfTeamsHasMatchPoints(t *testing.T) {
	leg := func(a, b float64) Leg { return Leg{Points: []float64{a, b}} }
	lost := Leg{Points: []float64{0, 0}, Unplayed: true}
	h := History{Format: Swiss, Size: 2, Legs: 3, MatchPoints: true}
	for _, tt := range []struct {
		name     string
		entrants []int
		legs     []Leg
		want     []float64
	}{
		{"won", []int{0, 1}, []Leg{leg(1, 0), leg(0.5, 0.5), leg(0.5, 0.5)}, []float64{1, 0}},
		{"lost", []int{0, 1}, []Leg{leg(1, 0), leg(0, 1), leg(0, 1)}, []float64{0, 1}},
		{"tied", []int{0, 1}, []Leg{leg(1, 0), leg(0.5, 0.5), leg(0, 1)}, []float64{0.5, 0.5}},
		{"not decided", []int{0, 1}, []Leg{leg(1, 0), leg(1, 0)}, []float64{0, 0}},
		{"nobody came", []int{0, 1}, []Leg{lost, lost, lost}, []float64{0, 0}},
		{"a bye", []int{0}, nil, []float64{1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &Played{Pairing: Pairing{Entrants: tt.entrants}, Legs: tt.legs}
			if got := h.Total(p); !slices.Equal(got, tt.want) {
				t.Errorf("got the points %v, want %v", got, tt.want)
			}
		})
	}
}

// Two teams have won with 2 and with 3 boards: by match points they are equal, and meet.
func TestSwissGroupsTeamsByWhatRanksThem(t *testing.T) {
	history := func(matchPoints bool) *History {
		h := &History{Format: Swiss, Size: 2, Legs: 3, Rounds: 3, MatchPoints: matchPoints}
		for i := range 6 {
			h.Entrants = append(h.Entrants, Entrant{Seed: i})
		}
		won := func(boards int) (legs []Leg) {
			for i := range 3 {
				legs = append(legs, Leg{Points: []float64{1, 0}})
				if i >= boards {
					legs[i].Points = []float64{0, 1}
				}
			}
			return legs
		}
		for slot, boards := range []int{3, 2, 2} {
			h.Pairings = append(h.Pairings, Played{Pairing{Slot: slot, Entrants: []int{slot, slot + 3}}, won(boards)})
		}
		return h
	}
	groups := func(h *History) (list []float64) {
		next, _, err := Next(h)
		if err != nil {
			t.Fatal(err)
		}
		points := h.points()
		for _, p := range next {
			list = append(list, points[p.Entrants[0]], points[p.Entrants[1]])
		}
		return list
	}
	if got := groups(history(true)); got[0] != 1 || got[1] != 1 || got[4] != 0 || got[5] != 0 {
		t.Errorf("got pairings of teams with %v match points, want equal ones first and last", got)
	}
	if got := groups(history(false)); got[0]+got[1] != 5 {
		t.Errorf("got pairings of teams with %v board points, want the one with 3 against one with 2 first", got)
	}
}
