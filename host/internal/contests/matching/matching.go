// Package matching divides things into pairs at the lowest cost.
package matching

import "slices"

// Weight is a sum of costs or gains of several importances: the first number that is
// different decides. Sums and differences go number by number, so that the duals of the
// matching are exact.
type Weight [3]int64

// Plus returns the sum.
func (a Weight) Plus(b Weight) Weight {
	return Weight{a[0] + b[0], a[1] + b[1], a[2] + b[2]}
}

func (a Weight) minus(b Weight) Weight {
	return Weight{a[0] - b[0], a[1] - b[1], a[2] - b[2]}
}

// half is exact: the slack of an edge between two even vertices is even.
func (a Weight) half() Weight { return Weight{a[0] / 2, a[1] / 2, a[2] / 2} }

// Less reports whether a is less: the first number that is different decides.
func (a Weight) Less(b Weight) bool {
	if a[0] != b[0] {
		return a[0] < b[0]
	}
	if a[1] != b[1] {
		return a[1] < b[1]
	}
	return a[2] < b[2]
}

// first returns the weight with zeros after the first numbers.
func (a Weight) first(numbers int) Weight {
	for i := numbers; i < len(a); i++ {
		a[i] = 0
	}
	return a
}

func (a Weight) compare(b Weight) int {
	switch {
	case a.Less(b):
		return -1
	case b.Less(a):
		return 1
	}
	return 0
}

// Perfect returns a perfect matching of n vertices, an even number, with the lowest
// sum of costs, as the partner of each vertex. All pairs are allowed. For vertex v,
// likely returns partners of low costs; the better they are, the faster.
//
// It solves the problem for the likely edges, and then adds edges with which the result
// could be better, which the duals of the solution show, until there are none: column
// generation, as for large matchings in Cook, Rohe: Computing Minimum-Weight Perfect
// Matchings (1999). With more than 256 vertices it is satisfied when the first two
// numbers of the sum are the lowest ones.
func Perfect(n int, cost func(a, b int) Weight, likely func(v int) []int) []int {
	if n == 0 {
		return nil
	}
	p := &pool{n: n, costs: make([]Weight, n*n), known: make([]bool, n*n), m: &matcher{n: n}}
	for a := range n {
		for b := a + 1; b < n; b++ {
			c := cost(a, b)
			p.costs[a*n+b] = c.Plus(c) // twice, to keep all duals even
		}
	}
	for v := range n {
		p.add(v, v^1) // so that there is a perfect matching
		for _, w := range likely(v) {
			p.add(v, w)
		}
	}
	for pass := 0; ; pass++ {
		p.m.solve()
		numbers := 3
		if pass > 0 && n > 256 {
			numbers = 2
		}
		if !p.price(numbers) {
			break
		}
	}
	partners := make([]int, n)
	for v := range partners {
		partners[v] = p.m.end(p.m.mate[v])
	}
	return partners
}

// pool has the edges that are not in the problem yet.
type pool struct {
	n     int
	costs []Weight // doubled; of a and b at a*n+b, if a is less
	known []bool   // the edge is in the problem
	m     *matcher
}

func (p *pool) add(a, b int) {
	a, b = min(a, b), max(a, b)
	if a == b || p.known[a*p.n+b] {
		return
	}
	p.known[a*p.n+b] = true
	p.m.edges = append(p.m.edges, edge{a, b, Weight{}.minus(p.costs[a*p.n+b])})
}

// price adds edges that violate the duals of the solution, in the first numbers of
// their slack. It reports whether there are any.
func (p *pool) price(numbers int) bool {
	type violation struct {
		a, b  int
		slack Weight
	}
	var list []violation
	for a := range p.n {
		for b := a + 1; b < p.n; b++ {
			c := p.costs[a*p.n+b]
			slack := p.m.dual[a].Plus(p.m.dual[b]).Plus(c.Plus(c)).first(numbers)
			if !slack.Less(Weight{}) || p.known[a*p.n+b] {
				continue
			}
			if slack = slack.Plus(p.m.common(a, b).first(numbers)); slack.Less(Weight{}) {
				list = append(list, violation{a, b, slack})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y violation) int { return x.slack.compare(y.slack) })
	added := make([]int, p.n)
	for _, v := range list {
		if added[v.a] < 10 || added[v.b] < 10 {
			added[v.a]++
			added[v.b]++
			p.add(v.a, v.b)
		}
	}
	return list != nil
}
