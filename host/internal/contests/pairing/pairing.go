// Package pairing decides which entrants of a contest play each other next. Its
// functions are pure: the same history has the same continuation, on any machine.
package pairing

import "math"

// Format is how a contest is played.
type Format string

// The formats that have rounds. A ladder has none.
const (
	RoundRobin        Format = "round-robin"
	Swiss             Format = "swiss"
	Knockout          Format = "knockout"
	DoubleElimination Format = "double-elimination"
	Gauntlet          Format = "gauntlet"
	Score             Format = "score"
)

// History is all that the pairings of a contest depend on.
type History struct {
	Format   Format
	Size     int       // players of one match: 1 in Score, else at least 2
	Legs     int       // matches of one pairing, at least 1
	Rounds   int       // of Swiss, Score, and of RoundRobin with more than two players to a match; 0: chosen by the format, but not in Score
	Replays  int       // of a tied pairing of Knockout and DoubleElimination; after that the better seed goes on
	Seed     uint64    // decides where the rules of the format leave a choice
	Entrants []Entrant // by number
	Pairings []Played  // all of them, in the order in which Next returned them
	// Earlier means that the contest started under the earlier rules for more than two
	// players to a match: a bye was worth a pairing that was won, the rounds of a Swiss had no
	// bound, and seats did not depend on how far apart entrants had sat.
	Earlier bool
	// MatchPoints means that a pairing of two is worth 1 point to the one with more points
	// in its legs, and half a point to each if they have equally many.
	MatchPoints bool
}

// Entrant is a participant of a contest.
type Entrant struct {
	Seed      int  // its place in the seeding, from 0 for the strongest; each entrant has another one
	Withdrawn bool // it is not paired again
}

// Bracket is a part of a contest with elimination. Rounds are counted through all
// brackets: the pairings of one round are played at the same time.
type Bracket string

// The brackets of DoubleElimination. Other formats have only the first one.
const (
	Winners Bracket = ""
	Losers  Bracket = "losers"
	Final   Bracket = "final"
)

// Pairing is a set of entrants that play each other.
type Pairing struct {
	Round   int // from 0
	Bracket Bracket
	Slot    int // its place in its round and bracket, from 0; in a Swiss round, 0 has the most points
	Replay  int // from 1 for the repetitions of a tied pairing, else 0
	// Entrants are in the order of the seats in the first leg. In each further leg
	// everybody moves on by one seat. A single entrant has a bye, unless it plays alone.
	Entrants []int
	Alone    bool `json:",omitempty"` // of Score
}

// Played is a pairing with its results.
type Played struct {
	Pairing
	Legs []Leg // fewer than History.Legs while it is being played; none for a bye
}

// Leg is the result of one match of a pairing.
type Leg struct {
	// Points are in the order of Pairing.Entrants: for each entrant the share of the
	// other sides that its side has beaten, a shared rank counting half. A side is a team,
	// or an entrant that was in none. So between two the winner gets 1, the loser 0, and a
	// draw gives 0.5 to each.
	Points []float64
	// Teams are in the same order: entrants with the same number above 0 were a team; nil:
	// there was none.
	Teams    []int
	Unplayed bool    // decided without a match: an entrant was absent or had withdrawn
	Void     bool    // the match was aborted again and again; all have half of the points
	Score    float64 // of the entrant that plays alone
}

// Mates reports whether two entrants of the pairing, by their places in it, were in one team.
func (l *Leg) Mates(i, j int) bool {
	return l.Teams != nil && l.Teams[i] > 0 && l.Teams[i] == l.Teams[j]
}

// Bye reports whether the pairing is a bye.
func (p *Pairing) Bye() bool { return len(p.Entrants) == 1 && !p.Alone }

// Total returns the points of each entrant of a pairing, in all legs. A bye is worth
// the points of a pairing that was won, with two exceptions. In a round robin between two
// it only means that an entrant does not play in a round, and is worth nothing. Among more
// than two it is worth half of the points, which is the average of those that play: some
// can have more byes than others, and nearly nobody wins all legs against all.
func (h *History) Total(p *Played) []float64 { return h.TotalBy(p, h.MatchPoints) }

// TotalBy is Total with the points of the legs, or with those of [History.MatchPoints]: until
// all legs are decided there are none, and who has no point in any leg gets none.
func (h *History) TotalBy(p *Played, matchPoints bool) []float64 {
	total := make([]float64, len(p.Entrants))
	switch {
	case !p.Bye():
	case h.Size > 2 && !h.Earlier:
		total[0] = float64(h.Legs) / 2
	case h.Size > 2 || h.Format != RoundRobin:
		total[0] = float64(h.Legs)
	}
	for _, l := range p.Legs {
		for i, points := range l.Points {
			total[i] += points
		}
	}
	if !matchPoints {
		return total
	}
	if p.Bye() {
		return []float64{total[0] / float64(h.Legs)}
	}
	points := make([]float64, len(total))
	for i, own := range total {
		switch other := total[len(total)-1-i]; {
		case !h.decided(p) || own < 1e-6:
		case math.Abs(own-other) < 1e-6:
			points[i] = 0.5
		case own > other:
			points[i] = 1
		}
	}
	return points
}

// Worth returns the points of a pairing in which one entrant won all legs.
func (h *History) Worth() float64 {
	if h.MatchPoints {
		return 1
	}
	return float64(h.Legs)
}
