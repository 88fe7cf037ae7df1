package matching

import "slices"

// matcher finds a perfect matching of maximum weight, by Edmonds' algorithm with
// blossoms in the form of Galil: Efficient Algorithms for Finding Maximum Matching in
// Graphs (ACM Computing Surveys, 1986). The treatment of blossoms follows the one that
// J. van Rantwijk published (mwmatching.py, 2008).
//
// Nodes are vertices, 0 to n-1, and blossoms, n to 2n-1: odd cycles of nodes. A half
// edge 2e+s is edge e seen from one end; it leads to the vertex end(2e+s).
type matcher struct {
	n     int
	edges []edge

	around [][]int  // of each vertex: the half edges that lead away from it
	mate   []int    // of each vertex: the half edge to its partner, or -1
	dual   []Weight // of each node; that of a vertex is doubled
	tight  []bool   // of each edge: it can be used

	label  []label
	from   []int // of each node: the half edge to where its label comes from, or -1
	inside []int // of each vertex: the outermost blossom, or itself
	parent []int // of each node: the blossom that it is a part of, or -1
	base   []int // of each node: the vertex that is not matched inside; -1: unused blossom
	parts  [][]int
	joints [][]int // of each blossom: the half edges from each part to the next
	best   []int   // of each node: the edge of the least slack to another even node, or -1
	bests  [][]int // of each even blossom: such edges, one for each even node around
	to     []int   // all -1, for collect and common
	free   []int   // unused blossoms
	queue  []int   // even vertices with edges to look at
}

type edge struct {
	a, b int
	gain Weight
}

type label int8

const (
	none label = iota
	even       // at an even distance from a free vertex, on a path of tight edges
	odd
	visited // even, and on a path that common ancestors are searched on
)

func (m *matcher) end(half int) int {
	if half%2 == 0 {
		return m.edges[half/2].a
	}
	return m.edges[half/2].b
}

func (m *matcher) slack(e int) Weight {
	x := &m.edges[e]
	return m.dual[x.a].Plus(m.dual[x.b]).minus(x.gain.Plus(x.gain))
}

// common returns twice the duals of the blossoms that contain two vertices.
func (m *matcher) common(a, b int) Weight {
	var sum Weight
	if m.inside[a] != m.inside[b] {
		return sum
	}
	for x := m.parent[a]; x >= 0; x = m.parent[x] {
		m.to[x] = x
	}
	for x := m.parent[b]; x >= 0; x = m.parent[x] {
		if m.to[x] == x {
			sum = sum.Plus(m.dual[x]).Plus(m.dual[x])
		}
	}
	for x := m.parent[a]; x >= 0; x = m.parent[x] {
		m.to[x] = -1
	}
	return sum
}

func filled(n, value int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = value
	}
	return list
}

func (m *matcher) reset() {
	n := m.n
	m.around, m.mate = make([][]int, n), filled(n, -1)
	m.dual, m.tight = make([]Weight, 2*n), make([]bool, len(m.edges))
	m.label, m.from = make([]label, 2*n), filled(2*n, -1)
	m.inside, m.parent, m.base = make([]int, n), filled(2*n, -1), filled(2*n, -1)
	m.parts, m.joints = make([][]int, 2*n), make([][]int, 2*n)
	m.best, m.bests = filled(2*n, -1), make([][]int, 2*n)
	m.to, m.free, m.queue = filled(2*n, -1), nil, nil
	for i, e := range m.edges {
		m.around[e.a] = append(m.around[e.a], 2*i+1)
		m.around[e.b] = append(m.around[e.b], 2*i)
	}
	for v := range n {
		m.inside[v], m.base[v] = v, v
		m.free = append(m.free, n+v)
		for i, half := range m.around[v] {
			if gain := m.edges[half/2].gain; i == 0 || m.dual[v].Less(gain) {
				m.dual[v] = gain
			}
		}
	}
	for v := range n { // a start that saves half of the stages
		for _, half := range m.around[v] {
			if w := m.end(half); m.mate[v] < 0 && m.mate[w] < 0 && m.slack(half/2) == (Weight{}) {
				m.mate[v], m.mate[w] = half, half^1
			}
		}
	}
}

