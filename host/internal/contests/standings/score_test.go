package standings

import (
	"math"
	"testing"

	"colosseum/host/internal/contests/pairing"
)

// TestMeanScoreDecides has for each entrant its legs by round: a score, missed, or void.
func TestMeanScoreDecides(t *testing.T) {
	missed, void := math.Inf(-1), math.Inf(1)
	type want struct {
		entrant, rank   int
		mean, best, sum float64
		played, missed  int
	}
	tests := []struct {
		name string
		legs [][]float64
		want []want
	}{
		{"a better mean beats a better best", [][]float64{{90, 0}, {50, 60}}, []want{{1, 1, 55, 60, 110, 2, 0}, {0, 2, 45, 90, 90, 2, 0}}},
		{"a better best decides between equal means", [][]float64{{50, 50}, {40, 60}}, []want{{1, 1, 50, 60, 100, 2, 0}, {0, 2, 50, 50, 100, 2, 0}}},
		{"equal ones share a rank", [][]float64{{0.1, 0.2, 0.3}, {0.3, 0.2, 0.1}, {0, 0, 0}},
			[]want{{0, 1, 0.2, 0.3, 0.6, 3, 0}, {1, 1, 0.2, 0.3, 0.6, 3, 0}, {2, 3, 0, 0, 0, 3, 0}}},
		{"a missed leg counts 0", [][]float64{{40, missed}, {30, 30}}, []want{{1, 1, 30, 30, 60, 2, 0}, {0, 2, 20, 40, 40, 1, 1}}},
		{"a missed leg counts as the worst if that is less", [][]float64{{-10, missed}, {-10, -40}}, []want{{0, 1, -25, -10, -50, 1, 1}, {1, 1, -25, -10, -50, 2, 0}}},
		{"a void leg counts for nothing", [][]float64{{40, void}, {30, 30}}, []want{{0, 1, 40, 40, 40, 1, 0}, {1, 2, 30, 30, 60, 2, 0}}},
		{"nobody without a leg is before others", [][]float64{{}, {-5}, {missed}}, []want{{1, 1, -5, -5, -5, 1, 0}, {2, 2, -5, 0, -5, 0, 1}, {0, 3, 0, 0, 0, 0, 0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &pairing.History{Format: pairing.Score, Size: 1, Legs: 1, Rounds: 3}
			for i, legs := range tt.legs {
				h.Entrants = append(h.Entrants, pairing.Entrant{Seed: i})
				for round, score := range legs {
					l := pairing.Leg{Points: []float64{0}, Unplayed: score == missed, Void: score == void}
					if !l.Unplayed && !l.Void {
						l.Score = score
					}
					h.Pairings = append(h.Pairings, pairing.Played{Pairing: pairing.Pairing{Round: round, Slot: i, Entrants: []int{i}, Alone: true}, Legs: []pairing.Leg{l}})
				}
			}
			list := compute(t, h)
			for i, w := range tt.want {
				s := list[i]
				if got := (want{s.Entrant, s.Rank, s.Points, s.Best, s.Sum, s.Played, s.Walkovers}); got != w {
					t.Errorf("place %d: got %+v, want %+v", i+1, got, w)
				}
			}
		})
	}
}
