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
	for i := range f.edges {
		e := &f.edges[i]
		w, xa, xb, ya, yb := e.w, &x[e.a], &x[e.b], &y[e.a], &y[e.b]
		for k := range batch {
			t := w * (xa[k] - xb[k])
			ya[k] += t
			yb[k] -= t
		}
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
