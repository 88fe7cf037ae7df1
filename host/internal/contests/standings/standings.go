// Package standings ranks the entrants of a contest. Its functions are pure: the same
// history has the same standings.
//
// docs/pairings.md has all tie-breaks with an example that can be recomputed by hand.
package standings

import (
	"cmp"
	"math"
	"slices"

	"colosseum/host/internal/contests/pairing"
)

// Standing is an entrant in the standings.
type Standing struct {
	Entrant   int
	Rank      int     // from 1; shared by entrants that are equal in points and all tie-breaks
	Points    float64 // of all its pairings, with byes and walkovers
	Played    int     // legs with a match that was not aborted: the sum of the next three
	Wins      int     // legs in which it was first, alone or as a team
	Draws     int     // legs in which it shared the first place with another side
	Losses    int
	Byes      int
	Walkovers int       // legs that were decided without a match, for or against it
	TieBreaks []float64 // in the order in which they were asked for
	Best, Sum float64   // of the scores of a contest by score; Points is their mean
}

// Compute returns the standings in the order of the ranks; entrants with the same rank
// are in the order of their seeds. Legs without a result do not count, so that it can
// be called at any time. The tie-breaks decide between equal points, the first one
// first; see [Known].
//
// In a knockout and a double elimination the ranks are the places of [pairing.Places],
// and the tie-breaks decide between those that share a place. Points decide nothing. In a
// contest by score, see [byScore], there are no tie-breaks.
//
// The results of an entrant of a round robin between two that withdrew before half of
// its matches were played count for nobody, and it is ranked last (FIDE Tournament
// Rules, C.06, article 5.4; today in the General Regulations for Competitions, C.05).
func Compute(h *pairing.History, tieBreaks []string) ([]Standing, error) {
	if err := Check(tieBreaks); err != nil {
		return nil, err
	}
	if err := h.Check(); err != nil {
		return nil, err
	}
	if h.Format == pairing.Score {
		return byScore(h), nil
	}
	t := newTable(h)
	keys := make([][]float64, len(h.Entrants))
	for i := range keys {
		keys[i] = []float64{t.rows[i].Points}
		if t.annulled[i] {
			keys[i][0] = -1
		}
	}
	if h.Format == pairing.Knockout || h.Format == pairing.DoubleElimination {
		places, err := pairing.Places(h)
		if err != nil {
			return nil, err
		}
		for i, place := range places {
			keys[i][0] = -float64(place)
		}
	}
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	bySeed := func(a, b int) int { return cmp.Compare(h.Entrants[a].Seed, h.Entrants[b].Seed) }
	sort := func() {
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(slices.Compare(keys[b], keys[a]), bySeed(a, b)) })
	}
	for _, name := range tieBreaks {
		sort()
		for from := 0; from < len(order); {
			to := from + 1
			for to < len(order) && slices.Equal(keys[order[from]], keys[order[to]]) {
				to++
			}
			tied := order[from:to]
			for i, value := range known[name](t, tied) {
				n := tied[i]
				t.rows[n].TieBreaks = append(t.rows[n].TieBreaks, round(value))
				keys[n] = append(keys[n], round(value))
			}
			from = to
		}
	}
	sort()
	list := make([]Standing, 0, len(order))
	for i, n := range order {
		row := t.rows[n]
		row.Rank = i + 1
		if i > 0 && slices.Equal(keys[n], keys[order[i-1]]) {
			row.Rank = list[i-1].Rank
		}
		list = append(list, row)
	}
	return list, nil
}

// Sums of thirds have no exact values. Points are rounded much finer than the
// tie-breaks that are computed from them, so that equal ones compare as equal.
func round(x float64) float64 { return math.Round(x*1e6) / 1e6 }
func fine(x float64) float64  { return math.Round(x*1e9) / 1e9 }

// table is a history by entrants.
type table struct {
	h        *pairing.History
	rows     []Standing // by entrant
	rounds   int
	annulled []bool    // by entrant: its results do not count
	parts    [][]part  // by entrant: its pairings, byes too
	match    []float64 // by entrant: its points if pairings count as [pairing.History.MatchPoints]
	board    []float64 // by entrant: its points if legs count
	adjusted []float64 // by entrant: its points as those of an opponent
	absences bool      // rounds without a match count as in a Swiss system
}

// part is what an entrant had from a pairing.
type part struct {
	round     int
	opponents []int
	share     []float64 // of each opponent among those of all legs; their sum is 1, or 0 if all others were mates
	scored    []float64 // against each opponent, in all legs, each time divided by the number of its opponents
	points    float64
	bye       bool
	unplayed  bool // all legs were decided without a match
}

