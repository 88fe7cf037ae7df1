package rating

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"colosseum/internal/test/race"
)

// randomTeams returns a match between teams of the given sizes, drawn from the model
// itself. The teams are numbered from 1, and a team of one has the number 0.
func randomTeams(r *rand.Rand, strength []float64, ties map[int]float64, sizes ...int) Match {
	rest := r.Perm(len(strength))
	var m Match
	var sides []float64
	for i, size := range sizes {
		sum := 0.0
		for _, p := range rest[:size] {
			sum += strength[p]
			number := i + 1
			if size == 1 {
				number = 0
			}
			m.Players, m.Teams = append(m.Players, p), append(m.Teams, number)
		}
		sides, rest = append(sides, sum/float64(size)), rest[size:]
	}
	ends := randomMatch(r, sides, ties, slices.Sorted(slices.Values(r.Perm(len(sizes)))))
	for i, size := range sizes {
		m.Ranks = append(m.Ranks, slices.Repeat([]int{ends.Ranks[i]}, size)...)
	}
	return m
}

// slowTeams is slowValue for matches between teams: each team is a player whose strength is
// the mean of those of its players.
func slowTeams(matches []Match, strength []float64, ties map[int]float64) (value float64) {
	for _, m := range matches {
		sums, members, ranks := map[int]float64{}, map[int]float64{}, map[int]int{}
		for i, p := range m.Players {
			key := m.Teams[i]
			if key == 0 {
				key = -1 - p
			}
			sums[key] += strength[p]
			members[key]++
			ranks[key] = m.Ranks[i]
		}
		var one Match
		var means []float64
		for key, sum := range sums {
			one.Players, one.Ranks = append(one.Players, len(means)), append(one.Ranks, ranks[key])
			means = append(means, sum/members[key])
		}
		value += slowValue([]Match{one}, means, ties)
	}
	return value
}

// teamMatches returns matches of six players between teams of all kinds.
func teamMatches(r *rand.Rand, strength []float64, ties map[int]float64, n int) (list []Match) {
	for range n {
		kinds := [][]int{{2, 2}, {1, 2}, {3, 3}, {2, 2, 2}, {1, 1, 2}, {2, 1, 1, 1}, {3}}
		list = append(list, randomTeams(r, strength, ties, kinds[r.IntN(len(kinds))]...))
	}
	return list
}

func TestGradientAndCurvatureOfTeamsAreThoseOfTheLikelihood(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 31))
	ties := map[int]float64{2: 0.7, 3: 0.4}
	strength := []float64{0.3, -1.2, 2, 0, -0.4, 0.9}
	matches := teamMatches(r, strength, ties, 60)
	l := newLedger(0)
	if err := l.add(len(strength), matches); err != nil {
		t.Fatal(err)
	}
	f := newFit(l, &Options{}, time.Time{})
	f.precision = 0
	if want := []int{2, 3}; !slices.Equal(f.orders, want) {
		t.Fatalf("got ties of %v sides, want %v: choose another seed", f.orders, want)
	}
	variables := append(slices.Clone(strength), math.Log(ties[2]), math.Log(ties[3]))
	slow := func(v []float64) float64 {
		return slowTeams(matches, v, map[int]float64{2: math.Exp(v[6]), 3: math.Exp(v[7])})
	}
	copy(f.strength, variables)
	copy(f.tie, variables[6:])
	f.evaluate(true)
	if got, want := f.value, slow(variables); math.Abs(got-want) > 1e-9 {
		t.Errorf("got the value %v, want %v", got, want)
	}
	moved := func(i int, by float64, j int, andBy float64) float64 {
		v := slices.Clone(variables)
		v[i] += by
		v[j] += andBy
		return slow(v)
	}
	const h = 1e-4
	x, column := make([]float64, len(variables)), make([]float64, len(variables))
	f.shift = 0
	for i := range variables {
		if got, want := f.grad[i], (moved(i, h, i, 0)-moved(i, -h, i, 0))/(2*h); math.Abs(got-want) > 1e-5 {
			t.Errorf("got the derivative %v by variable %d, want %v", got, i, want)
		}
		clear(x)
		x[i] = 1
		f.mul(x, column)
		for j := range variables {
			want := -(moved(i, h, j, h) - moved(i, h, j, -h) - moved(i, -h, j, h) + moved(i, -h, j, -h)) / (4 * h * h)
			if got := column[j]; math.Abs(got-want) > 1e-4 {
				t.Errorf("got the curvature %v by variables %d and %d, want %v", got, i, j, want)
			}
			if i == j && math.Abs(f.diag[i]-want) > 1e-4 {
				t.Errorf("got the curvature %v of variable %d, want %v", f.diag[i], i, want)
			}
		}
	}
}

