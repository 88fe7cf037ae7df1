// Package rating estimates strengths from the results of matches.
//
// The model is Bradley and Terry's with Davidson's draws for matches of two, and that
// of Plackett and Luce with ties after Turner, van Etten, Firth and Kosmidis for more,
// which is the same model for two. Players of a team are one side, as strong as they are
// in the mean: see docs/decisions/ratings.md. The functions are
// pure: the same matches in any order have the same ratings, on any machine with the
// same floating-point arithmetic.
package rating

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// The scale: 400 points are ten to one.
const (
	Center = 1500.0 // the mean of the players with matches, if no anchor has any

	pointsPerNat = 400 / math.Ln10
	z95          = 1.959963984540054 // of the normal distribution
)

// Bounds of what can be rated.
const (
	MaxPlayers = 1 << 17
	MaxMatches = 1 << 23
	MaxSeats   = 64     // players of one match
	MaxAnchor  = 20_000 // points, above and below 0

	// DefaultPrior is the standard deviation of the prior, in points. It says as much as a
	// third of a match between equal players.
	DefaultPrior = 600.0
	minPrior     = 1.0
	maxPrior     = 1e5
	minHalfLife  = time.Hour
)

// Match is the result of a match.
type Match struct {
	Players []int // distinct, from 0
	Ranks   []int // of each player; a lower one is better, equal ones are shared
	Teams   []int // of each player; those with the same number above 0 are one side, and share a rank; nil: there is none
	Sample  int64 // matches with the same key count as one; 0: it is a sample of its own
	At      time.Time
}

// Options say how matches are weighed.
type Options struct {
	Anchors  map[int]float64 // fixed ratings, by player; those without matches fix nothing
	Prior    float64         // standard deviation of the strengths, in points; 0: DefaultPrior
	HalfLife time.Duration   // a match of this age has half the weight; 0: age does not matter
	Now      time.Time       // the end of an age; at least the time of the latest match
}

// Estimate is a player's rating with its interval of 95 %. All numbers are finite. A
// player without matches has the middle of the prior, and its interval. An anchor has
// an interval of width 0.
type Estimate struct {
	Rating, Low, High float64
	Played            int
}

// Table is the result of a fit. It never changes.
type Table struct {
	Estimates []Estimate // by player
	Draws     float64    // nu: between equal players, a draw is nu times as likely as a win of the one; 0: there was none
	Ties      []float64  // the same for ranks that are shared by n players, by n; Draws is Ties[2]
	Exact     bool       // the intervals are of the whole curvature; otherwise see docs/decisions/ratings.md
	Matches   int
}

// Fit rates players from 0 to players-1 by all their matches. An error names the first
// match that is invalid.
func Fit(players int, matches []Match, o Options) (*Table, error) {
	if err := o.check(players); err != nil {
		return nil, err
	}
	l := newLedger(o.HalfLife)
	for i := range matches {
		l.see(matches[i].At)
	}
	if err := l.add(players, matches); err != nil {
		return nil, err
	}
	l.sort()
	f := newFit(l, &o, o.Now)
	f.solve()
	return f.table(f.inflate()), nil
}

// table returns the estimates at the strengths where the fit was evaluated.
func (f *fit) table(v inflation) *Table {
	t := &Table{Estimates: make([]Estimate, f.l.players), Exact: v.exact, Matches: f.l.matches}
	for p := range t.Estimates {
		e := &t.Estimates[p]
		e.Played = int(f.l.played[p])
		rating, width := f.center+pointsPerNat*f.strength[p], 0.0
		if fixed, ok := f.anchors[p]; ok {
			rating = fixed
		} else if f.free[p] {
			width = z95 * pointsPerNat * math.Sqrt(v.by[p]/(f.diag[p]*f.scale))
		} else {
			width = z95 * pointsPerNat * f.prior
		}
		e.Rating, e.Low, e.High = rating, rating-width, rating+width
	}
	for d, n := range f.orders {
		if len(t.Ties) <= n {
			t.Ties = append(t.Ties, make([]float64, n+1-len(t.Ties))...)
		}
		t.Ties[n] = math.Exp(f.tie[d])
	}
	if len(t.Ties) > 2 {
		t.Draws = t.Ties[2]
	}
	return t
}

func (o *Options) check(players int) error {
	switch {
	case players < 0 || players > MaxPlayers:
		return fmt.Errorf("%d players: at most %d can be rated", players, MaxPlayers)
	case o.Prior != 0 && !(o.Prior >= minPrior && o.Prior <= maxPrior):
		return fmt.Errorf("prior: %v is not from %v to %v points", o.Prior, minPrior, maxPrior)
	case o.HalfLife != 0 && o.HalfLife < minHalfLife:
		return fmt.Errorf("half-life: %v is less than %v", o.HalfLife, minHalfLife)
	}
	for p, r := range o.Anchors {
		if p < 0 || p >= MaxPlayers || !(math.Abs(r) <= MaxAnchor) {
			return fmt.Errorf("anchor: player %d with rating %v is out of bounds", p, r)
		}
	}
	return nil
}

func (o *Options) prior() float64 {
	if o.Prior == 0 {
		return DefaultPrior
	}
	return o.Prior
}

func (m *Match) check(players int) error {
	if len(m.Players) != len(m.Ranks) {
		return fmt.Errorf("%d players, but %d ranks", len(m.Players), len(m.Ranks))
	}
	if len(m.Players) < 2 || len(m.Players) > MaxSeats {
		return fmt.Errorf("%d players: it must be from 2 to %d", len(m.Players), MaxSeats)
	}
	for i, p := range m.Players {
		if p < 0 || p >= players {
			return fmt.Errorf("player %d is not from 0 to %d", p, players-1)
		}
		if slices.Contains(m.Players[:i], p) {
			return fmt.Errorf("player %d is there twice", p)
		}
	}
	if m.Teams == nil {
		return nil
	}
	if len(m.Teams) != len(m.Players) {
		return fmt.Errorf("%d players, but %d teams", len(m.Players), len(m.Teams))
	}
	for i, rank := range m.Ranks {
		if first := m.side(i); m.Ranks[first] != rank {
			return fmt.Errorf("the team of player %d has the ranks %d and %d", m.Players[i], m.Ranks[first], rank)
		}
	}
	return nil
}

// side returns the first index of the side of the player at an index.
func (m *Match) side(i int) int {
	if m.Teams == nil || m.Teams[i] <= 0 {
		return i
	}
	return slices.Index(m.Teams, m.Teams[i])
}
