package rating

import (
	"math"
	"slices"
	"time"
)

const (
	tolerance = 0.002   // standard errors: how far a strength can be from its best value, given all others
	work      = 400_000 // cells of two that one relaxation computes
	manyWork  = 20      // cells of two that take as long as one of more
)

// relaxation keeps the strengths of a fit near the maximum while matches are added. It
// corrects one player after the other, as in the method of Gauss and Seidel, first those
// with new matches, and then those whose gradient this has changed. So the work depends
// on the players concerned, not on all.
type relaxation struct {
	pairs, manys int       // of the ledger, that cells has
	cells        [][]int32 // by player: indices of pairs, or ^ of manys
	residual     []float64 // by player: an estimate of the gradient
	queue        []int32   // players to correct
	queued       []bool    // by player
	near         []edge    // of the player that is corrected
	anchored     []float64 // by player: the curvature of its matches with anchors
	stage        stage
}

// grow takes notice of new players and cells.
func (r *relaxation) grow(l *ledger) {
	n := l.players - len(r.cells)
	r.cells = append(r.cells, make([][]int32, n)...)
	r.residual = append(r.residual, make([]float64, n)...)
	r.queued = append(r.queued, make([]bool, n)...)
	r.anchored = append(r.anchored, make([]float64, n)...)
	for ; r.pairs < len(l.pairs); r.pairs++ {
		for _, p := range []int32{l.pairs[r.pairs].a, l.pairs[r.pairs].b} {
			r.cells[p] = append(r.cells[p], int32(r.pairs))
		}
	}
	for ; r.manys < len(l.manys); r.manys++ {
		players, _ := l.cell(&l.manys[r.manys])
		for _, p := range players {
			r.cells[p] = append(r.cells[p], ^int32(r.manys))
		}
	}
}

// reset is for a fit that is at its maximum.
func (r *relaxation) reset(f *fit) {
	clear(r.residual)
	clear(r.anchored)
	for _, e := range f.edges {
		if f.free[e.a] && !f.free[e.b] {
			r.anchored[e.a] += e.w
		}
		if f.free[e.b] && !f.free[e.a] {
			r.anchored[e.b] += e.w
		}
	}
	clear(r.queued)
	r.queue = r.queue[:0]
}

// disturb puts a player into the queue of those to correct.
func (r *relaxation) disturb(f *fit, p int32) {
	if f.free[p] && !r.queued[p] {
		r.queued[p] = true
		r.queue = append(r.queue, p)
	}
}

// age lets time pass.
func (r *relaxation) age(f *fit, now time.Time) {
	before := f.precision
	f.setNow(now)
	more := f.precision - before
	for _, p := range f.active {
		f.diag[p] += more
		r.change(f, p, -more*f.strength[p])
	}
}

// change adds to the residual of a player.
func (r *relaxation) change(f *fit, p int32, by float64) {
	r.residual[p] += by
	if r.residual[p]*r.residual[p] > tolerance*tolerance*f.diag[p] {
		r.disturb(f, p)
	}
}

// relax corrects players until all are near enough to the maximum, or too much work has
// been done; then the next one goes on.
func (r *relaxation) relax(f *fit) {
	done, head := 0, 0
	for ; head < len(r.queue) && done < work; head++ {
		p := r.queue[head]
		r.queued[p] = false
		moved := 0.0
		for range 50 {
			g, n := r.local(f, p)
			done += n
			step := max(-1, min(1, g/f.diag[p]))
			f.strength[p] += step
			f.exponentials(int(p))
			moved += step
			if math.Abs(step) < 1e-3 {
				break // the error is about its square
			}
		}
		r.residual[p] = 0
		r.anchored[p] = 0
		for _, e := range r.near {
			if f.free[e.b] {
				r.change(f, e.b, moved*e.w)
			} else {
				r.anchored[p] += e.w
			}
		}
	}
	r.queue = slices.Delete(r.queue, 0, head)
	r.level(f)
	for p := range f.strength {
		f.exponentials(p)
	}
}

