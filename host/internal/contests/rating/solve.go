package rating

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	denseSteps = 128  // up to here a step is computed by Cholesky's method, otherwise by conjugate gradients
	maxSteps   = 200  // of Newton's method
	maxStep    = 30   // nats
	converged  = 1e-7 // nats: the error after a step is about its square
	maxCG      = 2000 // steps of conjugate gradients

	// maxStrength is above what any result can lead to, and keeps its exponential and its
	// square finite. It is in nats.
	maxStrength = 300
)

// solve finds the maximum of the posterior by Newton's method, from the strengths that
// the fit has, and evaluates the curvature there. The posterior is concave, so there is
// one maximum, and steps that are shortened until they improve it lead to it.
func (f *fit) solve() {
	if !f.newton() {
		// Rounding can prevent that from far away, with hardly any prior.
		for _, p := range f.active {
			f.strength[p] = 0
		}
		clear(f.tie)
		f.newton()
	}
	f.recenter()
	f.evaluate(false)
}

// newton reports whether it has found the maximum.
func (f *fit) newton() bool {
	f.recenter()
	f.evaluate(true)
	valued := true
	step := make([]float64, len(f.grad))
	// A step is computed as exactly as its own error deserves, which is about its square.
	exactness := 0.01
	for range maxSteps {
		f.step(step, exactness)
		size := floats.Norm(step, math.Inf(1))
		exactness = max(1e-9, min(0.01, 0.1*size))
		if size > maxStep {
			floats.Scale(maxStep/size, step)
			size = maxStep
		}
		// Steps of less than half a nat change the curvature by a factor of less
		// than two. They improve the posterior without a check.
		check := !(size < 0.5)
		if check && !valued {
			f.evaluate(true)
		}
		value, slope := f.value, floats.Dot(f.grad, step)
		f.move(step, 1)
		if size < converged {
			return true // solve evaluates
		}
		f.evaluate(check)
		t := 1.0
		for ; check && t > 1e-9 && !(f.value >= value+1e-4*t*slope); t /= 2 {
			f.move(step, -t/2)
			f.evaluate(true)
		}
		valued = check
		if t <= 1e-9 {
			break
		}
	}
	return false
}

// move adds a step to the variables, within what can be computed.
func (f *fit) move(step []float64, t float64) {
	for _, p := range f.active {
		f.strength[p] = max(-maxStrength, min(maxStrength, f.strength[p]+t*step[p]))
	}
	for d := range f.tie {
		f.tie[d] = max(-maxStrength, min(maxStrength, f.tie[d]+t*step[f.l.players+d]))
	}
}

// recenter removes what rounding has added to all strengths: without an anchor their
// mean is 0 at the maximum, because only the prior depends on it. It returns the mean.
func (f *fit) recenter() (mean float64) {
	if f.anchored > 0 || len(f.active) == 0 {
		return 0
	}
	for _, p := range f.active {
		mean += f.strength[p]
	}
	mean /= float64(len(f.active))
	for _, p := range f.active {
		f.strength[p] -= mean
	}
	return mean
}

// step computes curvature^-1 * gradient, with conjugate gradients up to a part.
func (f *fit) step(step []float64, part float64) {
	clear(step)
	for p, free := range f.free {
		if !free {
			f.grad[p] = 0
		}
	}
	if n := len(f.active) + len(f.tie); n > 0 && n <= denseSteps {
		x := f.pick(f.grad)
		if c, ok := f.cholesky(); ok && c.solve(x) {
			for i, p := range f.active {
				step[p] = x[i]
			}
			copy(step[f.l.players:], x[len(f.active):])
			return
		}
	}
	newConjugate(f).solve(f.grad, step, part)
	if f.anchored == 0 {
		// The mean is already right. What is inexact about it would not vanish, because
		// the curvature with its shift takes it for small.
		mean := floats.Sum(step[:f.l.players]) / float64(len(f.active))
		for _, p := range f.active {
			step[p] -= mean
		}
	}
}

// pick returns the elements for the variables: active players, and then ties.
func (f *fit) pick(v []float64) []float64 {
	picked := make([]float64, 0, len(f.active)+len(f.tie))
	for _, p := range f.active {
		picked = append(picked, v[p])
	}
	return append(picked, v[f.l.players:]...)
}

