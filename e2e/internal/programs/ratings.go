package programs

import "math"

// Rated is a match of two that counts for ratings.
type Rated struct {
	A, B   int
	Score  float64 // of A: 1, 0.5 or 0
	Weight float64
}

// Estimate is a rating with the interval that holds the true one with 95 %.
type Estimate struct{ Rating, Low, High float64 }

// Ratings returns the ratings of players by the formulas of docs/ratings.md, computed without
// the code of the host: a maximum by Newton's method with the whole matrix of second
// derivatives. That of the anchor is fixed; -1: the mean of all players with matches is 1500.
func Ratings(players, anchor int, fixed float64, games []Rated) []Estimate {
	const (
		unit  = 400 / math.Ln10
		prior = (unit / 600) * (unit / 600) // 1 / variance
		z95   = 1.959963984540054           // of the normal distribution
	)
	if anchor < 0 {
		fixed = 1500
	}
	// The unknowns: the strengths of those that have played, and the logarithm of nu at the end
	// if there was a draw.
	place := make([]int, players)
	for i := range place {
		place[i] = -1
	}
	n, drawn := 0, false
	for _, g := range games {
		drawn = drawn || g.Score == 0.5
		for _, p := range []int{g.A, g.B} {
			if p != anchor && place[p] < 0 {
				place[p] = n
				n++
			}
		}
	}
	active, nu := n, -1
	if drawn {
		nu = n
		n++
	}
	x := make([]float64, n)
	at := func(i int) float64 {
		if i < 0 {
			return 0
		}
		return x[i]
	}
	// derive returns the gradient of the logarithm of the posterior, and the negative Hessian.
	derive := func() (slope []float64, curve [][]float64) {
		slope, curve = make([]float64, n), make([][]float64, n)
		for i := range curve {
			curve[i] = make([]float64, n)
			curve[i][i] = prior
			slope[i] = -prior * x[i]
		}
		for _, g := range games {
			variables := [3]int{place[g.A], place[g.B], nu}
			a, b, d := math.Exp(at(variables[0])), math.Exp(at(variables[1])), 0.0
			if drawn {
				d = math.Exp(at(nu)) * math.Sqrt(a*b)
			}
			sum := a + b + d
			chances := [3]float64{a / sum, d / sum, b / sum} // A wins, nobody, B wins
			// What each outcome counts for the strengths of A and B and for nu.
			features := [3][3]float64{{1, 0.5, 0}, {0, 0.5, 1}, {0, 1, 0}}
			outcome := int(2 - 2*g.Score)
			var mean [3]float64
			for i, f := range features {
				for o, chance := range chances {
					mean[i] += chance * f[o]
				}
			}
			for i, v := range variables {
				if v < 0 {
					continue
				}
				slope[v] += g.Weight * (features[i][outcome] - mean[i])
				for j, w := range variables {
					if w < 0 {
						continue
					}
					for o, chance := range chances {
						curve[v][w] += g.Weight * chance * (features[i][o] - mean[i]) * (features[j][o] - mean[j])
					}
				}
			}
		}
		return slope, curve
	}
	for range 100 {
		slope, curve := derive()
		inverse := invert(curve)
		furthest := 0.0
		for i := range x {
			step := 0.0
			for j := range slope {
				step += inverse[i][j] * slope[j]
			}
			x[i] += max(-1, min(1, step)) // a longer one can lead away
			furthest = max(furthest, math.Abs(step))
		}
		if furthest < 1e-13 {
			break
		}
	}
	_, curve := derive()
	inverse := invert(curve)
	common := 0.0 // the variance of the mean, which is fixed
	if anchor < 0 && active > 0 {
		common = 1 / (prior * float64(active))
	}
	list := make([]Estimate, players)
	for p, i := range place {
		rating, half := fixed, 0.0
		switch {
		case p == anchor:
		case i < 0:
			half = z95 * 600
		default:
			rating += unit * x[i]
			half = z95 * unit * math.Sqrt(inverse[i][i]-common)
		}
		list[p] = Estimate{rating, rating - half, rating + half}
	}
	return list
}

// invert returns the inverse of a positive definite matrix, which it overwrites.
func invert(m [][]float64) [][]float64 {
	inverse := make([][]float64, len(m))
	for i := range inverse {
		inverse[i] = make([]float64, len(m))
		inverse[i][i] = 1
	}
	for i := range m {
		pivot := m[i][i]
		for k := range m {
			m[i][k] /= pivot
			inverse[i][k] /= pivot
		}
		for j := range m {
			if factor := m[j][i]; j != i && factor != 0 {
				for k := range m {
					m[j][k] -= factor * m[i][k]
					inverse[j][k] -= factor * inverse[i][k]
				}
			}
		}
	}
	return inverse
}
