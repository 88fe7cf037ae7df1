package contest

import (
	"slices"
	"time"

	"colosseum/host/internal/records/store"
)

// LegState is how far a leg has come.
type LegState string

// The states of a leg.
const (
	Planned  LegState = "planned"  // also while it is played
	Played   LegState = "finished" // it has a result
	Walkover LegState = "walkover" // decided without a match
	Void     LegState = "void"     // its match was aborted too often
)

// Leg is one match of a pairing.
type Leg struct {
	State  LegState
	Result *store.Result // of the match that was finished; nil: none
	Absent []int         // of a walkover: the entries that did not come or had withdrawn
	Ended  time.Time     // zero: it has not
}

// Score returns the score of a leg that one entry plays alone; 0: it was not played. After
// a forfeit it is the score that the game had given until then: only the game can know what
// a run is worth that was broken off.
func (l *Leg) Score() float64 {
	if l.Result == nil || len(l.Result.Seats) == 0 {
		return 0
	}
	return l.Result.Seats[0].Score
}

// Points returns the points of entries in a leg: see [pairing.Leg].
func (l *Leg) Points(entries []int) []float64 {
	points := make([]float64, len(entries))
	others := float64(len(entries) - 1)
	switch l.State {
	case Void:
		for i := range points {
			points[i] = 0.5
		}
	case Walkover:
		present := len(entries) - len(l.Absent)
		for i, n := range entries {
			if !slices.Contains(l.Absent, n) {
				points[i] = (float64(len(l.Absent)) + float64(present-1)/2) / others
			}
		}
	case Played:
		rank := make(map[int]int, len(entries))
		for _, seat := range l.Result.Seats {
			rank[seat.Entry] = seat.Rank
		}
		for i, n := range entries {
			for _, m := range entries {
				switch {
				case n == m:
				case rank[n] < rank[m]:
					points[i] += 1 / others
				case rank[n] == rank[m]:
					points[i] += 0.5 / others
				}
			}
		}
	}
	return points
}

// versionsOf returns the versions of the programs that played a match, by seat; nil: none
// was handed in.
func versionsOf(r *store.Result) []int {
	if !slices.ContainsFunc(r.Seats, func(s store.ResultSeat) bool { return s.Version > 0 }) {
		return nil
	}
	var list []int
	for _, s := range r.Seats {
		list = append(list, s.Version)
	}
	return list
}
