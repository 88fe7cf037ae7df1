package standings

import (
	"slices"
	"testing"

	"colosseum/host/internal/contests/pairing"
)

// teams are four teams of three boards in a round robin, of which two rounds are over.
func teams(matchPoints bool) *pairing.History {
	h := &pairing.History{Format: pairing.RoundRobin, Size: 2, Legs: 3, MatchPoints: matchPoints}
	for i := range 4 {
		h.Entrants = append(h.Entrants, pairing.Entrant{Seed: i})
	}
	for i, p := range []struct {
		first, second int
		points        []float64 // of the first, by board
	}{
		{0, 3, []float64{1, 1, 1}}, {1, 2, []float64{1, 0.5, 0}}, // 3:0, 1.5:1.5
		{3, 2, []float64{0, 0, 1}}, {0, 1, []float64{0, 0.5, 0.5}}, // 1:2, 1:2
	} {
		played := pairing.Played{Pairing: pairing.Pairing{Round: i / 2, Slot: i % 2, Entrants: []int{p.first, p.second}}}
		for _, x := range p.points {
			played.Legs = append(played.Legs, pairing.Leg{Points: []float64{x, 1 - x}})
		}
		h.Pairings = append(h.Pairings, played)
	}
	return h
}

func TestTeamsAreRankedByBoardsOrByMatches(t *testing.T) {
	for _, tt := range []struct {
		name        string
		matchPoints bool
		other       string
		order       []int
		points, tie []float64 // by place
		buchholz    []float64
	}{
		// Board points: 0 has 4, 1 and 2 have 3.5, 3 has 1; match points: 1, 1.5, 1.5, 0.
		{"boards", false, MatchPoints, []int{0, 1, 2, 3}, []float64{4, 3.5, 3.5, 1}, []float64{1, 1.5, 1.5, 0}, []float64{4.5, 7.5, 4.5, 7.5}},
		{"match", true, BoardPoints, []int{1, 2, 0, 3}, []float64{1.5, 1.5, 1, 0}, []float64{3.5, 3.5, 4, 1}, []float64{2.5, 1.5, 1.5, 2.5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var order []int
			var points, tie, buchholz []float64
			for _, s := range compute(t, teams(tt.matchPoints), tt.other, "buchholz") {
				order, points, tie, buchholz = append(order, s.Entrant), append(points, s.Points), append(tie, s.TieBreaks[0]), append(buchholz, s.TieBreaks[1])
			}
			if !slices.Equal(order, tt.order) || !slices.Equal(points, tt.points) || !slices.Equal(tie, tt.tie) || !slices.Equal(buchholz, tt.buchholz) {
				t.Errorf("got the order %v with the points %v, %s %v and Buchholz %v, want %v, %v, %v and %v", order, points, tt.other, tie, buchholz, tt.order, tt.points, tt.tie, tt.buchholz)
			}
		})
	}
}

// In match points, Sonneborn-Berger counts a pairing that was won once, not its boards.
func TestSonnebornBergerOfTeamsIsOfWhatRanksThem(t *testing.T) {
	want := []float64{0, 1.75, 0.75, 0} // 0 beat 3 (0); 1 beat 0 (1) and tied 2 (1.5/2); 2 tied 1 (1.5/2) and beat 3 (0)
	for _, s := range compute(t, teams(true), "sonneborn-berger") {
		if got := s.TieBreaks[0]; got != want[s.Entrant] {
			t.Errorf("team %d: got %v, want %v", s.Entrant, got, want[s.Entrant])
		}
	}
}