// solve computes mate and the duals. There must be a perfect matching.
func (m *matcher) solve() {
	m.reset()
	for slices.Contains(m.mate, -1) {
		m.stage()
	}
}

// stage makes the matching larger by one edge.
func (m *matcher) stage() {
	clear(m.label)
	clear(m.tight)
	clear(m.bests)
	for i := range m.best {
		m.best[i] = -1
	}
	m.queue = m.queue[:0]
	for v := range m.n {
		if m.mate[v] < 0 && m.label[m.inside[v]] == none {
			m.assign(v, even, -1)
		}
	}
	for !m.grow() {
		m.adjust()
	}
	for b := m.n; b < 2*m.n; b++ {
		if m.parent[b] < 0 && m.base[b] >= 0 && m.label[b] == even && m.dual[b] == (Weight{}) {
			m.expand(b, true)
		}
	}
}

// grow follows tight edges. It reports whether it found an augmenting path.
func (m *matcher) grow() bool {
	for len(m.queue) > 0 {
		v := m.queue[len(m.queue)-1]
		m.queue = m.queue[:len(m.queue)-1]
		for _, half := range m.around[v] {
			w, e := m.end(half), half/2
			if m.inside[v] == m.inside[w] {
				continue
			}
			var slack Weight
			if !m.tight[e] {
				slack = m.slack(e)
				m.tight[e] = !(Weight{}).Less(slack)
			}
			switch other := m.inside[w]; {
			case m.tight[e] && m.label[other] == none:
				m.assign(w, odd, half^1)
			case m.tight[e] && m.label[other] == even:
				base := m.ancestor(v, w)
				if base < 0 {
					m.augment(e)
					return true
				}
				m.shrink(base, e)
			case m.tight[e] && m.label[w] == none:
				m.label[w], m.from[w] = odd, half^1
			case m.tight[e]:
			case m.label[other] == even:
				if b := m.inside[v]; m.best[b] < 0 || slack.Less(m.slack(m.best[b])) {
					m.best[b] = e
				}
			case m.label[w] == none:
				if m.best[w] < 0 || slack.Less(m.slack(m.best[w])) {
					m.best[w] = e
				}
			}
		}
	}
	return false
}

// adjust changes the duals so that another edge becomes tight, or a blossom dissolves.
func (m *matcher) adjust() {
	var delta Weight
	found, through, blossom := false, -1, -1
	try := func(d Weight, e, b int) {
		if !found || d.Less(delta) {
			found, delta, through, blossom = true, d, e, b
		}
	}
	for v := range m.n {
		if m.label[m.inside[v]] == none && m.best[v] >= 0 {
			try(m.slack(m.best[v]), m.best[v], -1)
		}
	}
	for b := range 2 * m.n {
		switch {
		case m.parent[b] >= 0 || m.base[b] < 0:
		case m.label[b] == even && m.best[b] >= 0:
			try(m.slack(m.best[b]).half(), m.best[b], -1)
		case m.label[b] == odd && b >= m.n:
			try(m.dual[b], -1, b)
		}
	}
	if !found {
		panic("matching: no perfect matching") // Perfect adds edges for one
	}
	for v := range m.n {
		switch m.label[m.inside[v]] {
		case even:
			m.dual[v] = m.dual[v].minus(delta)
		case odd:
			m.dual[v] = m.dual[v].Plus(delta)
		}
	}
	for b := m.n; b < 2*m.n; b++ {
		switch {
		case m.parent[b] >= 0 || m.base[b] < 0:
		case m.label[b] == even:
			m.dual[b] = m.dual[b].Plus(delta)
		case m.label[b] == odd:
			m.dual[b] = m.dual[b].minus(delta)
		}
	}
	if blossom >= 0 {
		m.expand(blossom, false)
		return
	}
	m.tight[through] = true
	v := m.edges[through].a
	if m.label[m.inside[v]] == none {
		v = m.edges[through].b
	}
	m.queue = append(m.queue, v)
}