func TestRandomVectorsOfTeamsHaveTheCovarianceOfTheCurvature(t *testing.T) {
	race.Skip(t, "one goroutine computes")
	r := rand.New(rand.NewPCG(32, 32))
	ties := map[int]float64{2: 0.7, 3: 0.4}
	strength := []float64{0.3, -1.2, 1, 0, 0.5, -0.5}
	l := newLedger(0)
	if err := l.add(6, teamMatches(r, strength, ties, 40)); err != nil {
		t.Fatal(err)
	}
	f := newFit(l, &Options{}, time.Time{})
	f.solve()
	f.shift = 0
	checkCovariance(t, f)
}

// ascend returns the ratings of matches between two teams without draws by plain steps up the
// gradient of the posterior.
func ascend(players int, matches []Match) []float64 {
	strength := make([]float64, players)
	precision := 1 / math.Pow(DefaultPrior/pointsPerNat, 2)
	for range 20_000 {
		grad := make([]float64, players)
		for i, s := range strength {
			grad[i] = -precision * s
		}
		for _, m := range matches {
			sign := make([]float64, len(m.Players)) // 1/size for the winners, -1/size for the losers
			difference := 0.0
			for i, p := range m.Players {
				size := 0.0
				for _, team := range m.Teams {
					if team == m.Teams[i] {
						size++
					}
				}
				sign[i] = 1 / size
				if m.Ranks[i] > 1 {
					sign[i] = -1 / size
				}
				difference += sign[i] * strength[p]
			}
			for i, p := range m.Players {
				grad[p] += sign[i] / (1 + math.Exp(difference))
			}
		}
		for i := range strength {
			strength[i] += 0.05 * grad[i]
		}
	}
	for i := range strength {
		strength[i] = Center + pointsPerNat*strength[i]
	}
	return strength
}

func TestRatingsOfTeamsAreThoseOfPlainAscent(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 33))
	strength := []float64{1, 0.5, 0, 0, -0.5, -1}
	var list []Match
	for range 60 {
		m := randomTeams(r, strength, nil, 2, 2)
		if r.IntN(3) == 0 {
			m = randomTeams(r, strength, nil, 2, 3)
		}
		list = append(list, m)
	}
	want := ascend(6, list)
	for p, e := range fitOf(t, 6, list, Options{}).Estimates {
		closeTo(t, "rating", e.Rating, want[p], 1e-4)
	}
}

// A pair of players that are each 400 points stronger wins ten times as often.
func TestScaleOfTeamsIsTenToOneFor400Points(t *testing.T) {
	pairs := func(winners, losers [2]int) Match {
		return Match{Players: []int{winners[0], losers[0], winners[1], losers[1]}, Ranks: []int{1, 3, 1, 3}, Teams: []int{1, 2, 1, 2}}
	}
	strong, weak := [2]int{0, 1}, [2]int{2, 3}
	list := append(slices.Repeat([]Match{pairs(strong, weak)}, 1000), slices.Repeat([]Match{pairs(weak, strong)}, 100)...)
	got := fitOf(t, 4, list, vanished).Estimates
	closeTo(t, "difference", got[0].Rating-got[2].Rating, 400, 1e-3)
	closeTo(t, "difference of two that always play together", got[0].Rating-got[1].Rating, 0, 1e-6)
	if apart := fitOf(t, 2, append(slices.Repeat([]Match{match(0, 1)}, 1000), slices.Repeat([]Match{match(1, 0)}, 100)...), vanished).Estimates; got[0].High-got[0].Low < 10*(apart[0].High-apart[0].Low) {
		t.Errorf("got the interval %v of one of two that always play together, want one that is much wider than %v of one that plays alone", got[0], apart[0])
	}
}

