package rating

import "math"

// stage computes the likelihood of one ranking: the first rank is chosen from all
// players, the next one from the rest, and so on. A set S of n players is chosen with a
// probability proportional to
//
//	tie(n) * product of exp(strength/n) over S,   tie(1) = 1,
//
// where n is 1 or one of the numbers of players that have shared a rank in any match
// (Davidson and Luce; Turner, van Etten, Firth and Kosmidis 2020). So each choice is a
// multinomial logit: its features are 1/n for each player of S, and one for the tie
// of n. The gradient is the features of the choice without their mean; the
// curvature is their covariance.
type stage struct {
	size  int // players; the features of ties follow
	value float64
	grad  []float64 // by feature
	covs  []float64 // by feature and feature, lower triangle

	features    int
	x, poly     []float64
	single      [][]float64 // by index of the order (0 is n = 1), by player: the weight of the sets with it
	double      []float64   // by player and player: the same for both, divided by n*n
	sum, square []float64   // over the orders: single/n and single/(n*n)
	set         []float64   // by index of the order: the weight of all sets
}

func (s *stage) cov(row, column int) float64 { return s.covs[row*s.features+column] }

func (s *stage) reset(size, ties int) {
	s.size, s.features, s.value = size, size+ties, 0
	if len(s.x) < size || len(s.set) != ties+1 {
		n := MaxSeats
		if size <= 8 {
			n = 8
		}
		s.x, s.poly, s.sum, s.square = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		s.single, s.double = matrix(ties+1, n), make([]float64, n*n)
		s.set = make([]float64, ties+1)
		s.grad, s.covs = make([]float64, n+ties), make([]float64, (n+ties)*(n+ties))
	}
	clear(s.grad[:s.features])
	clear(s.covs[:s.features*s.features])
}

// match computes the likelihood of a ranking.
func (s *stage) match(f *fit, c *many) {
	s.reset(len(c.players), len(f.orders))
	from := 0
	for _, end := range c.ends {
		if from == len(c.players)-1 {
			break // the last player has no choice
		}
		s.choice(f, c.players, from, int(end))
		from = int(end)
	}
}

// choice adds the choice of the players with indices in [from, end) among those at from
// and behind.
func (s *stage) choice(f *fit, players []int32, from, end int) {
	m := len(players) - from
	best := math.Inf(-1)
	for _, p := range players[from:] {
		best = max(best, f.strength[p])
	}
	clear(s.sum[:m])
	clear(s.square[:m])
	clear(s.double[:m*m])
	total := 0.0
	for d := range s.set {
		s.set[d] = 0
		n, tie := 1, 1.0
		if d > 0 {
			n, tie = f.orders[d-1], math.Exp(f.tie[d-1])
		}
		if n > m {
			continue
		}
		for i, p := range players[from:] {
			s.x[i] = math.Exp((f.strength[p] - best) / float64(n))
		}
		s.sets(d, n, m, tie)
		total += s.set[d]
	}
	s.score(f, players[from:], end-from, best, total)
	scale := 1 / total
	for i := range m {
		row := (from + i) * s.features
		ei := s.sum[i] * scale
		s.grad[from+i] -= ei
		for j := range i {
			s.covs[row+from+j] += s.double[i*m+j]*scale - ei*s.sum[j]*scale
		}
		s.covs[row+from+i] += s.square[i]*scale - ei*ei
	}
	for d := 1; d < len(s.set); d++ {
		pd := s.set[d] * scale
		if pd == 0 {
			continue
		}
		row := (s.size + d - 1) * s.features
		s.grad[s.size+d-1] -= pd
		for i := range m {
			s.covs[row+from+i] += s.single[d][i]*scale/float64(f.orders[d-1]) - pd*s.sum[i]*scale
		}
		for e := 1; e < d; e++ {
			s.covs[row+s.size+e-1] -= pd * s.set[e] * scale
		}
		s.covs[row+s.size+d-1] += pd * (1 - pd)
	}
}

// score adds what was chosen: the first n of the players.
func (s *stage) score(f *fit, players []int32, n int, best, total float64) {
	from := s.size - len(players)
	for i, p := range players[:n] {
		s.value += (f.strength[p] - best) / float64(n)
		s.grad[from+i] += 1 / float64(n)
	}
	if n > 1 {
		d := f.slot[n]
		s.value += f.tie[d]
		s.grad[s.size+d]++
	}
	s.value -= math.Log(total)
}

// sets adds the weights of all sets of n among m players, whose factors are in x.
func (s *stage) sets(d, n, m int, tie float64) {
	single := s.single[d][:m]
	if n == 1 {
		for i, x := range s.x[:m] {
			single[i] = x
			s.sum[i] += x
			s.square[i] += x
			s.set[d] += x
		}
		return
	}
	clear(single)
	order := float64(n)
	for i := range m {
		for j := range i {
			w := tie * s.x[i] * s.x[j] * s.without(i, j, n-2, m)
			single[i] += w
			single[j] += w
			s.double[i*m+j] += w / (order * order)
		}
	}
	for i := range single {
		single[i] /= order - 1 // each set was added once for each other player of it
		s.sum[i] += single[i] / order
		s.square[i] += single[i] / (order * order)
		s.set[d] += single[i] / order
	}
}

// without returns the sum of the products of all sets of n factors among the m in x
// without those at i and j: an elementary symmetric polynomial.
func (s *stage) without(i, j, n, m int) float64 {
	if n == 0 {
		return 1
	}
	poly := s.poly[:n+1]
	clear(poly)
	poly[0] = 1
	for k, x := range s.x[:m] {
		if k == i || k == j {
			continue
		}
		for e := n; e > 0; e-- {
			poly[e] += x * poly[e-1]
		}
	}
	return poly[n]
}
