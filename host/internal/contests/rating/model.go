package rating

import (
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
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
	sums
	parts     []*sums   // of the shards from the second on
	gradTie   []float64 // the end of grad
	half      []float64 // exp(strength/2), by player
	tied      []float64 // exp(tie), by index in orders
	power     []float64 // exp(strength), and exp(strength/n) for each of orders, by player
	manyEdges []int     // where the edges of a cell of many begin
}

// sums are sums over cells.
type sums struct {
	value  float64
	grad   []float64   // by player, and then by tie
	diag   []float64   // the same of the curvature, with the prior
	cross  [][]float64 // by tie, by player: of the curvature
	tieTie [][]float64
	stage  stage

	product []float64 // by player: of the curvature and a vector; see mul
}

func newSums(players, ties int) *sums {
	return &sums{
		grad: make([]float64, players+ties), diag: make([]float64, players+ties),
		cross: matrix(ties, players), tieTie: matrix(ties, ties), product: make([]float64, players),
	}
}

func (s *sums) clear() {
	s.value = 0
	clear(s.grad)
	clear(s.diag)
	for d := range s.cross {
		clear(s.cross[d])
		clear(s.tieTie[d])
	}
}

func (s *sums) add(t *sums) {
	s.value += t.value
	floats.Add(s.grad, t.grad)
	floats.Add(s.diag, t.diag)
	for d := range s.cross {
		floats.Add(s.cross[d], t.cross[d])
		floats.Add(s.tieTie[d], t.tieTie[d])
	}
}

// curvature is the negative Hessian of the logarithm of the posterior. For the strengths
// it is the Laplacian of a graph, because only differences count, plus the prior. Edges
// between players of one side have negative weights.
type curvature struct {
	precision float64 // of the prior
	edges     []edge  // of the pairs, and then of the cells of many
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
	f.tied = make([]float64, len(f.orders))
	f.power = make([]float64, l.players*(1+len(f.orders)))
	f.sums = *newSums(l.players, len(f.orders))
	for range l.shards() - 1 {
		f.parts = append(f.parts, newSums(l.players, len(f.orders)))
	}
	f.gradTie = f.grad[l.players:]
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
	n := len(f.l.pairs)
	for i := range f.l.manys {
		size := int(f.l.manys[i].size)
		n += size * (size - 1) / 2
	}
	f.edges, f.manyEdges = make([]edge, 0, n), make([]int, 0, len(f.l.manys))
	for i := range f.l.pairs {
		f.edges = append(f.edges, edge{a: f.l.pairs[i].a, b: f.l.pairs[i].b})
	}
	for i := range f.l.manys {
		f.manyEdges = append(f.manyEdges, len(f.edges))
		players, _ := f.l.cell(&f.l.manys[i])
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
	for p := range f.strength {
		f.exponentials(p)
	}
	for d, t := range f.tie {
		f.tied[d] = math.Exp(t)
	}
	n := 1 + len(f.parts)
	parallel(n, func(i int) {
		s := &f.sums
		if i > 0 {
			s = f.parts[i-1]
		}
		s.clear()
		from, to := part(i, n, len(f.l.pairs))
		f.evaluatePairs(s, from, to, wantValue)
		from, to = part(i, n, len(f.l.manys))
		for j := from; j < to; j++ {
			f.evaluateMany(s, j, wantValue)
		}
	})
	for _, s := range f.parts {
		f.sums.add(s)
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

// exponentials computes those of a player's strength.
func (f *fit) exponentials(p int) {
	h := math.Exp(f.strength[p] / 2)
	f.half[p] = h
	if len(f.l.manys) == 0 {
		return
	}
	at := p * (1 + len(f.orders))
	f.power[at] = h * h
	for d, n := range f.orders {
		f.power[at+1+d] = h
		if n > 2 {
			f.power[at+1+d] = math.Exp(f.strength[p] / float64(n))
		}
	}
}

// evaluatePairs adds matches of two (Davidson 1970), of the pairs in [from, to).
func (f *fit) evaluatePairs(s *sums, from, to int, wantValue bool) {
	nu, tie, slot := 0.0, 0.0, f.slot[2]
	var cross []float64
	if slot >= 0 {
		tie = f.tie[slot]
		nu = math.Exp(tie)
		cross = s.cross[slot]
	}
	gradTie, tieTie := 0.0, 0.0
	for i := from; i < to; i++ {
		p := &f.l.pairs[i]
		w, l, d := float64(p.won)/one, float64(p.lost)/one, float64(p.drawn)/one
		n := w + l + d
		a, b := f.half[p.a], f.half[p.b]
		za, zb, zd := a*a, b*b, nu*a*b
		inverse := 1 / (za + zb + zd)
		pa, pb, pd := za*inverse, zb*inverse, zd*inverse
		g := w + d/2 - n*(pa+pd/2)
		s.grad[p.a] += g
		s.grad[p.b] -= g
		// The variance of the score, without a difference of large numbers.
		curve := n * (pa*pb + pd*(pa+pb)/4)
		f.edges[i].w = curve
		s.diag[p.a] += curve
		s.diag[p.b] += curve
		if slot >= 0 {
			c := n * pd * (pb - pa) / 2
			cross[p.a] += c
			cross[p.b] -= c
			gradTie += d - n*pd
			tieTie += n * pd * (pa + pb)
		}
		if wantValue {
			sa, sb := f.strength[p.a], f.strength[p.b]
			s.value += w*sa + l*sb + d*((sa+sb)/2+tie) + n*math.Log(inverse)
		}
	}
	if slot >= 0 {
		s.grad[f.l.players+slot] += gradTie
		s.tieTie[slot][slot] += tieTie
	}
}

// evaluateMany adds a cell of other matches.
func (f *fit) evaluateMany(sum *sums, i int, wantValue bool) {
	c := &f.l.manys[i]
	players, _ := f.l.cell(c)
	edges := f.edges[f.manyEdges[i]:][:len(players)*(len(players)-1)/2]
	if c.weight == 0 { // too old, and its ties can have no parameter
		for j := range edges {
			edges[j].w = 0
		}
		return
	}
	s := &sum.stage
	s.match(f, c, wantValue)
	n := float64(c.weight) / one
	sum.value += n * s.value
	at := 0
	for j, a := range players {
		sum.grad[a] += n * s.gradient(j)
		for k, b := range players[:j] {
			w := n * s.edge(j, k)
			edges[at].w = w
			at++
			sum.diag[a] += w
			sum.diag[b] += w
		}
		for d := range f.orders {
			sum.cross[d][a] += n * s.crossed(d, j)
		}
	}
	for d := range f.orders {
		sum.grad[f.l.players+d] += n * s.grad[s.size+d]
		for e := range f.orders {
			sum.tieTie[d][e] += n * s.cov(s.size+max(d, e), s.size+min(d, e))
		}
	}
}