// leaves calls visit for each vertex of a node.
func (m *matcher) leaves(node int, visit func(v int)) {
	if node < m.n {
		visit(node)
		return
	}
	for _, part := range m.parts[node] {
		m.leaves(part, visit)
	}
}

// assign labels the outermost node of a vertex, and the partner of an odd one.
func (m *matcher) assign(v int, l label, from int) {
	b := m.inside[v]
	m.label[v], m.label[b] = l, l
	m.from[v], m.from[b] = from, from
	m.best[v], m.best[b] = -1, -1
	if l == even {
		m.leaves(b, func(v int) { m.queue = append(m.queue, v) })
		return
	}
	half := m.mate[m.base[b]]
	m.assign(m.end(half), even, half^1)
}

// ancestor returns the base of the blossom that an edge between two even vertices
// closes, or -1 if the edge closes an augmenting path.
func (m *matcher) ancestor(v, w int) int {
	var path []int
	base := -1
	for v >= 0 || w >= 0 {
		b := m.inside[v]
		if m.label[b] == visited {
			base = m.base[b]
			break
		}
		path = append(path, b)
		m.label[b] = visited
		if m.from[b] < 0 {
			v = -1
		} else {
			b = m.inside[m.end(m.from[b])]
			v = m.end(m.from[b])
		}
		if w >= 0 {
			v, w = w, v
		}
	}
	for _, b := range path {
		m.label[b] = even
	}
	return base
}

// shrink makes a blossom of the cycle that an edge closes.
func (m *matcher) shrink(base, e int) {
	v, w := m.edges[e].a, m.edges[e].b
	top := m.inside[base]
	b := m.free[len(m.free)-1]
	m.free = m.free[:len(m.free)-1]
	var parts, joints []int
	for x := m.inside[v]; x != top; x = m.inside[v] {
		m.parent[x] = b
		parts, joints = append(parts, x), append(joints, m.from[x])
		v = m.end(m.from[x])
	}
	parts = append(parts, top)
	slices.Reverse(parts)
	slices.Reverse(joints)
	joints = append(joints, 2*e)
	for x := m.inside[w]; x != top; x = m.inside[w] {
		m.parent[x] = b
		parts, joints = append(parts, x), append(joints, m.from[x]^1)
		w = m.end(m.from[x])
	}
	m.parent[top], m.parent[b] = b, -1
	m.base[b], m.parts[b], m.joints[b] = base, parts, joints
	m.label[b], m.from[b], m.dual[b] = even, m.from[top], Weight{}
	m.leaves(b, func(v int) {
		if m.label[m.inside[v]] == odd {
			m.queue = append(m.queue, v)
		}
		m.inside[v] = b
	})
	m.collect(b)
}

// collect sets the best edges from a new blossom to other even nodes.
func (m *matcher) collect(b int) {
	to := m.to // of each node: the best edge there
	var order []int
	look := func(e int) {
		other := m.inside[m.edges[e].a]
		if other == b {
			other = m.inside[m.edges[e].b]
		}
		if other == b || m.label[other] != even {
			return
		}
		if to[other] < 0 {
			order = append(order, other)
		}
		if to[other] < 0 || m.slack(e).Less(m.slack(to[other])) {
			to[other] = e
		}
	}
	for _, part := range m.parts[b] {
		if m.bests[part] != nil {
			for _, e := range m.bests[part] {
				look(e)
			}
		} else {
			m.leaves(part, func(v int) {
				for _, half := range m.around[v] {
					look(half / 2)
				}
			})
		}
		m.bests[part], m.best[part] = nil, -1
	}
	m.bests[b], m.best[b] = make([]int, 0, len(order)), -1
	for _, other := range order {
		e := to[other]
		to[other] = -1
		m.bests[b] = append(m.bests[b], e)
		if m.best[b] < 0 || m.slack(e).Less(m.slack(m.best[b])) {
			m.best[b] = e
		}
	}
}

// cycle walks around a blossom from a part to its base, on the side with an even number
// of joints.
type cycle struct{ at, step, trick, length int }

