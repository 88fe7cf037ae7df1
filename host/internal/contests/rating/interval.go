package rating

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const (
	exactLimit = 1500 // variables for which the whole curvature is inverted
	minBatches = 2
	maxBatches = 64
	edgeBudget = 4_000_000 // with this number of edges in all batches, they take some seconds
	enough     = 0.002     // error of the width of an interval with which no more vectors are drawn
)

// inflation is, by player, the variance of the strength multiplied by the player's own
// curvature: 1 if the strengths of all opponents were known, and otherwise more.
// Without an anchor it is the variance of the difference from the mean strength of
// the active players, which can make it less.
type inflation struct {
	by    []float64
	exact bool
}

// inflate computes the inflation at the strengths where the fit was evaluated.
func (f *fit) inflate() inflation {
	if len(f.active)+len(f.tie) <= exactLimit {
		if by, ok := f.exactVariances(); ok {
			return inflation{by, true}
		}
	}
	return inflation{f.sampledVariances(), false}
}

// exactVariances inverts the curvature: with its factors U'U, the variance is the
// squared length of a row of U^-1.
func (f *fit) exactVariances() ([]float64, bool) {
	by := make([]float64, f.l.players)
	if len(f.active) == 0 {
		return by, true
	}
	c, ok := f.cholesky()
	if !ok {
		return nil, false
	}
	squares, ok := c.inverseLengths()
	if !ok {
		return nil, false
	}
	common := f.common()
	for i, p := range f.active {
		by[p] = max(squares[i]-common, 0) * f.diag[p]
	}
	return by, true
}

// common is the variance of the mean strength in the curvature with its shift, if there
// is no anchor. The mean is independent of the differences from it.
func (f *fit) common() float64 {
	if f.anchored > 0 {
		return 0
	}
	return 1 / (float64(len(f.active)) * (f.precision + f.shift))
}

// sampledVariances draws random vectors b whose covariance is the curvature H. Then
// x = H^-1 b has the covariance H^-1. The variance of x(i) is 1/H(i,i), as if all others
// were known, plus the variance of what the others determine, x(i) - b(i)/H(i,i). Only
// the second part is estimated from the random vectors (Sidén, Lindgren, Bolin and
// Villani 2018). So the standard deviation of the error is at most about sqrt(2/vectors)
// of the variance on any graph, and much less if a player has many opponents of all
// strengths. The seeds are fixed.
func (f *fit) sampledVariances() []float64 {
	sum := make([]float64, f.l.players)
	batches := 0
	more := func(n int) {
		for _, s := range f.sampleBatches(batches, n) {
			floats.Add(sum, s)
		}
		batches += n
	}
	more(minBatches)
	if f.sampleError(sum, batches) > enough {
		more(max(0, min(maxBatches, edgeBudget/max(1, len(f.edges)))-batches))
	}
	for _, p := range f.active {
		h, variance := f.diag[p], sum[p]/float64(batches*batch)
		variance += 1 / h
		if f.anchored == 0 {
			// The vectors below are without their mean, whose part is known exactly.
			variance += (f.precision/h - 2) / (h * float64(len(f.active)))
		}
		sum[p] = max(variance, 0) * h
	}
	return sum
}

// sampleError estimates the error of the width of an interval, in the mean.
func (f *fit) sampleError(sum []float64, batches int) float64 {
	square := 0.0
	for _, p := range f.active {
		estimated := sum[p] / float64(batches*batch) * f.diag[p]
		share := estimated / (1 + estimated) // of the variance that is estimated
		square += share * share / float64(len(f.active))
	}
	return math.Sqrt(square / (2 * float64(batches*batch)))
}

// sampleBatches computes n batches from a number on, each with its own seed.
func (f *fit) sampleBatches(from, n int) [][]float64 {
	sums := make([][]float64, n)
	parallel(n, func(i int) { sums[i] = f.sampleBatch(rand.NewPCG(0, uint64(from+i))) })
	return sums // in order: their sum does not depend on the scheduling
}

