package rating

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var day = 24 * time.Hour

// start is the time of the first match of a test.
var start = time.Date(2027, 3, 1, 18, 0, 0, 0, time.UTC)

func fitOf(t *testing.T, players int, matches []Match, o Options) *Table {
	t.Helper()
	table, err := Fit(players, matches, o)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// match returns a match in which the players are in the order of their ranks.
func match(players ...int) Match {
	m := Match{Players: players, At: start}
	for i := range players {
		m.Ranks = append(m.Ranks, i+1)
	}
	return m
}

func draw(a, b int) Match { return Match{Players: []int{a, b}, Ranks: []int{1, 1}, At: start} }

func TestOrderOfMatchesSeatsAndRanksDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	strength := []float64{0, 1, -1, 0.5, 2, 0, 0, -2, 1, 0.3}
	list := randomMatches(r, strength, map[int]float64{2: 0.5, 3: 0.3}, func() int { return 2 + r.IntN(3) }, 300)
	for i := range list {
		list[i].At = start.Add(time.Duration(r.IntN(1000)) * time.Hour)
		list[i].Sample = int64(r.IntN(100))
	}
	o := Options{Anchors: map[int]float64{2: 1400, 5: 1500, 7: 1200}, HalfLife: 10 * day, Now: start.Add(50 * day)}
	want := fitOf(t, 10, list, o)
	for range 20 {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		shuffled := slices.Clone(list)
		for i, m := range shuffled {
			players, ranks := slices.Clone(m.Players), slices.Clone(m.Ranks)
			r.Shuffle(len(players), func(i, j int) {
				players[i], players[j] = players[j], players[i]
				ranks[i], ranks[j] = ranks[j], ranks[i]
			})
			for j := range ranks {
				ranks[j] = 3*ranks[j] - 7 // only the order counts
			}
			shuffled[i].Players, shuffled[i].Ranks = players, ranks
		}
		got := fitOf(t, 10, shuffled, o)
		if !slices.Equal(got.Estimates, want.Estimates) || got.Draws != want.Draws {
			t.Fatalf("got\n%v, %v in another order, want\n%v, %v", got.Estimates, got.Draws, want.Estimates, want.Draws)
		}
	}
}

func TestScaleIsTenToOneFor400Points(t *testing.T) {
	var list []Match
	for range 1000 {
		list = append(list, match(1, 0))
		for range 10 {
			list = append(list, match(0, 1))
		}
	}
	got := fitOf(t, 2, list, vanished).Estimates
	closeTo(t, "difference", got[0].Rating-got[1].Rating, 400, 1e-3)
	closeTo(t, "mean", (got[0].Rating+got[1].Rating)/2, Center, 1e-9)
}

func TestAnchorsAreFixedAndShiftTheOthers(t *testing.T) {
	list := []Match{match(0, 1), match(1, 2), match(2, 0), match(1, 0), draw(0, 2)}
	free := fitOf(t, 4, list, vanished).Estimates
	got := fitOf(t, 4, list, Options{Prior: 1e5, Anchors: map[int]float64{1: 1800, 3: 2000}}).Estimates
	if want := (Estimate{1800, 1800, 1800, 3}); got[1] != want {
		t.Errorf("got the anchor %v, want %v", got[1], want)
	}
	if want := (Estimate{2000, 2000, 2000, 0}); got[3] != want {
		t.Errorf("got the anchor without matches %v, want %v", got[3], want)
	}
	closeTo(t, "difference from the anchor", got[0].Rating-1800, free[0].Rating-free[1].Rating, 0.01)
	if got[0].High-got[0].Low <= free[0].High-free[0].Low {
		t.Errorf("got an interval of %v relative to one player, want more than %v relative to the mean", got[0].High-got[0].Low, free[0].High-free[0].Low)
	}
	without := fitOf(t, 4, list, Options{Anchors: map[int]float64{3: 2000}}).Estimates
	closeTo(t, "mean, if no anchor has matches", (without[0].Rating+without[1].Rating+without[2].Rating)/3, Center, 1e-6)
}

// With two players the interval is known: the variance of the difference of their
// strengths is 1/(n/4 + precision/2), and each is half of it away from the mean.
func TestIntervalOfTwoPlayersIsRelativeToTheirMean(t *testing.T) {
	list := slices.Repeat([]Match{match(0, 1), match(1, 0)}, 8)
	got := fitOf(t, 2, list, Options{}).Estimates[0]
	precision := 1 / math.Pow(DefaultPrior/pointsPerNat, 2)
	closeTo(t, "width", (got.High-got.Low)/2, z95*pointsPerNat*math.Sqrt(1/(16./4+precision/2))/2, 1e-9)
}

func TestMatchesOfASampleCountAsOne(t *testing.T) {
	o := Options{Prior: 1e5}
	one := []Match{match(0, 1), match(1, 0), match(0, 1), match(1, 0), match(0, 1)}
	var twice []Match
	for i, m := range one {
		m.Sample = int64(i + 1)
		twice = append(twice, m, m)
	}
	want, got := fitOf(t, 2, one, o).Estimates[0], fitOf(t, 2, twice, o).Estimates[0]
	closeTo(t, "rating", got.Rating, want.Rating, 1e-6)
	closeTo(t, "end of the interval", got.High, want.High, 1e-6)
	if got.Played != 10 {
		t.Errorf("got %d matches, want 10", got.Played)
	}
}