func TestMatesAreNotCompared(t *testing.T) {
	alone := match(0, 1)
	team := Match{Players: []int{0, 2, 1}, Ranks: []int{1, 1, 3}, Teams: []int{1, 1, 0}}
	got := fitOf(t, 3, []Match{team, team}, Options{}).Estimates
	closeTo(t, "difference of the mates", got[0].Rating-got[2].Rating, 0, 1e-9)
	one := fitOf(t, 2, []Match{alone, alone}, Options{})
	if table := fitOf(t, 3, []Match{team, team}, Options{}); table.Draws != 0 || one.Draws != 0 {
		t.Errorf("got the parameter of ties %v, want 0: nobody has drawn", table.Draws)
	}
	together := fitOf(t, 3, []Match{alone, {Players: []int{1, 2}, Ranks: []int{1, 1}, Teams: []int{7, 7}}}, Options{})
	without := fitOf(t, 3, []Match{alone}, Options{})
	for p := range 2 {
		closeTo(t, "rating with a match of one team", together.Estimates[p].Rating-together.Estimates[1-p].Rating, without.Estimates[p].Rating-without.Estimates[1-p].Rating, 1e-6)
	}
	if together.Draws != 0 || together.Estimates[2].Played != 1 {
		t.Errorf("got the parameter of ties %v and %d matches, want 0 and 1", together.Draws, together.Estimates[2].Played)
	}
}

func TestTeamsOfOneAreLikePlayersWithoutATeam(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 34))
	strength := []float64{1, 0, -1, 0.5, -0.5}
	list := randomMatches(r, strength, map[int]float64{2: 0.5}, func() int { return 2 + r.IntN(3) }, 100)
	want := fitOf(t, 5, list, Options{})
	for i := range list {
		list[i].Teams = make([]int, len(list[i].Players))
		for j := range list[i].Teams {
			list[i].Teams[j] = (j + 1) * (i % 2)
		}
	}
	if got := fitOf(t, 5, list, Options{}); !slices.Equal(got.Estimates, want.Estimates) {
		t.Errorf("got %v, want %v", got.Estimates, want.Estimates)
	}
}

func TestOrderOfTeamsDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 35))
	strength := []float64{0.3, -1.2, 1, 0, 0.5, -0.5}
	list := teamMatches(r, strength, map[int]float64{2: 0.5, 3: 0.3}, 200)
	want := fitOf(t, 6, list, Options{})
	for range 20 {
		shuffled := slices.Clone(list)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for i := range shuffled {
			m := &shuffled[i]
			m.Players, m.Ranks, m.Teams = slices.Clone(m.Players), slices.Clone(m.Ranks), slices.Clone(m.Teams)
			r.Shuffle(len(m.Players), func(i, j int) {
				m.Players[i], m.Players[j] = m.Players[j], m.Players[i]
				m.Ranks[i], m.Ranks[j] = m.Ranks[j], m.Ranks[i]
				m.Teams[i], m.Teams[j] = m.Teams[j], m.Teams[i]
			})
			for j, team := range m.Teams {
				if team > 0 {
					m.Teams[j] = 9 - team // only who is together counts
				}
			}
		}
		if got := fitOf(t, 6, shuffled, Options{}); !slices.Equal(got.Estimates, want.Estimates) || !slices.Equal(got.Ties, want.Ties) {
			t.Fatalf("got\n%v, %v in another order, want\n%v, %v", got.Estimates, got.Ties, want.Estimates, want.Ties)
		}
	}
}
