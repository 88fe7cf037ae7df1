package rating

import (
	"math"
	"time"
)

// fit is a ledger with strengths, and the likelihood at these strengths. Strengths are
// in nats: the odds of two sides are e to the difference.
//
// Its likelihood is the one of the weights of the ledger, not multiplied by scale;
// instead the prior is divided by it. So time that passes changes the prior alone.
type fit struct {
	l        *ledger
	center   float64 // in points, of strength 0
	anchors  map[int]float64
	anchored int     // the number of anchors with matches
	prior    float64 // standard deviation, in nats
	scale    float64 // of all weights: they decay while no match is played
	active   []int32 // the players with matches, without anchors
	free     []bool  // by player: it is in active

	strength []float64 // by player
	orders   []int     // the numbers of sides that have shared a rank
	slot     [MaxSeats + 1]int
	tie      []float64 // by index in orders: the logarithm of the parameter of ties

	curvature
	value     float64
	grad      []float64 // by player
	gradTie   []float64
	half      []float64 // exp(strength/2)
	stage     stage
	manyEdges []int // where the edges of a cell of many begin
}

// curvature is the negative Hessian of the logarithm of the posterior. For the strengths
// it is the Laplacian of a graph, because only differences count, plus the prior. Edges
// between players of one side have negative weights.
type curvature struct {
	precision float64     // of the prior
	edges     []edge      // of the pairs, and then of the cells of many
	diag      []float64   // by player, with the prior, and then by tie
	cross     [][]float64 // by tie, by player
	tieTie    [][]float64
	shift     float64 // without an anchor, added to the curvature in the direction in which all strengths grow
}

type edge struct {
	a, b int32
	w    float64
}

func newFit(l *ledger, o *Options, now time.Time) *fit {
	f := &fit{l: l, anchors: o.Anchors, center: Center, prior: o.prior() / pointsPerNat, scale: 1}
	f.free = make([]bool, l.players)
	f.strength = make([]float64, l.players)
	f.half = make([]float64, l.players)
	sum := 0.0
	for p := range l.players { // in order, so that the sum does not depend on the map
		if l.played[p] == 0 {
			continue
		}
		if r, fixed := o.Anchors[p]; fixed {
			sum += r
			f.anchored++
			continue
		}
		f.free[p] = true
		f.active = append(f.active, int32(p))
	}
	if f.anchored > 0 {
		f.center = sum / float64(f.anchored)
	}
	for p, r := range o.Anchors {
		if p < l.players && l.played[p] > 0 {
			f.strength[p] = (r - f.center) / pointsPerNat
		}
	}
	for n := 2; n <= MaxSeats; n++ {
		f.slot[n] = -1
		if l.ties[n] > 0 {
			f.slot[n] = len(f.orders)
			f.orders = append(f.orders, n)
			f.tie = append(f.tie, math.Log(2*float64(l.ties[n])/float64(l.total())))
		}
	}
	f.grad = make([]float64, l.players+len(f.orders))
	f.gradTie = f.grad[l.players:]
	f.diag = make([]float64, l.players+len(f.orders))
	f.cross, f.tieTie = matrix(len(f.orders), l.players), matrix(len(f.orders), len(f.orders))
	f.setNow(now)
	f.layout()
	return f
}

// setNow lets time pass: the weights of all matches decay in the same way.
func (f *fit) setNow(now time.Time) {
	if f.l.halfLife > 0 {
		age := max(seconds(now), f.l.latest) - f.l.epoch
		f.scale = math.Exp2(max(-float64(age)/f.l.halfLife, -200))
	}
	f.precision = 1 / (f.prior * f.prior * f.scale)
}

// layout allocates the edges.
func (f *fit) layout() {
	f.edges = f.edges[:0]
	for i := range f.l.pairs {
		f.edges = append(f.edges, edge{a: f.l.pairs[i].a, b: f.l.pairs[i].b})
	}
	f.manyEdges = f.manyEdges[:0]
	for i := range f.l.manys {
		f.manyEdges = append(f.manyEdges, len(f.edges))
		players := f.l.manys[i].players
		for j, a := range players {
			for _, b := range players[:j] {
				f.edges = append(f.edges, edge{a: a, b: b})
			}
		}
	}
}

func matrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

// evaluate computes the logarithm of the posterior, if its value is wanted, with its
// gradient and its curvature.
func (f *fit) evaluate(wantValue bool) {
	f.value = 0
	clear(f.grad)
	clear(f.diag)
	for d := range f.orders {
		clear(f.cross[d])
		clear(f.tieTie[d])
	}
	for p, s := range f.strength {
		f.half[p] = math.Exp(s / 2)
	}
	f.evaluatePairs(wantValue)
	for i := range f.l.manys {
		f.evaluateMany(i)
	}
	for _, p := range f.active {
		f.value -= f.precision / 2 * f.strength[p] * f.strength[p]
		f.grad[p] -= f.precision * f.strength[p]
		f.diag[p] += f.precision
	}
	for d, t := range f.tie {
		f.value -= f.precision / 2 * t * t
		f.gradTie[d] -= f.precision * t
		f.tieTie[d][d] += f.precision
		f.diag[f.l.players+d] = f.tieTie[d][d]
	}
	f.shift = 0
	if f.anchored == 0 && len(f.active) > 0 {
		for _, p := range f.active {
			f.shift += f.diag[p]
		}
		f.shift /= float64(len(f.active))
	}
}

// evaluatePairs adds the matches of two (Davidson 1970).
func (f *fit) evaluatePairs(wantValue bool) {
	nu, tie, slot := 0.0, 0.0, f.slot[2]
	var cross []float64
	if slot >= 0 {
		tie = f.tie[slot]
		nu = math.Exp(tie)
		cross = f.cross[slot]
	}
	gradTie, tieTie := 0.0, 0.0
	for i := range f.l.pairs {
		p := &f.l.pairs[i]
		w, l, d := float64(p.won)/one, float64(p.lost)/one, float64(p.drawn)/one
		n := w + l + d
		a, b := f.half[p.a], f.half[p.b]
		za, zb, zd := a*a, b*b, nu*a*b
		inverse := 1 / (za + zb + zd)
		pa, pb, pd := za*inverse, zb*inverse, zd*inverse
		g := w + d/2 - n*(pa+pd/2)
		f.grad[p.a] += g
		f.grad[p.b] -= g
		// The variance of the score, without a difference of large numbers.
		curve := n * (pa*pb + pd*(pa+pb)/4)
		f.edges[i].w = curve
		f.diag[p.a] += curve
		f.diag[p.b] += curve
		if slot >= 0 {
			c := n * pd * (pb - pa) / 2
			cross[p.a] += c
			cross[p.b] -= c
			gradTie += d - n*pd
			tieTie += n * pd * (pa + pb)
		}
		if wantValue {
			sa, sb := f.strength[p.a], f.strength[p.b]
			f.value += w*sa + l*sb + d*((sa+sb)/2+tie) + n*math.Log(inverse)
		}
	}
	if slot >= 0 {
		f.gradTie[slot] += gradTie
		f.tieTie[slot][slot] += tieTie
	}
}

// evaluateMany adds a cell of other matches.
func (f *fit) evaluateMany(i int) {
	c := &f.l.manys[i]
	edges := f.edges[f.manyEdges[i]:]
	if c.weight == 0 { // too old, and its ties can have no parameter
		for j := range len(c.players) * (len(c.players) - 1) / 2 {
			edges[j].w = 0
		}
		return
	}
	s := &f.stage
	s.match(f, c)
	n := float64(c.weight) / one
	f.value += n * s.value
	at := 0
	for j, a := range c.players {
		f.grad[a] += n * s.gradient(j)
		for k, b := range c.players[:j] {
			w := n * s.edge(j, k)
			edges[at].w = w
			at++
			f.diag[a] += w
			f.diag[b] += w
		}
		for d := range f.orders {
			f.cross[d][a] += n * s.crossed(d, j)
		}
	}
	for d := range f.orders {
		f.gradTie[d] += n * s.grad[s.size+d]
		for e := range f.orders {
			f.tieTie[d][e] += n * s.cov(s.size+max(d, e), s.size+min(d, e))
		}
	}
}
