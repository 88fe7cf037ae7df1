package standings

import (
	"slices"

	"colosseum/host/internal/contests/pairing"
)

// naive computes what an entrant has by going through the whole history for each
// question, as one would by hand.
type naive struct {
	h *pairing.History
	n int
}

func (x naive) other(n int) naive { return naive{x.h, n} }

// swissLike reports whether rounds without a match count against the entrant itself.
func (x naive) swissLike() bool { return x.h.Format == pairing.Swiss || x.h.Size > 2 }

func (x naive) annulled() bool {
	if x.h.Format != pairing.RoundRobin || x.h.Size > 2 || !x.h.Entrants[x.n].Withdrawn {
		return false
	}
	due, played := 0, 0
	for _, p := range x.h.Pairings {
		if slices.Contains(p.Entrants, x.n) && len(p.Entrants) > 1 {
			due += x.h.Legs
			for _, l := range p.Legs {
				if !l.Unplayed {
					played++
				}
			}
		}
	}
	return float64(played) < float64(due)/2
}

// all returns the pairings of the entrant that count.
func (x naive) all() (list []pairing.Played) {
	for _, p := range x.h.Pairings {
		if !slices.Contains(p.Entrants, x.n) {
			continue
		}
		counts := true
		for _, n := range p.Entrants {
			counts = counts && !x.other(n).annulled()
		}
		if counts {
			list = append(list, p)
		}
	}
	return list
}

func (x naive) from(p pairing.Played) (points float64) {
	if len(p.Entrants) == 1 {
		if x.h.Format == pairing.RoundRobin && x.h.Size == 2 {
			return 0
		}
		if x.h.Size > 2 {
			return float64(x.h.Legs) / 2
		}
		return float64(x.h.Legs)
	}
	for _, l := range p.Legs {
		points += l.Points[slices.Index(p.Entrants, x.n)]
	}
	return points
}

func (x naive) points() (sum float64) {
	for _, p := range x.all() {
		sum += x.from(p)
	}
	return sum
}

func walkover(p pairing.Played) bool {
	for _, l := range p.Legs {
		if !l.Unplayed {
			return false
		}
	}
	return len(p.Legs) > 0
}

func (x naive) lastRound() (last int) {
	for _, p := range x.h.Pairings {
		last = max(last, p.Round)
	}
	return last
}

// in returns the pairing of a round, or nil.
func (x naive) in(round int) *pairing.Played {
	for _, p := range x.all() {
		if p.Round == round {
			return &p
		}
	}
	return nil
}

// asOpponent returns the points that count for the tie-breaks of others.
func (x naive) asOpponent() float64 {
	points := x.points()
	if !x.swissLike() || len(x.h.Pairings) == 0 {
		return points
	}
	for round := x.lastRound(); round >= 0; round-- {
		p := x.in(round)
		if p == nil {
			points += 0.5 * float64(x.h.Legs)
		} else if !walkover(*p) || x.from(*p) > 0 {
			break
		}
	}
	return points
}

// terms returns what each round adds to the Buchholz sum, and whether the entrant was
// absent.
func (x naive) terms() (values []float64, absent []bool) {
	if len(x.h.Pairings) == 0 {
		return nil, nil
	}
	for round := 0; round <= x.lastRound(); round++ {
		var here []pairing.Played
		for _, p := range x.all() { // a round of an elimination can have replays
			if p.Round == round {
				here = append(here, p)
			}
		}
		if len(here) == 0 && x.swissLike() {
			values, absent = append(values, x.points()), append(absent, true)
		}
		for _, p := range here {
			switch {
			case x.swissLike() && (len(p.Entrants) == 1 || walkover(p)):
				values, absent = append(values, x.points()), append(absent, len(p.Entrants) > 1 && x.from(p) == 0)
			case len(p.Entrants) > 1:
				sum, legs := 0.0, max(1, len(p.Legs))
				for leg := range legs {
					opponents := x.opponents(p, leg)
					for _, n := range opponents {
						sum += x.other(n).asOpponent() / float64(len(opponents)) / float64(legs)
					}
				}
				values, absent = append(values, sum), append(absent, false)
			}
		}
	}
	return values, absent
}

