package rating

import "math"

// batch is the number of random vectors, at most 64, that are drawn and solved together, so that each
// edge is loaded once for all of them. A processor's cache holds their elements of many
// players; twice as many take as long for each vector.
const batch = 16

// lanes are the elements of one variable, by vector.
type lanes [batch]float64

// add adds a multiple of lanes.
func (l *lanes) add(by *lanes, x *lanes) {
	for k := range l {
		l[k] += by[k] * x[k]
	}
}

// addSigned adds a number or subtracts it: the lowest bits of signs say which, by vector.
func (l *lanes) addSigned(v float64, signs uint64) {
	bits := math.Float64bits(v)
	for k := range l {
		l[k] += math.Float64frombits(bits ^ signs<<63)
		signs >>= 1
	}
}

// mulLanes is mul for a batch of vectors.
func (f *fit) mulLanes(x, y []lanes) {
	n := f.l.players
	var sum lanes
	for i := range n {
		for k, v := range x[i] {
			y[i][k] = f.precision * v
			sum[k] += v
		}
	}
	for edges := f.edges; len(edges) > 0; {
		n := 1 // edges in a row that begin at the same player
		for n < len(edges) && edges[n].a == edges[0].a {
			n++
		}
		for k := 0; k < batch; k += 4 {
			mulFour(edges[:n], x, y, k)
		}
		edges = edges[n:]
	}
	for d := range f.tie {
		y[n+d] = lanes{}
		for e, v := range f.tieTie[d] {
			for k := range batch {
				y[n+d][k] += v * x[n+e][k]
			}
		}
	}
	for p, free := range f.free {
		if !free {
			y[p] = lanes{}
			continue
		}
		for k := range batch {
			y[p][k] += f.shift * sum[k] / float64(len(f.active))
		}
		for d, cross := range f.cross {
			for k := range batch {
				y[p][k] += cross[p] * x[n+d][k]
				y[n+d][k] += cross[p] * x[p][k]
			}
		}
	}
}

// mulFour adds the product of edges that begin at the same player and four vectors. The
// player's elements stay in registers.
func mulFour(edges []edge, x, y []lanes, k int) {
	a := edges[0].a
	xa, ya := (*[4]float64)(x[a][k:]), (*[4]float64)(y[a][k:])
	x0, x1, x2, x3 := xa[0], xa[1], xa[2], xa[3]
	y0, y1, y2, y3 := ya[0], ya[1], ya[2], ya[3]
	for i := range edges {
		e := &edges[i]
		w, xb, yb := e.w, (*[4]float64)(x[e.b][k:]), (*[4]float64)(y[e.b][k:])
		t0, t1, t2, t3 := w*(x0-xb[0]), w*(x1-xb[1]), w*(x2-xb[2]), w*(x3-xb[3])
		y0, y1, y2, y3 = y0+t0, y1+t1, y2+t2, y3+t3
		yb[0], yb[1], yb[2], yb[3] = yb[0]-t0, yb[1]-t1, yb[2]-t2, yb[3]-t3
	}
	ya[0], ya[1], ya[2], ya[3] = y0, y1, y2, y3
}

// solveLanes is conjugate.solve for a batch of vectors. It overwrites b.
func (f *fit) solveLanes(b, x []lanes, part float64) {
	n := len(f.grad)
	r, d, y := b, make([]lanes, n), make([]lanes, n)
	whole, rz := lanes{}, lanes{}
	f.mulLanes(x, y)
	for i, h := range f.diag {
		if h <= 0 {
			continue
		}
		for k := range batch {
			whole[k] += b[i][k] * b[i][k] / h
			r[i][k] -= y[i][k]
			d[i][k] = r[i][k] / h
			rz[k] += r[i][k] * d[i][k]
		}
	}
	for range maxCG {
		solved := true
		for k := range batch {
			solved = solved && rz[k] <= part*part*whole[k]
		}
		if solved {
			break
		}
		f.mulLanes(d, y)
		var slope, alpha, next lanes
		for i := range d {
			slope.add(&d[i], &y[i])
		}
		for k := range batch {
			if rz[k] > part*part*whole[k] { // a vector that is solved stays
				alpha[k] = rz[k] / slope[k]
			}
		}
		for i, h := range f.diag {
			if h <= 0 {
				continue
			}
			inverse := 1 / h
			for k := range batch {
				x[i][k] += alpha[k] * d[i][k]
				r[i][k] -= alpha[k] * y[i][k]
				next[k] += r[i][k] * r[i][k] * inverse
			}
		}
		var beta lanes
		for k := range batch {
			if rz[k] > 0 {
				beta[k] = next[k] / rz[k]
			}
		}
		for i, h := range f.diag {
			if h <= 0 {
				continue
			}
			inverse := 1 / h
			for k := range batch {
				d[i][k] = r[i][k]*inverse + beta[k]*d[i][k]
			}
		}
		rz = next
	}
}