// level corrects all strengths by the same number. Correcting one player after the other
// takes very long to find it, because the differences are right without it. With an
// anchor, the residuals say how much; without one, the mean is 0.
func (r *relaxation) level(f *fit) {
	if f.anchored == 0 {
		mean := f.recenter()
		for _, p := range f.active {
			r.change(f, p, mean*f.precision)
		}
		return
	}
	gradient, curvature := 0.0, 0.0
	for _, p := range f.active {
		gradient += r.residual[p]
		curvature += r.anchored[p] + f.precision
	}
	for _, p := range f.active {
		step := gradient / curvature
		f.strength[p] += step
		r.change(f, p, -step*(r.anchored[p]+f.precision))
	}
}

// local returns the gradient of a player, sets its curvature and its edges, and returns
// how much work that was.
func (r *relaxation) local(f *fit, p int32) (gradient float64, done int) {
	r.near = r.near[:0]
	gradient, curvature := -f.precision*f.strength[p], f.precision
	nu := 0.0
	if slot := f.slot[2]; slot >= 0 {
		nu = math.Exp(f.tie[slot])
	}
	for _, c := range r.cells[p] {
		if c < 0 {
			m := &f.l.manys[^c]
			if m.weight == 0 {
				continue
			}
			done += manyWork
			r.stage.match(f, m, false)
			n := float64(m.weight) / one
			players, _ := f.l.cell(m)
			i := slices.Index(players, p)
			gradient += n * r.stage.gradient(i)
			for j, other := range players {
				if j != i {
					w := n * r.stage.edge(i, j)
					curvature += w
					r.near = append(r.near, edge{p, other, w})
				}
			}
			continue
		}
		done++
		m := &f.l.pairs[c]
		won, lost, other := m.won, m.lost, m.b
		if p == m.b {
			won, lost, other = lost, won, m.a
		}
		x, y := f.half[p], f.half[other]
		inverse := 1 / (x*x + y*y + nu*x*y)
		pw, pl, pd := x*x*inverse, y*y*inverse, nu*x*y*inverse
		n := float64(won+lost+m.drawn) / one
		gradient += float64(won)/one + float64(m.drawn)/one/2 - n*(pw+pd/2)
		w := n * (pw*pl + pd*(pw+pl)/4)
		curvature += w
		r.near = append(r.near, edge{p, other, w})
	}
	f.diag[p] = curvature
	return gradient, done
}

// independent estimates the inflation of a player as if its opponents were independent
// of each other and of it.
func (r *relaxation) independent(f *fit, p int32, by []float64) float64 {
	r.local(f, p)
	sum := 1.0
	for _, e := range r.near {
		if f.free[e.b] && by[e.b] > 0 {
			sum += e.w * e.w * by[e.b] / f.diag[e.b] / f.diag[p]
		}
	}
	return sum
}

// start takes over the strengths of another fit.
func (f *fit) start(from *fit) {
	for _, p := range f.active {
		if int(p) < len(from.free) && from.free[p] {
			f.strength[p] = from.strength[p] + (from.center-f.center)/pointsPerNat
		}
	}
	for d, n := range f.orders {
		if slot := from.slot[n]; slot >= 0 {
			f.tie[d] = from.tie[slot]
		}
	}
}

// ages reports whether the weights at a time are others than those of the fit.
func (f *fit) ages(now time.Time) bool {
	before, scale := f.precision, f.scale
	f.setNow(now)
	changed := f.precision != before
	f.precision, f.scale = before, scale
	return changed
}

// grow takes notice of new players and matches of the ledger, and reports whether only a
// new fit can consider them: a match of an anchor without any, or a new number of
// sides that share a rank.
func (f *fit) grow() (complete bool) {
	for n := 2; n <= MaxSeats; n++ {
		if (f.l.ties[n] > 0) != (f.slot[n] >= 0) {
			return true
		}
	}
	old, anchored := len(f.free), 0
	n := f.l.players - old
	f.free = append(f.free, make([]bool, n)...)
	f.strength = append(f.strength, make([]float64, n)...)
	f.half = append(f.half, make([]float64, n)...)
	f.power = append(f.power, make([]float64, n*(1+len(f.orders)))...)
	f.diag = append(f.diag[:old], make([]float64, n)...)
	for p := range f.l.played {
		if f.l.played[p] == 0 || f.free[p] {
			continue
		}
		if _, anchor := f.anchors[p]; anchor {
			anchored++
			continue
		}
		f.free[p] = true
		f.exponentials(p)
		f.active = append(f.active, int32(p))
	}
	return anchored != f.anchored
}
