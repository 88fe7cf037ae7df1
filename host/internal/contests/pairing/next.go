package pairing

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Bounds of a history. They only keep a broken one from using all memory.
const (
	maxEntrants = 100_000
	maxRounds   = 1 << 20
	maxSize     = 64
)

// Next returns the pairings that come next, or that the contest is over. It must be
// called when all legs of all pairings are decided. The same history has the same
// next pairings.
//
// A withdrawn entrant is not paired, with one exception: in a knockout and in a double
// elimination it keeps its place in the bracket, and loses there by walkover. An entry
// after the first pairings is an error in these two formats, until it withdraws.
func Next(h *History) (next []Pairing, over bool, err error) {
	if err := h.Check(); err != nil {
		return nil, false, err
	}
	for i := range h.Pairings {
		if p := &h.Pairings[i]; !h.decided(p) {
			return nil, false, fmt.Errorf("pairing %d has %d of %d results", i, len(p.Legs), h.Legs)
		}
	}
	switch h.Format {
	case RoundRobin:
		if h.Size > 2 {
			next = groupRound(h)
		} else {
			next = roundRobin(h)
		}
	case Swiss:
		next = swiss(h)
	case Gauntlet:
		next = gauntlet(h)
	case Score:
		next = score(h)
	case Knockout:
		next, err = knockout(h)
	case DoubleElimination:
		next, err = doubleElimination(h)
	}
	if err != nil {
		return nil, false, err
	}
	return next, len(next) == 0, nil
}

// Rounds returns how many rounds a contest has, as far as it is known: late entries add
// rounds to a round robin and a gauntlet, and the second final one to a double
// elimination. The history must be one that Check accepts.
func Rounds(h *History) int {
	n, paired := h.starters(), h.rounds()
	switch {
	case h.Format == Score:
		return h.Rounds
	case n < 2:
		return paired
	case h.Format == Swiss:
		return swissRounds(h)
	case h.Format == RoundRobin && h.Size > 2:
		return groupRounds(h)
	case h.Format == Knockout:
		return bits.Len(uint(n - 1))
	case h.Format == DoubleElimination:
		return max(paired, 2*bits.Len(uint(n-1)))
	case paired > 0:
		return paired
	case h.Format == Gauntlet:
		return n - 1
	}
	return n - 1 + n%2
}

// Check returns an error unless the history could be one of its format.
func (h *History) Check() error {
	switch {
	case !slices.Contains([]Format{RoundRobin, Swiss, Knockout, DoubleElimination, Gauntlet, Score}, h.Format):
		return fmt.Errorf("the format %q has no rounds", h.Format)
	case h.Size < 1 || h.Size > maxSize || (h.Size == 1) != (h.Format == Score):
		return fmt.Errorf("a match cannot have %d players", h.Size)
	case h.Size > 2 && h.Format != RoundRobin && h.Format != Swiss:
		return fmt.Errorf("a match of a %s has 2 players, not %d", h.Format, h.Size)
	case h.Format == Score && h.Rounds < 1:
		return errors.New("a contest by score has at least one round")
	case h.Legs < 1 || h.Rounds < 0 || h.Replays < 0:
		return errors.New("the numbers of legs, rounds and replays must not be negative, and there is at least one leg")
	case h.MatchPoints && h.Size != 2:
		return errors.New("only a pairing of two has match points")
	case len(h.Entrants) > maxEntrants:
		return fmt.Errorf("more than %d entrants", maxEntrants)
	}
	seeds := make(map[int]bool, len(h.Entrants))
	for i, e := range h.Entrants {
		if seeds[e.Seed] {
			return fmt.Errorf("entrant %d has the seed %d of another one", i, e.Seed)
		}
		seeds[e.Seed] = true
	}
	for i := range h.Pairings {
		if err := h.checkPairing(&h.Pairings[i]); err != nil {
			return fmt.Errorf("pairing %d: %w", i, err)
		}
	}
	return nil
}