// cholesky factors the whole curvature.
func (f *fit) cholesky() (*cholesky, bool) {
	players := len(f.active)
	n := players + len(f.tie)
	index := make([]int, f.l.players)
	for i := range index {
		index[i] = -1
	}
	raw := make([]float64, n*n)
	for i, p := range f.active {
		index[p] = i
		for j := range f.active[i:] {
			raw[i*n+i+j] = f.shift / float64(players)
		}
		raw[i*n+i] += f.diag[p]
		for d := range f.tie {
			raw[i*n+players+d] = f.cross[d][p]
		}
	}
	for _, e := range f.edges {
		if a, b := index[e.a], index[e.b]; a >= 0 && b >= 0 {
			raw[min(a, b)*n+max(a, b)] -= e.w
		}
	}
	for d := range f.tie {
		for e := range f.tie[d:] {
			raw[(players+d)*n+players+d+e] = f.tieTie[d][d+e]
		}
	}
	return factor(n, raw)
}

// mul computes y = curvature * x. Both are 0 for players that are not active.
func (f *fit) mul(x, y []float64) {
	n := f.l.players
	for i := range y[:n] {
		y[i] = f.precision * x[i]
	}
	shards := 1 + len(f.parts)
	parallel(shards, func(i int) {
		sum := y
		if i > 0 {
			sum = f.parts[i-1].product
			clear(sum)
		}
		from, to := part(i, shards, len(f.edges))
		mulEdges(f.edges[from:to], x, sum)
	})
	for _, s := range f.parts {
		floats.Add(y[:n], s.product)
	}
	if f.shift > 0 {
		floats.AddConst(f.shift*floats.Sum(x[:n])/float64(len(f.active)), y[:n])
	}
	for d, cross := range f.cross {
		floats.AddScaled(y[:n], x[n+d], cross)
		y[n+d] = floats.Dot(cross, x[:n]) + floats.Dot(f.tieTie[d], x[n:])
	}
	if len(f.active) < n {
		for p, free := range f.free {
			if !free {
				y[p] = 0
			}
		}
	}
}

// mulEdges adds the product of edges and x to y.
func mulEdges(edges []edge, x, y []float64) {
	for len(edges) > 0 {
		// Many edges in a row begin at the same player. Its sum stays in a register.
		a := edges[0].a
		xa, sum, n := x[a], 0.0, 0
		for ; n < len(edges) && edges[n].a == a; n++ {
			e := &edges[n]
			t := e.w * (xa - x[e.b])
			sum += t
			y[e.b] -= t
		}
		y[a] += sum
		edges = edges[n:]
	}
}

// conjugate solves equations with the curvature by the method of conjugate gradients,
// preconditioned by its diagonal. It can be used by one goroutine.
type conjugate struct {
	f          *fit
	r, z, d, y []float64
}

func newConjugate(f *fit) *conjugate {
	n := len(f.grad)
	return &conjugate{f: f, r: make([]float64, n), z: make([]float64, n), d: make([]float64, n), y: make([]float64, n)}
}

// solve computes x = curvature^-1 * b, starting from x, until the residual is less than
// the given part of b, both measured with the preconditioner.
func (c *conjugate) solve(b, x []float64, part float64) {
	f := c.f
	f.mul(x, c.y)
	floats.SubTo(c.r, b, c.y)
	whole := c.precondition(b)
	rz := c.precondition(c.r)
	copy(c.d, c.z)
	for i := 0; i < maxCG && rz > part*part*whole; i++ {
		f.mul(c.d, c.y)
		alpha := rz / floats.Dot(c.d, c.y)
		floats.AddScaled(x, alpha, c.d)
		floats.AddScaled(c.r, -alpha, c.y)
		next := c.precondition(c.r)
		floats.AddScaledTo(c.d, c.z, next/rz, c.d)
		rz = next
	}
}

// precondition sets z, and returns the product of v and z.
func (c *conjugate) precondition(v []float64) float64 {
	sum := 0.0
	for i, x := range v {
		if x == 0 {
			c.z[i] = 0
			continue
		}
		c.z[i] = x / c.f.diag[i]
		sum += x * c.z[i]
	}
	return sum
}