func newTable(h *pairing.History) *table {
	n := len(h.Entrants)
	t := &table{h: h, rows: make([]Standing, n), parts: make([][]part, n), match: make([]float64, n), board: make([]float64, n)}
	t.absences = h.Format == pairing.Swiss || h.Size > 2
	t.annulled = annulled(h)
	for i := range t.rows {
		t.rows[i].Entrant = i
	}
	for i := range h.Pairings {
		p := &h.Pairings[i]
		t.rounds = max(t.rounds, p.Round+1)
		if !slices.ContainsFunc(p.Entrants, func(n int) bool { return t.annulled[n] }) {
			t.add(p)
		}
	}
	for i := range t.rows {
		t.rows[i].Points = fine(t.rows[i].Points)
	}
	t.adjusted = make([]float64, n)
	for i := range t.adjusted {
		t.adjusted[i] = t.rows[i].Points
		if t.absences {
			t.adjusted[i] += t.draws(i)
		}
	}
	return t
}

// annulled returns the entrants whose results count for nobody.
func annulled(h *pairing.History) []bool {
	list := make([]bool, len(h.Entrants))
	if h.Format != pairing.RoundRobin || h.Size > 2 {
		return list
	}
	all, played := make([]int, len(list)), make([]int, len(list))
	for i := range h.Pairings {
		p := &h.Pairings[i]
		if p.Bye() {
			continue
		}
		for _, n := range p.Entrants {
			all[n] += h.Legs
			for _, l := range p.Legs {
				if !l.Unplayed {
					played[n]++
				}
			}
		}
	}
	for i, e := range h.Entrants {
		list[i] = e.Withdrawn && 2*played[i] < all[i]
	}
	return list
}

// add counts a pairing.
func (t *table) add(p *pairing.Played) {
	total, match, board := t.h.Total(p), t.h.TotalBy(p, true), t.h.TotalBy(p, false)
	for i, n := range p.Entrants {
		row := &t.rows[n]
		row.Points += total[i]
		t.match[n] += match[i]
		t.board[n] += board[i]
		own := part{round: p.Round, points: total[i], bye: p.Bye(), unplayed: p.Unplayed()}
		if p.Bye() {
			row.Byes++
		}
		for j, m := range p.Entrants {
			if j != i {
				own.opponents = append(own.opponents, m)
			}
		}
		own.share, own.scored = make([]float64, len(own.opponents)), make([]float64, len(own.opponents))
		if len(p.Legs) == 0 { // nobody knows the teams yet
			own.meet(i, &pairing.Leg{}, 1)
		}
		for _, l := range p.Legs {
			own.meet(i, &l, 1/float64(len(p.Legs)))
			switch {
			case l.Unplayed:
				row.Walkovers++
			case !l.Void:
				row.Played++
				count(row, &l, i)
			}
		}
		if t.h.MatchPoints && len(own.scored) == 1 {
			own.scored[0] = total[i]
		}
		t.parts[n] = append(t.parts[n], own)
	}
}

// meet counts a leg of the entrant at a place of its pairing: a part of all its legs.
func (p *part) meet(i int, l *pairing.Leg, legs float64) {
	opponent := func(k int) (j int, ok bool) {
		if j = k; k >= i {
			j++
		}
		return j, !l.Mates(i, j)
	}
	n := 0.0
	for k := range p.opponents {
		if _, ok := opponent(k); ok {
			n++
		}
	}
	for k := range p.opponents {
		if j, ok := opponent(k); ok {
			p.share[k] += legs / n
			if l.Points != nil {
				p.scored[k] += against(l, i, j) / n
			}
		}
	}
}

// count counts a leg that was played as a win, a draw or a loss. A leg in which all were one
// team is a draw.
func count(row *Standing, l *pairing.Leg, i int) {
	best := slices.Max(l.Points)
	opponents, shared := 0, false
	for j, x := range l.Points {
		if j != i && !l.Mates(i, j) {
			opponents++
			shared = shared || x == best
		}
	}
	switch {
	case l.Points[i] < best:
		row.Losses++
	case shared || opponents == 0:
		row.Draws++
	default:
		row.Wins++
	}
}

// against returns what one has scored against another in a leg: 1, 0.5 or 0.
func against(l *pairing.Leg, one, other int) float64 {
	a, b := l.Points[one], l.Points[other]
	switch {
	case a > b:
		return 1
	case a < b, l.Unplayed && a == 0:
		return 0
	}
	return 0.5
}

// absent reports whether an entrant had no pairing in a round, or lost it without
// playing. Until the first result of a pairing it does not.
func (t *table) absent(n, round int) (absent, paired bool) {
	for i := range t.parts[n] {
		if p := &t.parts[n][i]; p.round == round {
			return p.unplayed && p.points == 0, true
		}
	}
	return true, false
}

// draws returns what is added to the points of an entrant when its opponents' tie-breaks
// are computed: half of the points for each round without a pairing after which it never
// came back (C.07, articles 16.2 and 16.3).
func (t *table) draws(n int) (sum float64) {
	for round := t.rounds - 1; round >= 0; round-- {
		absent, paired := t.absent(n, round)
		if !absent {
			break
		}
		if !paired {
			sum += t.h.Worth() / 2
		}
	}
	return sum
}
