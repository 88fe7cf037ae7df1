package rating

import "math"

// stage computes the likelihood of one ranking of sides: the first rank is chosen from all
// sides, the next one from the rest, and so on. A set S of n sides is chosen with a
// probability proportional to
//
//	tie(n) * product of exp(strength/n) over S,   tie(1) = 1,
//
// where n is 1 or one of the numbers of sides that have shared a rank in any match
// (Davidson and Luce; Turner, van Etten, Firth and Kosmidis 2020). So each choice is a
// multinomial logit: its features are 1/n for each side of S, and one for the tie
// of n. The gradient is the features of the choice without their mean; the
// curvature is their covariance.
//
// The strength of a side is the mean of those of its players. So it is linear in them:
// the posterior stays concave, and a number that is added to all strengths changes nothing.
type stage struct {
	size  int // sides; the features of ties follow
	value float64
	grad  []float64 // by feature
	covs  []float64 // by feature and feature, lower triangle

	side     [MaxSeats]uint8 // by player: its side
	ends     []uint8         // where each shared rank ends, as the number of the next side
	strength []float64       // by side
	share    []float64       // by side: that of a player in its strength
	power    [][]float64     // by index of the order, by side: exp(strength/n)

	features    int
	x           []float64 // the end of one of power
	poly        []float64
	single      [][]float64 // by index of the order (0 is n = 1), by side: the weight of the sets with it
	double      []float64   // by side and side: the same for both, divided by n*n
	sum, square []float64   // over the orders: single/n and single/(n*n)
	set         []float64   // by index of the order: the weight of all sets
}

func (s *stage) cov(row, column int) float64 { return s.covs[row*s.features+column] }

// gradient returns the derivative by the strength of the player at an index of the match.
func (s *stage) gradient(i int) float64 {
	own := s.side[i]
	return s.grad[own] * s.share[own]
}

// edge returns the weight between two players of the match. Between those of one side it is
// negative: what the one lacks, the other can have.
func (s *stage) edge(i, j int) float64 {
	a, b := int(s.side[i]), int(s.side[j])
	if a != b {
		return -s.cov(max(a, b), min(a, b)) * s.share[a] * s.share[b]
	}
	sum := 0.0
	for k := range s.size {
		if k != a {
			sum += s.cov(max(a, k), min(a, k))
		}
	}
	return sum * s.share[a] * s.share[a]
}

// crossed returns the curvature by the tie with an index and the player at an index.
func (s *stage) crossed(d, i int) float64 {
	own := s.side[i]
	return s.cov(s.size+d, int(own)) * s.share[own]
}

func (s *stage) reset(size, ties int) {
	s.size, s.features, s.value = size, size+ties, 0
	if len(s.poly) < size || len(s.set) != ties+1 {
		n := MaxSeats
		if size <= 8 {
			n = 8
		}
		s.poly, s.sum, s.square = make([]float64, n), make([]float64, n), make([]float64, n)
		s.power = matrix(ties+1, n)
		s.strength, s.share = make([]float64, n), make([]float64, n)
		s.single, s.double = matrix(ties+1, n), make([]float64, n*n)
		s.set = make([]float64, ties+1)
		s.grad, s.covs = make([]float64, n+ties), make([]float64, (n+ties)*(n+ties))
	}
	clear(s.grad[:s.features])
	clear(s.covs[:s.features*s.features])
}

// match computes the likelihood of a ranking, and its value if that is wanted.
func (s *stage) match(f *fit, c *many, wantValue bool) {
	players, joints := f.l.cell(c)
	side := uint8(0)
	s.ends = s.ends[:0]
	for i, how := range joints {
		s.side[i] = side
		if how != mate {
			side++
		}
		if how == worse {
			s.ends = append(s.ends, side)
		}
	}
	s.reset(int(side), len(f.orders))
	s.sides(f, players)
	from := 0
	for _, end := range s.ends {
		if from == s.size-1 {
			break // the last side has no choice
		}
		s.choice(f, from, int(end), wantValue)
		from = int(end)
	}
}

// sides computes the strengths of the sides, and their exponentials. Those of players are known.
func (s *stage) sides(f *fit, players []int32) {
	orders := len(s.power)
	if s.size == len(players) {
		for i, p := range players {
			s.strength[i], s.share[i] = f.strength[p], 1
			for d, x := range f.power[int(p)*orders:][:orders] {
				s.power[d][i] = x
			}
		}
		return
	}
	clear(s.strength[:s.size])
	clear(s.share[:s.size])
	for i, p := range players {
		s.strength[s.side[i]] += f.strength[p]
		s.share[s.side[i]]++
	}
	for i := range s.size {
		s.strength[i] /= s.share[i]
		s.share[i] = 1 / s.share[i]
		s.power[0][i] = math.Exp(s.strength[i])
		for d, n := range f.orders {
			s.power[d+1][i] = math.Exp(s.strength[i] / float64(n))
		}
	}
}

// choice adds the choice of the sides with numbers in [from, end) among those at from
// and behind.
func (s *stage) choice(f *fit, from, end int, wantValue bool) {
	m := s.size - from
	clear(s.sum[:m])
	clear(s.square[:m])
	clear(s.double[:m*m])
	total := 0.0
	for d := range s.set {
		s.set[d] = 0
		n, tie := 1, 1.0
		if d > 0 {
			n, tie = f.orders[d-1], f.tied[d-1]
		}
		if n > m {
			continue
		}
		s.x = s.power[d][from:s.size]
		s.sets(d, n, m, tie)
		total += s.set[d]
	}
	s.score(f, from, end-from)
	if wantValue {
		s.value -= math.Log(total)
	}
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

// score adds what was chosen: n sides from a number on.
func (s *stage) score(f *fit, from, n int) {
	for i := from; i < from+n; i++ {
		s.value += s.strength[i] / float64(n)
		s.grad[i] += 1 / float64(n)
	}
	if n > 1 {
		d := f.slot[n]
		s.value += f.tie[d]
		s.grad[s.size+d]++
	}
}

// sets adds the weights of all sets of n among m sides, whose factors are in x.
func (s *stage) sets(d, n, m int, tie float64) {
	single := s.single[d][:m]
	if n == 1 {
		for i, x := range s.x {
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
			w := tie * s.x[i] * s.x[j]
			if n > 2 {
				w *= s.without(i, j, n-2)
			}
			single[i] += w
			single[j] += w
			s.double[i*m+j] += w / (order * order)
		}
	}
	for i := range single {
		single[i] /= order - 1 // each set was added once for each other side of it
		s.sum[i] += single[i] / order
		s.square[i] += single[i] / (order * order)
		s.set[d] += single[i] / order
	}
}

// without returns the sum of the products of all sets of n factors among those in x
// without those at i and j: an elementary symmetric polynomial.
func (s *stage) without(i, j, n int) float64 {
	poly := s.poly[:n+1]
	clear(poly)
	poly[0] = 1
	for k, x := range s.x {
		if k == i || k == j {
			continue
		}
		for e := n; e > 0; e-- {
			poly[e] += x * poly[e-1]
		}
	}
	return poly[n]
}