// opponents returns the others of a pairing that were not in its team in a leg.
func (x naive) opponents(p pairing.Played, leg int) (list []int) {
	me := slices.Index(p.Entrants, x.n)
	for i, n := range p.Entrants {
		if n == x.n || leg < len(p.Legs) && p.Legs[leg].Teams != nil && p.Legs[leg].Teams[i] != 0 && p.Legs[leg].Teams[i] == p.Legs[leg].Teams[me] {
			continue
		}
		list = append(list, n)
	}
	return list
}

// result returns what the entrant scored against another in a pairing, in each leg by the
// share of the other among its opponents.
func (x naive) result(p pairing.Played, other int) (sum float64) {
	me, it := slices.Index(p.Entrants, x.n), slices.Index(p.Entrants, other)
	for i, l := range p.Legs {
		opponents := x.opponents(p, i)
		share := 1 / float64(len(opponents))
		switch {
		case !slices.Contains(opponents, other):
		case l.Unplayed && l.Points[me] == 0 && l.Points[it] == 0:
		case l.Points[me] > l.Points[it]:
			sum += share
		case l.Points[me] == l.Points[it]:
			sum += 0.5 * share
		}
	}
	return sum
}

// value returns a tie-break; direct depends on more than the entrant.
func (x naive) value(name string) (v float64, ok bool) {
	values, absent := x.terms()
	switch name {
	case "buchholz":
		for _, value := range values {
			v += value
		}
	case "buchholz-cut-1", "median-buchholz":
		cuts := 1
		if name == "median-buchholz" {
			cuts = 2
		}
		if len(values) <= cuts {
			return 0, true
		}
		worst := -1
		for i, value := range values {
			v += value
			switch {
			case worst < 0, absent[i] && !absent[worst], absent[i] == absent[worst] && value < values[worst]:
				worst = i
			}
		}
		v -= values[worst]
		if cuts == 2 {
			v -= slices.Max(slices.Delete(values, worst, worst+1))
		}
	case "sonneborn-berger":
		for _, p := range x.all() {
			if x.swissLike() && (len(p.Entrants) == 1 || walkover(p)) {
				v += x.points() * x.from(p)
				continue
			}
			for _, n := range p.Entrants {
				if n != x.n {
					v += x.other(n).asOpponent() * x.result(p, n)
				}
			}
		}
	case "progressive":
		for round := 0; round <= x.lastRound(); round++ {
			for _, p := range x.all() {
				if p.Round <= round {
					v += x.from(p)
				}
			}
		}
	case "wins":
		for _, p := range x.all() {
			for _, l := range p.Legs {
				me := slices.Index(p.Entrants, x.n)
				alone, mates := true, 0
				for i, points := range l.Points {
					if l.Teams != nil && l.Teams[me] > 0 && l.Teams[i] == l.Teams[me] {
						mates++
						continue
					}
					alone = alone && (i == me || points < l.Points[me])
				}
				if alone && mates < len(l.Points) && !l.Unplayed && !l.Void {
					v++
				}
			}
		}
	default:
		return 0, false
	}
	return v, true
}

// direct returns what the entrant scored against others that it is tied with, if each
// of them has met each other.
func (x naive) direct(tied []int) (sum float64) {
	for _, a := range tied {
		for _, b := range tied {
			met := a == b
			for _, p := range x.other(a).all() {
				if !slices.Contains(p.Entrants, b) || a == b || x.swissLike() && walkover(p) {
					continue
				}
				for leg := range max(1, len(p.Legs)) {
					met = met || slices.Contains(x.other(a).opponents(p, leg), b)
				}
				if a == x.n {
					sum += x.other(a).result(p, b)
				}
			}
			if !met {
				return 0
			}
		}
	}
	return sum
}