func TestMatchOfTheAgeOfAHalfLifeHasHalfTheWeight(t *testing.T) {
	var aged, weighed []Match
	for i, m := range []Match{match(0, 1), match(1, 2), match(2, 0), match(1, 0), match(0, 2)} {
		recent, old := m, m
		old.At = start.Add(-30 * day)
		aged = append(aged, recent, old)
		// A sample of two half weights, next to a whole one.
		recent.Sample, old.Sample = 0, int64(i+1)
		weighed = append(weighed, recent, old)
		filler := match(3, 4)
		filler.Sample = int64(i + 1)
		weighed = append(weighed, filler)
	}
	got := fitOf(t, 5, aged, Options{HalfLife: 30 * day, Now: start, Anchors: map[int]float64{0: 1500}}).Estimates
	want := fitOf(t, 5, weighed, Options{Anchors: map[int]float64{0: 1500}}).Estimates
	for p := range 3 {
		closeTo(t, "rating", got[p].Rating, want[p].Rating, 1e-6)
		closeTo(t, "end of the interval", got[p].High, want[p].High, 1e-6)
	}
	now := fitOf(t, 5, aged, Options{HalfLife: 30 * day, Now: start}).Estimates[1]
	later := fitOf(t, 5, aged, Options{HalfLife: 30 * day, Now: start.Add(3000 * day)}).Estimates[1]
	if later.High-later.Low <= now.High-now.Low || math.Abs(later.Rating-Center) > 1e-6 {
		t.Errorf("got %v after 100 half-lives, want the prior, wider than %v", later, now)
	}
}

func TestDegenerateResultsHaveFiniteRatings(t *testing.T) {
	for _, tt := range []struct {
		name    string
		players int
		matches []Match
		check   func(e []Estimate) bool
	}{
		{"no players", 0, nil, func(e []Estimate) bool { return len(e) == 0 }},
		{"no matches", 3, nil, func(e []Estimate) bool { return e[0].Rating == Center && e[2].High > 2600 && e[2].Low < 400 }},
		{"one match", 3, []Match{match(0, 1)}, func(e []Estimate) bool { return e[0].Rating > Center && e[1].Rating < Center && e[2].Rating == Center }},
		{"one draw", 2, []Match{draw(0, 1)}, func(e []Estimate) bool { return math.Abs(e[0].Rating-e[1].Rating) < 1e-9 }},
		{"one wins all", 3, slices.Repeat([]Match{match(0, 1), match(0, 2), match(1, 2), match(2, 1)}, 1000), func(e []Estimate) bool { return e[0].Rating > e[1].Rating+500 }},
		{"all drawn", 3, slices.Repeat([]Match{draw(0, 1), draw(1, 2)}, 1000), func(e []Estimate) bool { return math.Abs(e[0].Rating-e[1].Rating) < 1e-6 }},
		{"two components", 4, []Match{match(0, 1), match(0, 1), match(2, 3)}, func(e []Estimate) bool { return e[0].Rating > e[2].Rating && e[2].Rating > e[3].Rating }},
		{"all share the rank of four", 4, []Match{{Players: []int{0, 1, 2, 3}, Ranks: []int{1, 1, 1, 1}}}, func(e []Estimate) bool { return math.Abs(e[0].Rating-e[3].Rating) < 1e-9 }},
		{"a winner of four", 4, []Match{{Players: []int{0, 1, 2, 3}, Ranks: []int{1, 2, 2, 2}}}, func(e []Estimate) bool { return e[0].Rating > e[1].Rating && math.Abs(e[1].Rating-e[3].Rating) < 1e-9 }},
	} {
		for _, o := range []Options{{}, {Prior: 1e5}, {Prior: 1}, {Anchors: map[int]float64{0: MaxAnchor, 1: -MaxAnchor}}, {HalfLife: time.Hour, Now: start.Add(1e6 * time.Hour)}} {
			t.Run(tt.name, func(t *testing.T) {
				table := fitOf(t, tt.players, tt.matches, o)
				checkFinite(t, table)
				if o.Prior == 0 && o.Anchors == nil && o.HalfLife == 0 && !tt.check(table.Estimates) {
					t.Errorf("got %v, want estimates that pass the check of %q", table.Estimates, tt.name)
				}
			})
		}
	}
}

func checkFinite(t *testing.T, table *Table) {
	t.Helper()
	for p, e := range table.Estimates {
		for _, x := range []float64{e.Rating, e.Low, e.High} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("got %v for player %d, want finite numbers", e, p)
			}
		}
		if e.Low > e.Rating || e.High < e.Rating {
			t.Errorf("got %v for player %d, want its rating in its interval", e, p)
		}
	}
	for n, x := range table.Ties {
		if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
			t.Errorf("got %v for ties of %d, want a finite number", x, n)
		}
	}
}