// sampleBatch returns the sums of the squares of x(i) - b(i)/H(i,i).
func (f *fit) sampleBatch(random *rand.PCG) []float64 {
	b := f.drawBatch(random)
	var mean lanes
	for p, free := range f.free {
		if !free {
			b[p] = lanes{}
		}
		for k, v := range b[p] {
			mean[k] += v / float64(len(f.active))
		}
	}
	if f.anchored == 0 {
		for _, p := range f.active {
			for k := range batch {
				b[p][k] -= mean[k]
			}
		}
	}
	alone := make([]lanes, len(b)) // as if all others were known
	for i, h := range f.diag {
		if h > 0 {
			for k, v := range b[i] {
				alone[i][k] = v / h
			}
		}
	}
	x := slices.Clone(alone)
	f.solveLanes(b, x, 1e-4)
	sum := make([]float64, f.l.players)
	for _, p := range f.active {
		for k, v := range x[p] {
			r := v - alone[p][k]
			sum[p] += r * r
		}
	}
	return sum
}

// drawBatch draws vectors whose covariance is the curvature: a sum of independent parts
// for each cell and for the prior, each with random signs.
func (f *fit) drawBatch(random *rand.PCG) []lanes {
	n := f.l.players
	b := make([]lanes, len(f.grad))
	rest := make([]float64, len(f.tie)) // variance of the ties that the signs of the pairs leave
	f.drawPairs(random, b, rest)
	s := &stage{}
	var factor []float64
	for i := range f.l.manys {
		c := &f.l.manys[i]
		if c.weight == 0 {
			continue
		}
		s.match(f, c, false)
		players, _ := f.l.cell(c)
		factor = s.factor(factor[:0], float64(c.weight)/one)
		for column := range s.features {
			signs := random.Uint64()
			for i, p := range players {
				if row := int(s.side[i]); row >= column {
					b[p].addSigned(factor[row*s.features+column]*s.share[row], signs)
				}
			}
			for row := max(column, s.size); row < s.features; row++ {
				b[n+row-s.size].addSigned(factor[row*s.features+column], signs)
			}
		}
	}
	deviation := math.Sqrt(f.precision)
	for i := range f.grad {
		d := deviation
		if i >= n {
			d = math.Sqrt(f.precision + max(rest[i-n], 0))
		}
		b[i].addSigned(d, random.Uint64())
	}
	return b
}

func (f *fit) drawPairs(random *rand.PCG, b []lanes, rest []float64) {
	nu, tie := 0.0, f.l.players+f.slot[2]
	if f.slot[2] >= 0 {
		nu = math.Exp(f.tie[f.slot[2]])
	}
	for i := range f.l.pairs {
		e := &f.edges[i]
		if e.w <= 0 {
			continue
		}
		root := math.Sqrt(e.w)
		signs := random.Uint64()
		b[e.a].addSigned(root, signs)
		b[e.b].addSigned(-root, signs)
		if nu == 0 {
			continue
		}
		p := &f.l.pairs[i]
		weight := float64(p.won+p.lost+p.drawn) / one
		x, y := f.half[p.a], f.half[p.b]
		inverse := 1 / (x*x + y*y + nu*x*y)
		pd, difference := nu*x*y*inverse, (y*y-x*x)*inverse
		cross := weight * pd * difference / 2 / root
		rest[f.slot[2]] += weight*pd*(1-pd) - cross*cross
		b[tie].addSigned(cross, signs)
	}
}

// factor appends a lower triangular matrix whose product with its transpose is the
// covariance, multiplied by weight. The covariance is singular: a pivot that is lost in
// rounding counts as 0.
func (s *stage) factor(l []float64, weight float64) []float64 {
	n := s.features
	l = append(l, s.covs[:n*n]...)
	for j := range n {
		whole := l[j*n+j]
		for k := range j {
			l[j*n+j] -= l[j*n+k] * l[j*n+k]
		}
		pivot := 0.0
		if l[j*n+j] > 1e-9*whole {
			pivot = 1 / math.Sqrt(l[j*n+j])
		}
		l[j*n+j] *= pivot
		for i := j + 1; i < n; i++ {
			for k := range j {
				l[i*n+j] -= l[i*n+k] * l[j*n+k]
			}
			l[i*n+j] *= pivot
		}
	}
	floats.Scale(math.Sqrt(weight), l)
	return l
}
