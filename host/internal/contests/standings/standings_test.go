package standings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"colosseum/host/internal/contests/pairing"
)

func history(format pairing.Format, n, legs int) *pairing.History {
	h := &pairing.History{Format: format, Size: 2, Legs: legs, Replays: 2}
	for i := range n {
		h.Entrants = append(h.Entrants, pairing.Entrant{Seed: i})
	}
	return h
}

// pair adds a pairing with the points of its first entrant in each leg.
func pair(h *pairing.History, round, a, b int, points ...float64) {
	p := pairing.Played{Pairing: pairing.Pairing{Round: round, Slot: len(h.Pairings), Entrants: []int{a, b}}}
	for _, x := range points {
		p.Legs = append(p.Legs, pairing.Leg{Points: []float64{x, 1 - x}})
	}
	h.Pairings = append(h.Pairings, p)
}

func compute(t *testing.T, h *pairing.History, tieBreaks ...string) []Standing {
	t.Helper()
	list, err := Compute(h, tieBreaks)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// of returns the row of an entrant.
func of(list []Standing, n int) Standing {
	return list[slices.IndexFunc(list, func(s Standing) bool { return s.Entrant == n })]
}

// TestSonnebornBergerOfAPublishedTable has the table of Sensei's Library,
// "Sonneborn-Berger": four players, each pair twice.
func TestSonnebornBergerOfAPublishedTable(t *testing.T) {
	h := history(pairing.RoundRobin, 4, 2)
	pair(h, 0, 0, 1, 1, 0)
	pair(h, 0, 2, 3, 1, 1)
	pair(h, 1, 0, 2, 1, 1)
	pair(h, 1, 1, 3, 1, 1)
	pair(h, 2, 0, 3, 1, 0)
	pair(h, 2, 1, 2, 1, 0)
	list := compute(t, h, "sonneborn-berger")
	want := []struct {
		points, sb float64
		rank       int
	}{{4, 11, 1}, {4, 9, 2}, {3, 6, 3}, {1, 4, 4}}
	for i, w := range want {
		if s := of(list, i); s.Points != w.points || s.TieBreaks[0] != w.sb || s.Rank != w.rank {
			t.Errorf("player %c: got %+v, want %+v", 'A'+i, s, w)
		}
	}
}

// opponents returns a Swiss history in which entrant 0 scores results against opponents
// that end with the given points.
func opponents(points, results []float64) *pairing.History {
	rounds := len(points)
	h := history(pairing.Swiss, 1+2*rounds, 1)
	for i, total := range points {
		total -= 1 - results[i]
		for round := range rounds {
			if round == i {
				pair(h, round, 0, 1+i, results[i])
				continue
			}
			x := min(1, total) // against somebody else
			total -= x
			pair(h, round, 1+i, 1+rounds+i, x)
		}
	}
	return h
}

func TestTieBreaksOfPublishedExamples(t *testing.T) {
	for _, test := range []struct {
		source          string
		points, results []float64
		tieBreak        string
		want            float64
	}{
		{"HultWiki, Sonneborn-Berger, example 1, player A", []float64{1, 3, 2, 2, 2}, []float64{1, 1, 1, 0, 0}, "sonneborn-berger", 6},
		{"the same, player B", []float64{1, 2, 2, 2, 2}, []float64{1, 1, 1, 0, 0}, "sonneborn-berger", 5},
		{"SK Troisdorf, Buchholz-Wertung, player 1", []float64{5, 3, 2, 2, 1, 0}, []float64{0, 0.5, 0, 1, 1, 1}, "buchholz", 13},
		{"the same, without the lowest", []float64{5, 3, 2, 2, 1, 0}, []float64{0, 0.5, 0, 1, 1, 1}, "buchholz-cut-1", 13},
		{"the same, player 2", []float64{4, 3, 3, 2, 2}, []float64{0.5, 0, 1, 1, 1}, "buchholz", 14},
		{"the same, without the lowest", []float64{4, 3, 3, 2, 2}, []float64{0.5, 0, 1, 1, 1}, "buchholz-cut-1", 12},
		{"the same, without the highest either", []float64{4, 3, 3, 2, 2}, []float64{0.5, 0, 1, 1, 1}, "median-buchholz", 8},
		{"Sydney Academy of Chess, Progress", []float64{0, 2, 2, 2}, []float64{1, 0, 1, 0.5}, "progressive", 6.5},
	} {
		h := opponents(test.points, test.results)
		if got := of(compute(t, h, test.tieBreak), 0).TieBreaks[0]; got != test.want {
			t.Errorf("%s: got %s %v, want %v", test.source, test.tieBreak, got, test.want)
		}
	}
}

// example is the one of docs/pairings.md: entrants are ana, ben, cem, dia and eva.
func example() *pairing.History {
	h := history(pairing.Swiss, 5, 1)
	bye := func(round, n int) {
		h.Pairings = append(h.Pairings, pairing.Played{Pairing: pairing.Pairing{Round: round, Slot: 9, Entrants: []int{n}}})
	}
	pair(h, 0, 0, 2, 1)
	pair(h, 0, 3, 1, 0)
	bye(0, 4)
	pair(h, 1, 1, 0, 0.5)
	pair(h, 1, 2, 4, 1)
	bye(1, 3)
	h.Entrants[4].Withdrawn = true
	pair(h, 2, 0, 3, 0)
	pair(h, 2, 2, 1, 0.5)
	return h
}

func TestTieBreaksOfTheDocumentedExample(t *testing.T) {
	list := compute(t, example(), "buchholz-cut-1", "buchholz", "sonneborn-berger", "median-buchholz", "progressive", "wins", "direct")
	var got []string
	for _, s := range list {
		got = append(got, strings.TrimSpace(fmt.Sprintln([]string{"ana", "ben", "cem", "dia", "eva"}[s.Entrant], s.Rank, s.Points, s.TieBreaks)))
	}
	want := []string{
		"dia 1 2 [4 5.5 3.5 2 3 1 0]",
		"ben 2 2 [3.5 5 3.5 1.5 4.5 1 0]",
		"ana 3 1.5 [4 5.5 2.5 2 4 1 0]",
		"cem 4 1.5 [3.5 5 2.5 1.5 2.5 1 0]",
		"eva 5 1 [2.5 3.5 1 1 3 0 0]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDocumentedExampleIsPairedAsDocumented(t *testing.T) {
	h := example()
	for from := 0; from < len(h.Pairings); {
		until := *h
		until.Pairings = h.Pairings[:from]
		until.Rounds = 3
		until.Entrants = slices.Clone(h.Entrants)
		until.Entrants[4].Withdrawn = from > 3
		next, _, err := pairing.Next(&until)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range next {
			if want := h.Pairings[from].Entrants; !slices.Equal(p.Entrants, want) {
				t.Errorf("round %d: got %v, want %v", p.Round+1, p.Entrants, want)
			}
			from++
		}
	}
}

func TestRanksAreSharedByEquals(t *testing.T) {
	h := history(pairing.RoundRobin, 4, 1)
	for _, p := range [][2]int{{3, 0}, {1, 2}, {0, 1}, {2, 3}, {0, 2}, {1, 3}} {
		pair(h, 0, p[0], p[1], 0.5)
	}
	for i, s := range compute(t, h, Defaults(pairing.RoundRobin)...) {
		if s.Rank != 1 || s.Entrant != i {
			t.Errorf("got entrant %d with rank %d at %d, want all with rank 1 in the order of seeds", s.Entrant, s.Rank, i)
		}
	}
}

func TestWithdrawnBeforeHalfOfItsMatchesCountsForNobody(t *testing.T) {
	for played, want := range map[int]float64{1: 0, 2: 1} { // of 4: points of its first opponent
		h := history(pairing.RoundRobin, 5, 1)
		h.Entrants[4].Withdrawn = true
		for i := range 4 {
			pair(h, i, i, 4, 1)
			h.Pairings[i].Legs[0].Unplayed = i >= played
		}
		list := compute(t, h)
		if got := of(list, 0).Points; got != want {
			t.Errorf("after %d of 4 matches: got %v points of its first opponent, want %v", played, got, want)
		}
		if got := of(list, 4); played == 1 && (got.Rank != 5 || got.Played+got.Walkovers > 0) {
			t.Errorf("got %+v, want rank 5 and nothing counted", got)
		}
	}
}

func TestDirectEncounterNeedsAllMeetings(t *testing.T) {
	h := history(pairing.Swiss, 6, 1)
	pair(h, 0, 0, 1, 0)
	pair(h, 0, 2, 3, 1)
	pair(h, 0, 4, 5, 1)
	pair(h, 1, 0, 3, 1)
	pair(h, 1, 1, 4, 0)
	pair(h, 1, 2, 5, 0)
	// 4 has 2 points; 0, 1, 2 and 5 have one, but did not all meet.
	list := compute(t, h, "direct")
	if s := of(list, 1); s.TieBreaks[0] != 0 || s.Rank != 2 {
		t.Errorf("got %+v, want no difference", s)
	}
	h = history(pairing.Swiss, 2, 1)
	pair(h, 0, 0, 1, 0)
	pair(h, 1, 0, 1, 1)
	pair(h, 2, 0, 1, 0)
	if s := of(compute(t, h, "direct"), 1); s.TieBreaks[0] != 0 { // not tied: 2 and 1
		t.Errorf("got %v for an entrant that is not tied, want 0", s.TieBreaks[0])
	}
}

func TestUnknownTieBreakIsRefusedWithTheKnownOnes(t *testing.T) {
	_, err := Compute(history(pairing.Swiss, 2, 1), []string{"bucholz"})
	want := `unknown tie-break "bucholz" (have board-points, buchholz, buchholz-cut-1, direct, match-points, median-buchholz, progressive, sonneborn-berger, wins)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := Check([]string{"wins", "wins"}); err == nil {
		t.Error("got no error for a tie-break that is listed twice, want one")
	}
	for _, f := range []pairing.Format{pairing.RoundRobin, pairing.Swiss, pairing.Knockout, pairing.DoubleElimination, pairing.Gauntlet} {
		if err := Check(Defaults(f)); err != nil {
			t.Errorf("the defaults of %s: got %v, want valid names", f, err)
		}
	}
}

func TestEliminationRanksByPlaces(t *testing.T) {
	for _, format := range []pairing.Format{pairing.Knockout, pairing.DoubleElimination} {
		h := history(format, 11, 2)
		random(t, h, 5, func() {
			places, err := pairing.Places(h)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range compute(t, h) {
				if s.Rank != places[s.Entrant] {
					t.Errorf("got rank %d of entrant %d, want %d", s.Rank, s.Entrant, places[s.Entrant])
				}
			}
		})
	}
}

// random plays a contest with withdrawals, late entries, walkovers and void legs. It
// calls check in between, also while legs have no result.
func random(t *testing.T, h *pairing.History, seed uint64, check func()) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	late := h.Format == pairing.RoundRobin || h.Format == pairing.Swiss || h.Format == pairing.Gauntlet
	for {
		next, over, err := pairing.Next(h)
		if err != nil {
			t.Fatal(err)
		}
		if check(); over {
			return
		}
		from := len(h.Pairings)
		for _, p := range next {
			h.Pairings = append(h.Pairings, pairing.Played{Pairing: p})
		}
		for i := from; i < len(h.Pairings); i++ {
			p := &h.Pairings[i]
			if r.IntN(12) == 0 {
				h.Entrants[r.IntN(len(h.Entrants))].Withdrawn = true
			}
			if late && r.IntN(20) == 0 && len(h.Entrants) < 30 {
				h.Entrants = append(h.Entrants, pairing.Entrant{Seed: len(h.Entrants)})
			}
			for range h.Legs {
				if p.Bye() {
					break
				}
				p.Legs = append(p.Legs, leg(r, h, p.Entrants))
				if r.IntN(150) == 0 {
					check()
				}
			}
		}
	}
}

func leg(r *rand.Rand, h *pairing.History, entrants []int) pairing.Leg {
	l := pairing.Leg{Void: r.IntN(30) == 0}
	rank := make([]int, len(entrants))
	for i, n := range entrants {
		rank[i] = r.IntN(3)
		if h.Entrants[n].Withdrawn || r.IntN(30) == 0 {
			l.Unplayed, l.Void = true, false
			rank[i] = 9
		}
	}
	for i := range rank {
		points := 0.0
		for j := range rank {
			switch {
			case i == j || rank[i] == 9:
			case l.Void || l.Unplayed && rank[j] != 9:
				points += 0.5
			case rank[i] < rank[j]:
				points++
			case rank[i] == rank[j]:
				points += 0.5
			}
		}
		l.Points = append(l.Points, points/float64(len(entrants)-1))
	}
	if h.Size == 4 && len(entrants) == 4 && !l.Unplayed && !l.Void {
		together(r, &l)
	}
	return l
}

// together makes the entrants of a leg teams, often: all of one kind, or three against one.
func together(r *rand.Rand, l *pairing.Leg) {
	teams := [][]int{nil, {1, 2, 1, 2}, {1, 1, 2, 2}, {3, 0, 0, 3}, {1, 1, 0, 1}, {1, 1, 1, 1}}[r.IntN(6)]
	if l.Teams = teams; teams == nil {
		return
	}
	for i := range teams {
		for j := range i {
			if l.Mates(i, j) {
				l.Points[i] = l.Points[j]
			}
		}
	}
}

// Two pairs play four legs: the mates change, and are no opponents.
func TestMatesAreNoOpponents(t *testing.T) {
	h := history(pairing.Swiss, 4, 2)
	h.Size, h.Rounds = 4, 1
	h.Pairings = []pairing.Played{{Pairing: pairing.Pairing{Entrants: []int{0, 1, 2, 3}}, Legs: []pairing.Leg{
		{Points: []float64{1, 0, 1, 0}, Teams: []int{1, 2, 1, 2}},
		{Points: []float64{1, 1, 0, 0}, Teams: []int{2, 2, 1, 1}},
	}}}
	list := compute(t, h, "buchholz", "sonneborn-berger", "direct", "wins")
	// 0 has 2 points, 1 and 2 have 1, 3 has none. In the first leg 0 has met 1 and 3, in the
	// second one 2 and 3: the mean of their points is 0.5 in both.
	want := []Standing{
		{Entrant: 0, Rank: 1, Points: 2, Played: 2, Wins: 2, TieBreaks: []float64{0.5, 1, 0, 2}},
		{Entrant: 1, Rank: 2, Points: 1, Played: 2, Wins: 1, Losses: 1, TieBreaks: []float64{1, 0.5, 0.5, 1}},
		{Entrant: 2, Rank: 2, Points: 1, Played: 2, Wins: 1, Losses: 1, TieBreaks: []float64{1, 0.5, 0.5, 1}},
		{Entrant: 3, Rank: 4, Points: 0, Played: 2, Losses: 2, TieBreaks: []float64{1.5, 0, 0, 0}},
	}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("got\n%+v, want\n%+v", list, want)
	}
}

// TestStandingsEqualASlowRecomputation compares random contests with naive, which
// shares no code with Compute.
func TestStandingsEqualASlowRecomputation(t *testing.T) {
	formats := []pairing.Format{pairing.RoundRobin, pairing.Swiss, pairing.Gauntlet, pairing.Knockout, pairing.DoubleElimination}
	for seed := range 70 {
		format := formats[seed%len(formats)]
		h := history(format, 2+seed%14, 1+seed%3)
		if (seed%7 == 0 || seed%7 == 3) && seed%len(formats) < 2 {
			h.Size = 3 + seed%2
		}
		random(t, h, uint64(seed), func() {
			list := compute(t, h, Known()...)
			for _, s := range list {
				n := naive{h, s.Entrant}
				for i, name := range Known() {
					if want, ok := n.value(name); ok && math.Abs(s.TieBreaks[i]-want) > 1e-5 {
						t.Fatalf("seed %d, %s, size %d: got %s %v of entrant %d, want %v", seed, format, h.Size, name, s.TieBreaks[i], s.Entrant, want)
					}
				}
				if math.Abs(s.Points-n.points()) > 1e-5 {
					t.Fatalf("seed %d: got %v points of entrant %d, want %v", seed, s.Points, s.Entrant, n.points())
				}
				if s.Played != s.Wins+s.Draws+s.Losses {
					t.Fatalf("seed %d: got %+v, want matches that are won, drawn or lost", seed, s)
				}
				direct := slices.Index(Known(), "direct")
				tied := among(list, func(o Standing) bool { return equal(h, o, s, direct) })
				if want := n.direct(tied); math.Abs(s.TieBreaks[direct]-want) > 1e-5 {
					t.Fatalf("seed %d, %s: got direct %v of entrant %d among %v, want %v", seed, format, s.TieBreaks[direct], s.Entrant, tied, want)
				}
				if rank := 1 + len(among(list, func(o Standing) bool { return better(h, o, s) })); s.Rank != rank {
					t.Fatalf("seed %d: got rank %d of entrant %d, want %d", seed, s.Rank, s.Entrant, rank)
				}
			}
		})
	}
}

// among returns the entrants of some rows.
func among(list []Standing, f func(Standing) bool) (entrants []int) {
	for _, s := range list {
		if f(s) {
			entrants = append(entrants, s.Entrant)
		}
	}
	return entrants
}

// equal reports whether two entrants are equal until the given tie-break.
func equal(h *pairing.History, a, b Standing, tieBreak int) bool {
	a.TieBreaks, b.TieBreaks = a.TieBreaks[:tieBreak], b.TieBreaks[:tieBreak]
	return !better(h, a, b) && !better(h, b, a)
}

// better reports whether one entrant is before another.
func better(h *pairing.History, a, b Standing) bool {
	x, y := a.Points, b.Points
	switch h.Format {
	case pairing.Knockout, pairing.DoubleElimination:
		places, _ := pairing.Places(h)
		x, y = -float64(places[a.Entrant]), -float64(places[b.Entrant])
	case pairing.RoundRobin:
		if (naive{h, a.Entrant}).annulled() {
			x = -1
		}
		if (naive{h, b.Entrant}).annulled() {
			y = -1
		}
	}
	if math.Abs(x-y) > 1e-5 {
		return x > y
	}
	for i := range a.TieBreaks {
		if math.Abs(a.TieBreaks[i]-b.TieBreaks[i]) > 1e-5 {
			return a.TieBreaks[i] > b.TieBreaks[i]
		}
	}
	return false
}

func TestStandingsOfALargeRoundRobinAreComputedBeforeItsMatches(t *testing.T) {
	h := history(pairing.RoundRobin, 500, 2)
	next, _, err := pairing.Next(h)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range next {
		h.Pairings = append(h.Pairings, pairing.Played{Pairing: p})
	}
	for i, s := range compute(t, h, Known()...) { // all are tied
		if s.Rank != 1 || s.Entrant != i {
			t.Fatalf("got %+v at %d, want rank 1 in the order of seeds", s, i)
		}
	}
}
