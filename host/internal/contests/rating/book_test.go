package rating

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"colosseum/internal/test/race"
)

// difference returns the largest differences of two tables: of ratings in standard
// errors, and of the width of the intervals as a part of it.
func difference(t *testing.T, got, want *Table) (rating, width float64) {
	t.Helper()
	if len(got.Estimates) != len(want.Estimates) {
		t.Fatalf("got %d estimates, want %d", len(got.Estimates), len(want.Estimates))
	}
	for p, g := range got.Estimates {
		w := want.Estimates[p]
		if g.Played != w.Played {
			t.Errorf("got %d matches of player %d, want %d", g.Played, p, w.Played)
		}
		if w.High > w.Low {
			rating = max(rating, math.Abs(g.Rating-w.Rating)*2*z95/(w.High-w.Low))
			width = max(width, math.Abs((g.High-g.Low)/(w.High-w.Low)-1))
		}
	}
	return rating, width
}

func TestBookAgreesWithFitAfterEachStep(t *testing.T) {
	race.Skip(t, "one goroutine computes")
	r := rand.New(rand.NewPCG(4, 4))
	start := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name             string
		players, matches int
		size             int
		teams            int // of each match; 0: none
		options          Options
		rating, width    float64
	}{
		{"small", 30, 400, 2, 0, Options{}, 1e-6, 1e-6},
		{"small with anchors, samples and age", 30, 400, 2, 0, Options{Anchors: map[int]float64{3: 1500, 9: 1800}, HalfLife: 200 * time.Hour}, 0.02, 1e-3},
		{"more than two to a match", 30, 200, 4, 0, Options{}, 1e-6, 1e-6},
		{"many cells", 400, 60_000, 2, 0, Options{}, 0.02, 0.1},
		{"many cells with anchors and age", 400, 60_000, 2, 0, Options{Anchors: map[int]float64{3: 1500}, HalfLife: 20_000 * time.Hour}, 0.02, 0.1},
		{"many cells of more than two", 100, 1500, 4, 0, Options{}, 0.02, 0.05},
		{"teams", 30, 200, 4, 2, Options{}, 1e-6, 1e-6},
		{"many cells of teams with an anchor", 100, 1500, 4, 2, Options{Anchors: map[int]float64{3: 1500}}, 0.02, 0.05},
	} {
		t.Run(tt.name, func(t *testing.T) {
			strength := make([]float64, tt.players)
			for i := range strength {
				strength[i] = r.NormFloat64()
			}
			list := randomMatches(r, strength, map[int]float64{2: 0.4, 3: 0.2}, func() int { return tt.size }, tt.matches)
			for i := range list {
				if tt.teams > 0 {
					list[i] = randomTeams(r, strength, map[int]float64{2: 0.4}, slices.Repeat([]int{tt.size / tt.teams}, tt.teams)...)
				}
				list[i].At = start.Add(time.Duration(i) * time.Hour)
				if len(tt.name) > 10 {
					list[i].Sample = int64(i/2) + 1
				}
			}
			book, err := NewBook(tt.options)
			if err != nil {
				t.Fatal(err)
			}
			check := func(n, players int, got *Table) {
				t.Helper()
				tt.options.Now = list[n-1].At
				want, err := Fit(players, list[:n], tt.options)
				if err != nil {
					t.Fatal(err)
				}
				if rating, width := difference(t, got, want); rating > tt.rating || width > tt.width {
					t.Errorf("after %d matches: got ratings that differ by %.2g standard errors, and intervals by %.2g, want at most %v and %v", n, rating, width, tt.rating, tt.width)
				} else {
					t.Logf("after %d matches: %.2g standard errors, %.2g of the width", n, rating, width)
				}
			}
			n := tt.matches - min(tt.matches/10, 1000)
			if err := book.Add(tt.players, list[:n]); err != nil {
				t.Fatal(err)
			}
			check(n, tt.players, book.Table(list[n-1].At))
			for i := n; i < tt.matches; i++ {
				if i%7 == 0 { // a new player
					tt.players++
					list[i].Players[0] = tt.players - 1
				}
				if err := book.Add(tt.players, list[i:i+1]); err != nil {
					t.Fatal(err)
				}
				table := book.Table(list[i].At)
				if i-n == 60 || i == tt.matches-1 {
					check(i+1, tt.players, table)
				}
			}
			if got, want := book.Last().Matches, tt.matches; got != want {
				t.Errorf("got a table of %d matches, want %d", got, want)
			}
			check(tt.matches, tt.players, book.Refresh(list[tt.matches-1].At))
			check(tt.matches, tt.players, book.Table(list[tt.matches-1].At))
		})
	}
}

func TestBookCanBeReadWhileMatchesAreAdded(t *testing.T) {
	list := world(300, 31_000, 2, false)
	book, err := NewBook(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := book.Add(300, list[:30_000]); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	book.Table(now)
	done := make(chan struct{})
	var wait sync.WaitGroup
	for _, run := range []func(){
		func() { book.Last() },
		func() { book.Table(now) },
		func() { book.Refresh(now) },
		func() { book.Stale() },
	} {
		wait.Add(1)
		go func() { // ends when all matches are added
			defer wait.Done()
			for {
				run()
				select {
				case <-done:
					return
				default:
				}
			}
		}()
	}
	for i := 30_000; i < len(list); i++ {
		if err := book.Add(300, list[i:i+1]); err != nil {
			t.Error(err)
		}
		if i%300 == 0 {
			if err := book.Anchor(i/300, 1500); err != nil {
				t.Error(err)
			}
			book.Table(now)
		}
	}
	close(done)
	wait.Wait()
	want, err := Fit(300, list, Options{Anchors: map[int]float64{100: 1500, 101: 1500, 102: 1500, 103: 1500}})
	if err != nil {
		t.Fatal(err)
	}
	if rating, _ := difference(t, book.Table(now), want); rating > 0.02 {
		t.Errorf("got ratings that differ by %.2g standard errors, want at most 0.02", rating)
	}
}

func TestTableHasPlayersWithoutMatches(t *testing.T) {
	b, err := NewBook(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Add(2, []Match{{Players: []int{0, 1}, Ranks: []int{1, 2}}}); err != nil {
		t.Fatal(err)
	}
	_ = b.Table(time.Time{})
	if err := b.Add(4, nil); err != nil {
		t.Fatal(err)
	}
	if got := len(b.Table(time.Time{}).Estimates); got != 4 {
		t.Errorf("got the ratings of %d players, want 4", got)
	}
}