func (m *matcher) walk(b, part int) cycle {
	n := len(m.parts[b])
	at := slices.Index(m.parts[b], part)
	if at%2 == 1 {
		return cycle{at - n, 1, 0, n}
	}
	return cycle{at, -1, 1, n}
}

func (c *cycle) part(list []int) int { return list[(c.at+c.length)%c.length] }

// joint returns the half edge with which the walk leaves the part before this one.
func (c *cycle) joint(list []int) int {
	return list[(c.at-c.trick+c.length)%c.length] ^ c.trick
}

// expand dissolves a blossom: at the end of a stage, or an odd one during it.
func (m *matcher) expand(b int, atEnd bool) {
	for _, part := range m.parts[b] {
		m.parent[part] = -1
		if part >= m.n && atEnd && m.dual[part] == (Weight{}) {
			m.expand(part, true)
			continue
		}
		m.leaves(part, func(v int) { m.inside[v] = part })
	}
	if !atEnd && m.label[b] == odd {
		m.relabel(b)
	}
	m.label[b], m.from[b], m.base[b], m.best[b] = none, -1, -1, -1
	m.parts[b], m.joints[b], m.bests[b] = nil, nil, nil
	m.free = append(m.free, b)
}

// relabel labels the parts of an odd blossom that dissolves.
func (m *matcher) relabel(b int) {
	entry := m.inside[m.end(m.from[b]^1)]
	c := m.walk(b, entry)
	half := m.from[b]
	for c.at != 0 {
		m.label[m.end(half^1)] = none
		m.label[m.end(c.joint(m.joints[b])^1)] = none
		m.assign(m.end(half^1), odd, half)
		m.tight[c.joint(m.joints[b])/2] = true
		c.at += c.step
		half = c.joint(m.joints[b])
		m.tight[half/2] = true
		c.at += c.step
	}
	part := c.part(m.parts[b])
	v := m.end(half ^ 1)
	m.label[v], m.label[part] = odd, odd
	m.from[v], m.from[part] = half, half
	m.best[part] = -1
	for c.at += c.step; c.part(m.parts[b]) != entry; c.at += c.step {
		part := c.part(m.parts[b])
		if m.label[part] == even {
			continue
		}
		reached := -1
		m.leaves(part, func(v int) {
			if m.label[v] != none && reached < 0 {
				reached = v
			}
		})
		if reached >= 0 {
			m.label[reached] = none
			m.label[m.end(m.mate[m.base[part]])] = none
			m.assign(reached, odd, m.from[reached])
		}
	}
}

// rotate changes the matching inside a blossom so that a vertex is its base.
func (m *matcher) rotate(b, v int) {
	part := v
	for m.parent[part] != b {
		part = m.parent[part]
	}
	if part >= m.n {
		m.rotate(part, v)
	}
	first := slices.Index(m.parts[b], part)
	for c := m.walk(b, part); c.at != 0; {
		c.at += c.step
		part, half := c.part(m.parts[b]), c.joint(m.joints[b])
		if part >= m.n {
			m.rotate(part, m.end(half))
		}
		c.at += c.step
		if part = c.part(m.parts[b]); part >= m.n {
			m.rotate(part, m.end(half^1))
		}
		m.mate[m.end(half)], m.mate[m.end(half^1)] = half^1, half
	}
	m.parts[b] = slices.Concat(m.parts[b][first:], m.parts[b][:first])
	m.joints[b] = slices.Concat(m.joints[b][first:], m.joints[b][:first])
	m.base[b] = m.base[m.parts[b][0]]
}

// augment swaps the edges of the path that an edge closes between two free vertices.
func (m *matcher) augment(e int) {
	for side, v := range []int{m.edges[e].a, m.edges[e].b} {
		half := 2*e + 1 - side
		for {
			b := m.inside[v]
			if b >= m.n {
				m.rotate(b, v)
			}
			m.mate[v] = half
			if m.from[b] < 0 {
				break
			}
			t := m.inside[m.end(m.from[b])]
			v = m.end(m.from[t])
			w := m.end(m.from[t] ^ 1)
			if t >= m.n {
				m.rotate(t, w)
			}
			m.mate[w] = m.from[t]
			half = m.from[t] ^ 1
		}
	}
}