func (h *History) checkPairing(p *Played) error {
	switch {
	case p.Round < 0 || p.Round > maxRounds || p.Slot < 0 || p.Replay < 0:
		return errors.New("its round, slot or replay is out of range")
	case p.Alone != (h.Format == Score):
		return errors.New("only in a contest by score, everybody plays alone")
	case len(p.Entrants) != 1 && (len(p.Entrants) < 2 || len(p.Entrants) > h.Size):
		return fmt.Errorf("it has %d entrants", len(p.Entrants))
	case p.Bye() && len(p.Legs) > 0 || len(p.Legs) > h.Legs:
		return fmt.Errorf("it has %d legs", len(p.Legs))
	}
	for i, n := range p.Entrants {
		if n < 0 || n >= len(h.Entrants) || slices.Contains(p.Entrants[:i], n) {
			return fmt.Errorf("its entrants %v are not different ones of %d", p.Entrants, len(h.Entrants))
		}
	}
	for _, l := range p.Legs {
		if len(l.Points) != len(p.Entrants) {
			return fmt.Errorf("a leg has points for %d of %d entrants", len(l.Points), len(p.Entrants))
		}
		if l.Teams != nil && len(l.Teams) != len(p.Entrants) {
			return fmt.Errorf("a leg has teams for %d of %d entrants", len(l.Teams), len(p.Entrants))
		}
		for _, points := range l.Points {
			if !(points >= 0 && points <= 1) {
				return fmt.Errorf("a leg has %v points", points)
			}
		}
	}
	return nil
}

// decided reports whether a pairing has all its results.
func (h *History) decided(p *Played) bool { return p.Bye() || len(p.Legs) == h.Legs }

// Unplayed reports whether all legs of a pairing were decided without a match. A bye
// is none.
func (p *Played) Unplayed() bool {
	return len(p.Legs) > 0 && !slices.ContainsFunc(p.Legs, func(l Leg) bool { return !l.Unplayed })
}

// active returns the entrants that have not withdrawn, the best seed first.
func (h *History) active() []int {
	var list []int
	for i, e := range h.Entrants {
		if !e.Withdrawn {
			list = append(list, i)
		}
	}
	h.sortBySeed(list)
	return list
}

func (h *History) sortBySeed(list []int) {
	slices.SortFunc(list, func(a, b int) int { return h.Entrants[a].Seed - h.Entrants[b].Seed })
}

// better returns the better seed of two entrants first.
func (h *History) better(a, b int) (first, second int) {
	if h.Entrants[b].Seed < h.Entrants[a].Seed {
		return b, a
	}
	return a, b
}

// rounds returns how many rounds were paired.
func (h *History) rounds() int {
	n := 0
	for i := range h.Pairings {
		n = max(n, h.Pairings[i].Round+1)
	}
	return n
}

// starters returns how many entrants the first round has, or would have now.
func (h *History) starters() int {
	if len(h.Pairings) == 0 {
		return len(h.active())
	}
	n := 0
	for i := range h.Pairings {
		if p := &h.Pairings[i]; p.Round == h.Pairings[0].Round && p.Replay == 0 {
			n += len(p.Entrants)
		}
	}
	return n
}

// points returns the points of all entrants.
func (h *History) points() []float64 {
	points := make([]float64, len(h.Entrants))
	for i := range h.Pairings {
		p := &h.Pairings[i]
		for j, n := range p.Entrants {
			points[n] += h.Total(p)[j]
		}
	}
	for i := range points {
		points[i] = math.Round(points[i]*1e6) / 1e6 // thirds have no exact sums
	}
	return points
}

// encounters counts how often pairs of entrants were paired.
type encounters map[[2]int32]int

func pairKey(a, b int) [2]int32 {
	if a > b {
		a, b = b, a
	}
	return [2]int32{int32(a), int32(b)}
}

func (e encounters) add(entrants []int, n int) {
	for i, a := range entrants {
		for _, b := range entrants[:i] {
			e[pairKey(a, b)] += n
		}
	}
}

func (h *History) encounters() encounters {
	e := encounters{}
	for i := range h.Pairings {
		e.add(h.Pairings[i].Entrants, 1)
	}
	return e
}

// sides is which of two seats an entrant had.
type sides struct {
	balance int // how much more often it was listed first than second
	last    int // +1: first, -1: second, 0: it has not played
	streak  int // how often in a row
}

// add adds a pairing in which an entrant was listed first (+1) or second (-1).
func (s *sides) add(side int) {
	if s.last != side {
		s.last, s.streak = side, 0
	}
	s.streak++
	s.balance += side
}

// sides returns which seats the entrants had in the first legs of their pairings.
// Pairings without a match do not count: C.04.1 and C.04.2 of the FIDE Handbook.
func (h *History) sides() []sides {
	list := make([]sides, len(h.Entrants))
	for i := range h.Pairings {
		if p := &h.Pairings[i]; len(p.Entrants) == 2 && !p.Unplayed() {
			list[p.Entrants[0]].add(+1)
			list[p.Entrants[1]].add(-1)
		}
	}
	return list
}
