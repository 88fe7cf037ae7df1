package rating

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"colosseum/internal/test/long"
	"colosseum/internal/test/race"
)

// coverage returns the share of intervals that hold the true rating. Without anchors the
// true ratings are relative to their mean, as the intervals are.
func coverage(t *testing.T, fits int, draw func(i int) (strength []float64, matches []Match, o Options)) float64 {
	t.Helper()
	inside, all := 0, 0
	for i := range fits {
		strength, matches, o := draw(i)
		table, err := Fit(len(strength), matches, o)
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for _, s := range strength {
			mean += s / float64(len(strength))
		}
		for p, e := range table.Estimates {
			truth := Center + pointsPerNat*(strength[p]-mean)
			if fixed, ok := o.Anchors[0]; ok {
				truth = fixed + pointsPerNat*(strength[p]-strength[0])
			}
			if _, ok := o.Anchors[p]; ok {
				continue
			}
			all++
			if e.Low <= truth && truth <= e.High {
				inside++
			}
		}
	}
	return float64(inside) / float64(all)
}

func TestIntervalsHoldTheTruthAsOftenAsTheySay(t *testing.T) {
	race.Skip(t, "one goroutine computes")
	fits := long.Number(250, 1000)
	for _, tt := range []struct {
		name          string
		players, size int
		matches       int
		ties          map[int]float64
		options       Options
		team          int // players of each team; 0: there is none
	}{
		{"two to a match", 10, 2, 150, nil, Options{}, 0},
		{"with draws", 10, 2, 150, map[int]float64{2: 0.7}, Options{}, 0},
		{"with an anchor", 10, 2, 150, map[int]float64{2: 0.3}, Options{Anchors: map[int]float64{0: 1500}}, 0},
		{"four to a match", 10, 4, 60, nil, Options{}, 0},
		{"four to a match with ties", 8, 4, 60, map[int]float64{2: 0.4, 3: 0.2}, Options{}, 0},
		{"two against two", 10, 4, 150, nil, Options{}, 2},
		{"two against two with draws and an anchor", 10, 4, 150, map[int]float64{2: 0.7}, Options{Anchors: map[int]float64{0: 1500}}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, uint64(tt.players*tt.size)))
			got := coverage(t, fits, func(int) ([]float64, []Match, Options) {
				strength := make([]float64, tt.players)
				for i := range strength {
					strength[i] = r.NormFloat64() * 1.2 // 200 points
				}
				if tt.team == 0 {
					return strength, randomMatches(r, strength, tt.ties, func() int { return tt.size }, tt.matches), tt.options
				}
				var list []Match
				for range tt.matches {
					list = append(list, randomTeams(r, strength, tt.ties, slices.Repeat([]int{tt.team}, tt.size/tt.team)...))
				}
				return strength, list, tt.options
			})
			t.Logf("%.2f %%", 100*got)
			if got < 0.93 || got > 0.97 {
				t.Errorf("got %.2f %% of the intervals with the truth, want 93 to 97 %%", 100*got)
			}
		})
	}
}

func TestSwissOf200PlayersAnd50Rounds(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	got := coverage(t, 1, func(int) ([]float64, []Match, Options) {
		strength := make([]float64, 200)
		for i := range strength {
			strength[i] = r.NormFloat64() * 1.2
		}
		var matches []Match
		for range 50 {
			order := r.Perm(200)
			for i := 0; i < 200; i += 2 {
				matches = append(matches, randomMatch(r, strength, map[int]float64{2: 0.3}, order[i:i+2]))
			}
		}
		return strength, matches, Options{}
	})
	// Three standard errors of 200 intervals.
	if got < 0.90 || got > 0.995 {
		t.Errorf("got %.2f %% of the intervals with the truth, want about 95 %%", 100*got)
	}
}

// graph returns a fit of matches between drawn players.
func graph(t *testing.T, r *rand.Rand, players int, draw func() (a, b int), matches int, o Options) *fit {
	t.Helper()
	strength := make([]float64, players)
	for i := range strength {
		strength[i] = r.NormFloat64()
	}
	var list []Match
	for range matches {
		a, b := draw()
		if a != b && b < players {
			list = append(list, randomMatch(r, strength, map[int]float64{2: 0.3}, []int{a, b}))
		}
	}
	l := newLedger(0)
	if err := l.add(players, list); err != nil {
		t.Fatal(err)
	}
	l.sort()
	f := newFit(l, &o, time.Time{})
	f.solve()
	return f
}

// The figures of docs/decisions/ratings.md are what this logs with 1,400 players.
func TestSampledIntervalsAreNearTheExactOnes(t *testing.T) {
	race.Skip(t, "one goroutine computes")
	const n = 300
	r := rand.New(rand.NewPCG(13, 13))
	for _, tt := range []struct {
		name       string
		draw       func() (int, int)
		matches    int
		options    Options
		rms, worst float64
	}{
		{"100 random opponents", func() (int, int) { return r.IntN(n), r.IntN(n) }, 50 * n, Options{}, 0.003, 0.01},
		{"10 random opponents", func() (int, int) { return r.IntN(n), r.IntN(n) }, 5 * n, Options{}, 0.005, 0.02},
		{"10 random opponents, an anchor", func() (int, int) { return r.IntN(n), r.IntN(n) }, 5 * n, Options{Anchors: map[int]float64{0: 1500}}, 0.01, 0.03},
		{"20 near opponents", func() (int, int) { a := r.IntN(n); return a, a + 1 + r.IntN(10) }, 50 * n, Options{}, 0.04, 0.1},
		{"a chain", func() (int, int) { a := r.IntN(n); return a, a + 1 }, 50 * n, Options{}, 0.04, 0.1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := graph(t, r, n, tt.draw, tt.matches, tt.options)
			exact, ok := f.exactVariances()
			if !ok {
				t.Fatal("got a curvature that cannot be inverted, want its inverse")
			}
			sum, worst := 0.0, 0.0
			got := f.sampledVariances()
			for _, p := range f.active {
				e := math.Sqrt(got[p]/exact[p]) - 1
				sum += e * e / float64(len(f.active))
				worst = max(worst, math.Abs(e))
			}
			t.Logf("error of the width: %.2g %% in the mean, %.2g %% at worst", 100*math.Sqrt(sum), 100*worst)
			if math.Sqrt(sum) > tt.rms || worst > tt.worst {
				t.Errorf("got the errors %.3g and %.3g of the width, in the mean and at worst, want at most %v and %v", math.Sqrt(sum), worst, tt.rms, tt.worst)
			}
		})
	}
}
