package rating

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"colosseum/internal/test/race"
)

// slowValue is the logarithm of the likelihood, computed for each match by adding up all
// sets of players that could have had each rank. ties is by number of players.
func slowValue(matches []Match, strength []float64, ties map[int]float64) float64 {
	value := 0.0
	for _, m := range matches {
		rest := slices.Clone(m.Players)
		rank := map[int]int{}
		for i, p := range m.Players {
			rank[p] = m.Ranks[i]
		}
		for len(rest) > 1 {
			best := math.MaxInt
			for _, p := range rest {
				best = min(best, rank[p])
			}
			total, chosen := 0.0, 0.0
			for set := 1; set < 1<<len(rest); set++ {
				n := bits.OnesCount(uint(set))
				tie, known := ties[n]
				if n == 1 {
					tie, known = 1, true
				}
				if !known {
					continue
				}
				product, isBest := tie, true
				for i, p := range rest {
					if set&(1<<i) != 0 {
						product *= math.Exp(strength[p] / float64(n))
					}
					isBest = isBest && (set&(1<<i) != 0) == (rank[p] == best)
				}
				total += product
				if isBest {
					chosen = product
				}
			}
			value += math.Log(chosen / total)
			rest = slices.DeleteFunc(rest, func(p int) bool { return rank[p] == best })
		}
	}
	return value
}

// randomMatches returns matches between players of the given strengths, drawn from the
// model itself. ties is by number of players.
func randomMatches(r *rand.Rand, strength []float64, ties map[int]float64, size func() int, n int) []Match {
	var list []Match
	for range n {
		list = append(list, randomMatch(r, strength, ties, r.Perm(len(strength))[:size()]))
	}
	return list
}

func randomMatch(r *rand.Rand, strength []float64, ties map[int]float64, players []int) Match {
	m := Match{Players: players, Ranks: make([]int, len(players))}
	rest := make([]int, len(players)) // indices in players
	for i := range rest {
		rest[i] = i
	}
	for rank := 1; len(rest) > 0; rank++ {
		weight := func(set int) float64 {
			n := bits.OnesCount(uint(set))
			product := ties[n]
			if n == 1 {
				product = 1
			}
			for i, at := range rest {
				if set&(1<<i) != 0 {
					product *= math.Exp(strength[players[at]] / float64(n))
				}
			}
			return product
		}
		total := 0.0
		for set := 1; set < 1<<len(rest); set++ {
			total += weight(set)
		}
		u, set := r.Float64()*total, 1
		for ; set < 1<<len(rest)-1; set++ {
			if u -= weight(set); u < 0 {
				break
			}
		}
		var next []int
		for i, at := range rest {
			if set&(1<<i) != 0 {
				m.Ranks[at] = rank
			} else {
				next = append(next, at)
			}
		}
		rest = next
	}
	return m
}

func TestGradientAndCurvatureAreThoseOfTheLikelihood(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	ties := map[int]float64{2: 0.7, 3: 0.4, 4: 2}
	strength := []float64{0.3, -1.2, 2, 0, -0.4, 0.9}
	matches := randomMatches(r, strength, ties, func() int { return 2 + r.IntN(4) }, 60)
	l := newLedger(0)
	if err := l.add(len(strength), matches); err != nil {
		t.Fatal(err)
	}
	f := newFit(l, &Options{}, time.Time{})
	f.precision = 0
	if want := []int{2, 3, 4}; !slices.Equal(f.orders, want) {
		t.Fatalf("got ties of %v players, want %v: choose another seed", f.orders, want)
	}
	variables := append(slices.Clone(strength), math.Log(ties[2]), math.Log(ties[3]), math.Log(ties[4]))
	slow := func(v []float64) float64 {
		return slowValue(matches, v, map[int]float64{2: math.Exp(v[6]), 3: math.Exp(v[7]), 4: math.Exp(v[8])})
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
		}
	}
}

func TestRandomVectorsHaveTheCovarianceOfTheCurvature(t *testing.T) {
	race.Skip(t, "one goroutine computes")
	r := rand.New(rand.NewPCG(2, 2))
	ties := map[int]float64{2: 0.7, 3: 0.4}
	strength := []float64{0.3, -1.2, 1, 0}
	l := newLedger(0)
	if err := l.add(4, randomMatches(r, strength, ties, func() int { return 2 + r.IntN(3) }, 40)); err != nil {
		t.Fatal(err)
	}
	f := newFit(l, &Options{}, time.Time{})
	f.solve()
	f.shift = 0
	checkCovariance(t, f)
}

// checkCovariance compares the covariance of random vectors with the curvature.
func checkCovariance(t *testing.T, f *fit) {
	t.Helper()
	n := len(f.grad)
	got := matrix(n, n)
	const rounds = 4000
	random := rand.NewPCG(3, 3)
	for range rounds {
		b := f.drawBatch(random)
		for i := range n {
			for j := range n {
				for k := range batch {
					got[i][j] += b[i][k] * b[j][k] / (rounds * batch)
				}
			}
		}
	}
	for i := range n {
		x, want := make([]float64, n), make([]float64, n)
		x[i] = 1
		f.mul(x, want)
		for j := range n {
			if math.Abs(got[i][j]-want[j]) > 0.03*math.Sqrt(f.diag[i]*f.diag[j]) {
				t.Errorf("got the covariance %v of %d and %d, want %v", got[i][j], i, j, want[j])
			}
		}
	}
}