func TestWhatCannotBeRatedIsRefused(t *testing.T) {
	ok := match(0, 1)
	for _, tt := range []struct {
		name    string
		players int
		match   Match
		options Options
		want    string
	}{
		{"too many players", MaxPlayers + 1, ok, Options{}, "at most"},
		{"negative players", -1, ok, Options{}, "at most"},
		{"one player", 2, match(0), Options{}, "from 2 to"},
		{"too many seats", 100, match(rand.Perm(MaxSeats + 1)...), Options{}, "from 2 to"},
		{"unknown player", 1, ok, Options{}, "match 0: player 1 is not from 0 to 0"},
		{"negative player", 2, match(-1, 0), Options{}, "player -1"},
		{"twice", 2, match(1, 1), Options{}, "twice"},
		{"ranks missing", 2, Match{Players: []int{0, 1}, Ranks: []int{1}}, Options{}, "2 players, but 1 ranks"},
		{"teams missing", 2, Match{Players: []int{0, 1}, Ranks: []int{1, 2}, Teams: []int{1}}, Options{}, "2 players, but 1 teams"},
		{"a team with two ranks", 2, Match{Players: []int{0, 1}, Ranks: []int{1, 2}, Teams: []int{1, 1}}, Options{}, "the team of player 1 has the ranks 1 and 2"},
		{"prior", 2, ok, Options{Prior: math.NaN()}, "prior"},
		{"tiny prior", 2, ok, Options{Prior: 1e-9}, "prior"},
		{"half-life", 2, ok, Options{HalfLife: time.Second}, "half-life"},
		{"negative half-life", 2, ok, Options{HalfLife: -time.Hour}, "half-life"},
		{"anchor", 2, ok, Options{Anchors: map[int]float64{0: math.Inf(1)}}, "anchor"},
		{"anchor of nobody", 2, ok, Options{Anchors: map[int]float64{-1: 0}}, "anchor"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Fit(tt.players, []Match{tt.match}, tt.options)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got the error %v, want one with %q", err, tt.want)
			}
		})
	}
	book, err := NewBook(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := book.Add(2, []Match{ok, match(0, 5)}); err == nil {
		t.Error("got no error for an unknown player, want one")
	}
	if got := book.Table(start); got.Matches != 0 {
		t.Errorf("got %d matches after an error, want none", got.Matches)
	}
	if err := book.Add(3, nil); err != nil {
		t.Error(err)
	}
	if err := book.Add(2, nil); err == nil {
		t.Error("got no error for fewer players than before, want one")
	}
}

// FuzzFit rates any matches, all at once and in a book.
func FuzzFit(f *testing.F) {
	f.Add([]byte{0, 1, 2, 1, 2, 0, 0, 0, 1, 2, 3, 0, 1, 2, 1, 2, 3, 4}, uint8(0))
	f.Add([]byte{1, 1, 3, 0, 9, 9, 9, 3, 3, 3, 3, 7}, uint8(7))
	f.Add([]byte{2, 1, 1, 129, 129, 130, 130, 2, 2, 2, 129, 130, 130, 129, 3, 0, 0, 129, 129, 129, 129, 2}, uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, how uint8) {
		const players = 6
		r := rand.New(rand.NewPCG(uint64(how), 0))
		var list []Match
		for len(text) > 3 && len(list) < 200 {
			size := 2 + int(text[0])%(players-1)
			if len(text) < size+3 {
				break
			}
			m := Match{Players: r.Perm(players)[:size], Sample: int64(text[1] % 8), At: time.Unix(int64(binary.LittleEndian.Uint16(text[1:]))*3600, 0)}
			for _, b := range text[3 : size+3] {
				m.Ranks = append(m.Ranks, int(b)%4)
				m.Teams = append(m.Teams, int(b)%4*int(b>>7)) // those of a rank can be a team
			}
			list, text = append(list, m), text[size+3:]
		}
		o := Options{Now: time.Unix(1e8, 0)}
		if how&1 != 0 {
			o.Anchors = map[int]float64{2: 1300, 4: float64(how) * 50}
		}
		if how&2 != 0 {
			o.HalfLife = time.Duration(1+how) * day
		}
		if how&4 != 0 {
			o.Prior = 1e5
		}
		want := fitOf(t, players, list, o)
		checkFinite(t, want)
		book, err := NewBook(o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			if err := book.Add(players, list[i:i+1]); err != nil {
				t.Fatal(err)
			}
			if i%20 == 0 {
				checkFinite(t, book.Table(o.Now))
			}
		}
		got := book.Table(o.Now)
		for p := range got.Estimates {
			g, w := got.Estimates[p], want.Estimates[p]
			// A book rounds the time, and a fit may stop anywhere where the posterior is flat.
			if math.Abs(g.Rating-w.Rating) > 1e-3*(1+w.High-w.Low) {
				t.Errorf("got %v for player %d from a book, want %v", g, p, w)
			}
		}
	})
}
