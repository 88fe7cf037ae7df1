package standings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"colosseum/host/internal/contests/pairing"
)

// tieBreak returns the values of entrants that are tied until then, in their order.
// More is better.
type tieBreak func(t *table, tied []int) []float64

// The tie-breaks between teams. The points of one of them are those that rank the teams.
const (
	MatchPoints = "match-points" // 1 for a pairing that was won, half a point for a tied one
	BoardPoints = "board-points" // those of all boards
)

// known are the tie-breaks. The articles are those of the FIDE Handbook, C.07
// (Tie-Break Regulations, of 2024).
var known = map[string]tieBreak{
	"direct":           direct,
	"buchholz":         each(func(t *table, n int) float64 { return t.buchholz(n, 0, 0) }),
	"buchholz-cut-1":   each(func(t *table, n int) float64 { return t.buchholz(n, 1, 0) }),
	"median-buchholz":  each(func(t *table, n int) float64 { return t.buchholz(n, 1, 1) }),
	"sonneborn-berger": each((*table).sonnebornBerger),
	"wins":             each(func(t *table, n int) float64 { return float64(t.rows[n].Wins) }),
	"progressive":      each((*table).progressive),
	MatchPoints:        each(func(t *table, n int) float64 { return t.match[n] }),
	BoardPoints:        each(func(t *table, n int) float64 { return t.board[n] }),
}

// each makes a tie-break of a value that does not depend on the others.
func each(value func(t *table, n int) float64) tieBreak {
	return func(t *table, tied []int) []float64 {
		values := make([]float64, len(tied))
		for i, n := range tied {
			values[i] = value(t, n)
		}
		return values
	}
}

// Known returns the names of all tie-breaks, sorted.
func Known() []string { return slices.Sorted(maps.Keys(known)) }

// Defaults returns the tie-breaks of a format, if none were chosen.
func Defaults(f pairing.Format) []string {
	switch f {
	case pairing.RoundRobin:
		return []string{"direct", "sonneborn-berger", "wins"}
	case pairing.Swiss:
		return []string{"buchholz-cut-1", "buchholz", "sonneborn-berger"}
	}
	return nil
}

// Check returns an error unless all names are those of tie-breaks, each there once.
func Check(names []string) error {
	for i, name := range names {
		if known[name] == nil {
			return fmt.Errorf("unknown tie-break %q (have %s)", name, strings.Join(Known(), ", "))
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("the tie-break %q is there twice", name)
		}
	}
	return nil
}

// direct returns the points from the matches of those that are tied, if all of them have
// met as opponents, or else 0 (article 6). In a Swiss system a walkover is no meeting.
func direct(t *table, tied []int) []float64 {
	values := make([]float64, len(tied))
	among := make([]bool, len(t.rows))
	for _, n := range tied {
		among[n] = true
	}
	metBy := make([]int, len(t.rows)) // the last of the tied that met each of them, plus one
	for i, n := range tied {
		met := 0
		for _, p := range t.parts[n] {
			if p.unplayed && t.absences {
				continue
			}
			for j, opponent := range p.opponents {
				if !among[opponent] || p.share[j] == 0 {
					continue
				}
				if metBy[opponent] != i+1 {
					metBy[opponent] = i + 1
					met++
				}
				values[i] += p.scored[j]
			}
		}
		if met < len(tied)-1 {
			return make([]float64, len(tied))
		}
	}
	return values
}

// contribution is what a round adds to a sum over opponents.
type contribution struct {
	value  float64
	absent bool // the entrant had no pairing, or did not come
}

// contributions returns the points of the opponents of each round, in a match of more
// than two their average; mates are none. Where absences count, each round without a match is against
// an opponent with as many points as the entrant itself (article 16.4).
func (t *table) contributions(n int) []contribution {
	var list []contribution
	for i := range t.parts[n] {
		p := &t.parts[n][i]
		switch {
		case t.absences && (p.bye || p.unplayed):
			list = append(list, contribution{t.rows[n].Points, p.unplayed && p.points == 0})
		case !p.bye:
			sum := 0.0
			for j, opponent := range p.opponents {
				sum += t.adjusted[opponent] * p.share[j]
			}
			list = append(list, contribution{sum, false})
		}
	}
	if t.absences {
		for round := range t.rounds {
			if _, paired := t.absent(n, round); !paired {
				list = append(list, contribution{t.rows[n].Points, true})
			}
		}
	}
	return list
}

// buchholz returns the sum of the points of all opponents (article 8.1), without the
// lowest and the highest ones (article 14). Rounds in which the entrant was absent are
// the first of the lowest (article 16.5).
func (t *table) buchholz(n, lowest, highest int) float64 {
	list := t.contributions(n)
	if len(list) <= lowest+highest {
		return 0
	}
	sum := 0.0
	for _, c := range list {
		sum += c.value
	}
	cut := func(worse func(a, b contribution) bool) {
		i := 0
		for j, c := range list {
			if worse(c, list[i]) {
				i = j
			}
		}
		sum -= list[i].value
		list = slices.Delete(list, i, i+1)
	}
	for range lowest {
		cut(func(a, b contribution) bool {
			if a.absent != b.absent {
				return a.absent
			}
			return a.value < b.value
		})
	}
	for range highest {
		cut(func(a, b contribution) bool { return a.value > b.value })
	}
	return sum
}

// sonnebornBerger returns the sum of the points of all opponents, each multiplied with
// what the entrant scored against it (article 9.1). In a match of more than two the
// result against each opponent counts by its share.
func (t *table) sonnebornBerger(n int) (sum float64) {
	for i := range t.parts[n] {
		p := &t.parts[n][i]
		if t.absences && (p.bye || p.unplayed) {
			sum += t.rows[n].Points * p.points
			continue
		}
		for j, opponent := range p.opponents {
			sum += t.adjusted[opponent] * p.scored[j]
		}
	}
	return sum
}

// progressive returns the sum of the points that an entrant had after each round
// (article 7.5).
func (t *table) progressive(n int) (sum float64) {
	for i := range t.parts[n] {
		p := &t.parts[n][i]
		sum += p.points * float64(t.rounds-p.round)
	}
	return sum
}
