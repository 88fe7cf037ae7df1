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
	Void     LegState = "void"     // its match was aborted too often, or an organizer has annulled it
)

// Leg is one match of a pairing.
type Leg struct {
	Outcome        // with what an organizer has decided
	ruled   *ruled // nil: no organizer has ever decided about it
}

// Outcome is how an attempt to play a leg has ended.
type Outcome struct {
	State  LegState
	Result *store.Result // of the match that was finished; nil: none
	Absent []int         // of a walkover: the entries that did not come or had withdrawn
	Ended  time.Time     // zero: it has not

	event  int64    // the number of that which decided it without a match; 0: none did
	before *Outcome // without the result; nil: it was planned
}

// decide decides an attempt without a match, unless that has happened before.
func (o *Outcome) decide(how Outcome) {
	switch {
	case o.Result != nil && o.before == nil:
		o.before = &how
	case o.Result == nil && o.State == Planned:
		*o = how
	}
}

// without returns the outcome without the result of its match.
func (o *Outcome) without() Outcome {
	switch {
	case o.Result == nil:
		return *o
	case o.before != nil:
		return *o.before
	}
	return Outcome{State: Planned}
}

// Score returns the score of a leg that one entry plays alone; 0: it was not played. After
// a forfeit it is the score that the game had given until then: only the game can know what
// a run is worth that was broken off.
func (l *Leg) Score() float64 {
	switch r := l.ruling(); {
	case r == nil:
	case r.Action == Set:
		return r.Points[0]
	case r.Action == Annul:
		return 0
	}
	if l.Result == nil || len(l.Result.Seats) == 0 {
		return 0
	}
	return l.Result.Seats[0].Score
}

// Points returns the points of entries in a leg: see [pairing.Leg].
func (l *Leg) Points(entries []int) []float64 {
	points := make([]float64, len(entries))
	others := float64(len(entries) - 1)
	if r := l.ruling(); r != nil && r.Action != Replay {
		for i, n := range entries {
			points[i] = r.pointsOf(n)
		}
		return points
	}
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
		var sides []int // the rank of each
		for i, seat := range l.Result.Seats {
			rank[seat.Entry] = seat.Rank
			mate := func(s store.ResultSeat) bool { return s.Team > 0 && s.Team == seat.Team }
			if !slices.ContainsFunc(l.Result.Seats[:i], mate) {
				sides = append(sides, seat.Rank)
			}
		}
		for i, n := range entries {
			if len(sides) == 1 { // nobody to beat
				points[i] = 0.5
				continue
			}
			beaten := -0.5 // its own side
			for _, other := range sides {
				switch {
				case rank[n] < other:
					beaten++
				case rank[n] == other:
					beaten += 0.5
				}
			}
			points[i] = beaten / float64(len(sides)-1)
		}
	}
	return points
}

// teams returns the team of each entry in a leg; nil: there was none.
func (l *Leg) teams(entries []int) []int {
	if l.Result == nil || teamsOf(l.Result) == nil {
		return nil
	}
	team := make(map[int]int, len(entries))
	for _, seat := range l.Result.Seats {
		team[seat.Entry] = seat.Team
	}
	var list []int
	for _, n := range entries {
		list = append(list, team[n])
	}
	return list
}

// teamsOf returns the teams of a match by seat; nil: there was none.
func teamsOf(r *store.Result) []int {
	if !slices.ContainsFunc(r.Seats, func(s store.ResultSeat) bool { return s.Team > 0 }) {
		return nil
	}
	var list []int
	for _, s := range r.Seats {
		list = append(list, s.Team)
	}
	return list
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
