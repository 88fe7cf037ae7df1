//go:build go1.21

package main

import "math/bits"

// endings has tables of endings with few pieces: for each position who wins, and in how
// many plies. It is built while a bot thinks, and used as far as it is complete. It knows
// no draws by limits or repetition.
type endings struct {
	rules   *Rules
	squares []int       // by number
	number  [64]int     // by square
	sets    [4][]uint64 // by size: all sets of that many squares, in the order of rank
	tables  [256]*ending
	todo    []material // those that are not complete, in the order in which they are built
	build   *building  // of todo[0], or nil
}

// material is how many pieces there are: kings and men of the side to move, and of the
// other side.
type material [4]int

// ending is the table of all positions with the same material. The side to move plays
// upward. An element is 0 for a draw, and otherwise 1 more than the number of plies to
// the end: if that number is odd, the side to move wins.
type ending struct {
	of     material
	result []uint8
	// While it is built: how many steps do not lose yet (neverLoses: it cannot lose), whether
	// there are steps at all, and the longest loss by a move that leaves the table.
	open  []uint8
	steps []bool
	loss  []uint8
}

const neverLoses = 255

// building is the state of the construction of two tables, which refer to each other.
type building struct {
	pair  [2]*ending // can be the same
	side  int        // of pair, and
	next  int        // the position, up to which the moves have been counted
	queue [256][]int // by plies to the end: 2 times the position, plus the index in pair
	plies int        // of the first queue that is not empty
	moves []Move
}

// newEndings returns tables to be built for the rules.
func newEndings(r *Rules) *endings {
	e := &endings{rules: r}
	for set := r.Board.squares; set != 0; set &= set - 1 {
		square := bits.TrailingZeros64(set)
		e.number[square] = len(e.squares)
		e.squares = append(e.squares, square)
	}
	e.sets[0] = []uint64{0}
	most := 3
	e.todo = []material{{1, 0, 1, 0}, {1, 0, 0, 1}, {0, 1, 0, 1}, {2, 0, 1, 0}}
	if r.Board == board8 {
		e.todo = append(e.todo, material{3, 0, 1, 0}) // a search does not find how these win
	} else {
		most = 2 // three kings are too many positions, and do not win against one
	}
	e.todo = append(e.todo, material{2, 0, 0, 1}, material{1, 1, 1, 0}, material{1, 1, 0, 1}, material{0, 2, 1, 0}, material{0, 2, 0, 1})
	if r.Board == board8 {
		e.todo = append(e.todo, material{2, 0, 2, 0})
	}
	for size := 1; size <= most; size++ {
		// The sets whose highest square is n come after those of lower squares.
		for n := 0; n < len(e.squares); n++ {
			for _, lower := range e.sets[size-1] {
				if lower>>uint(e.squares[n]) == 0 {
					e.sets[size] = append(e.sets[size], lower|bit(e.squares[n]))
				}
			}
		}
	}
	return e
}

// rank returns the index of a set among those of its size.
func (e *endings) rank(set uint64) int {
	sum := 0
	for size := 1; set != 0; size++ {
		n := e.number[bits.TrailingZeros64(set)]
		set &= set - 1
		switch size { // n over size
		case 1:
			sum += n
		case 2:
			sum += n * (n - 1) / 2
		default:
			sum += n * (n - 1) * (n - 2) / 6
		}
	}
	return sum
}

// turned returns a set after half a turn of the board.
func (e *endings) turned(set uint64) uint64 {
	// The squares take the bits from firstSquare up, symmetrically.
	return bits.RotateLeft64(bits.Reverse64(set), e.squares[0]+e.squares[len(e.squares)-1]-63)
}

// groups returns the sets of pieces of a position: kings and men of the side to move, and
// of the other side, as if the side to move played upward.
func (e *endings) groups(p *Position) [4]uint64 {
	own, other, kings := p.Pieces[p.Turn], p.Pieces[1-p.Turn], p.Kings
	if p.Turn == Black {
		own = e.turned(own)
		other = e.turned(other)
		kings = e.turned(kings)
	}
	return [4]uint64{own & kings, own &^ kings, other & kings, other &^ kings}
}

func (t *ending) id() int { return t.of.id() }

func (m material) id() int { return m[0]<<6 | m[1]<<4 | m[2]<<2 | m[3] }

// index returns the place of a position in the table of its material.
func (e *endings) index(groups *[4]uint64) int {
	index := 0
	for i := 0; i < 4; i++ {
		set := groups[i]
		index = index*len(e.sets[bits.OnesCount64(set)]) + e.rank(set)
	}
	return index
}

// position returns the position in a place of a table, with White to move, and whether
// there is one.
func (e *endings) position(t *ending, index int) (Position, bool) {
	var groups [4]uint64
	for i := 3; i >= 0; i-- {
		sets := e.sets[t.of[i]]
		groups[i] = sets[index%len(sets)]
		index /= len(sets)
	}
	p := Position{Kings: groups[0] | groups[2]}
	p.Pieces[White] = groups[0] | groups[1]
	p.Pieces[Black] = groups[2] | groups[3]
	all := p.Pieces[White] | p.Pieces[Black]
	far := &e.rules.Board.far
	ok := bits.OnesCount64(all) == t.of[0]+t.of[1]+t.of[2]+t.of[3] && groups[1]&far[White] == 0 && groups[3]&far[Black] == 0
	return p, ok
}

// probe returns the result of a position, as in ending, if its table is complete.
func (e *endings) probe(p *Position) (uint8, bool) {
	if p.Pieces[p.Turn] == 0 {
		return 1, true
	}
	if bits.OnesCount64(p.Pieces[White]|p.Pieces[Black]) > 4 {
		return 0, false
	}
	groups := e.groups(p)
	var m material
	for i := 0; i < 4; i++ {
		m[i] = bits.OnesCount64(groups[i])
		if m[i] > 3 {
			return 0, false
		}
	}
	t := e.tables[m.id()]
	if t == nil {
		return 0, false
	}
	return t.result[e.index(&groups)], true
}

// work builds tables as long as thinking returns true.
func (e *endings) work(thinking func() bool) {
	for n := 1; len(e.todo) > 0; n++ {
		if n%askEvery == 0 && !thinking() {
			return
		}
		if e.build == nil {
			e.build = e.begin(e.todo[0])
		}
		if e.step(e.build) {
			continue
		}
		for _, t := range e.build.pair {
			t.open = nil
			t.steps = nil
			t.loss = nil
			e.tables[t.id()] = t
		}
		e.build = nil
		e.todo = e.todo[1:]
	}
}

func (e *endings) begin(m material) *building {
	make1 := func(m material) *ending {
		size := 1
		for i := 0; i < 4; i++ {
			size *= len(e.sets[m[i]])
		}
		return &ending{of: m, result: make([]uint8, size), open: make([]uint8, size), steps: make([]bool, size), loss: make([]uint8, size)}
	}
	b := &building{}
	b.pair[0] = make1(m)
	b.pair[1] = b.pair[0]
	if other := (material{m[2], m[3], m[0], m[1]}); other != m {
		b.pair[1] = make1(other)
	}
	return b
}

// step looks at one more position, and reports whether there was one.
func (e *endings) step(b *building) bool {
	t := b.pair[b.side]
	if b.next < len(t.result) {
		e.count(b, b.next)
		b.next++
		return true
	}
	if b.side == 0 && b.pair[1] != t {
		b.side = 1
		b.next = 0
		return true
	}
	for b.plies < 250 && len(b.queue[b.plies]) == 0 {
		b.plies++
	}
	if b.plies == 250 {
		return false
	}
	queue := b.queue[b.plies]
	last := queue[len(queue)-1]
	b.queue[b.plies] = queue[:len(queue)-1]
	t = b.pair[last%2]
	if t.result[last/2] == 0 {
		t.result[last/2] = uint8(b.plies + 1)
		e.undo(b, last%2, last/2)
	}
	return true
}

// count looks at the moves of a position. Those that leave the tables have their
// results there; the others are counted.
func (e *endings) count(b *building, index int) {
	t := b.pair[b.side]
	p, ok := e.position(t, index)
	if !ok {
		t.open[index] = neverLoses
		return
	}
	b.moves = p.Moves(e.rules, b.moves[:0])
	win, loss, hopeless := 255, 0, true
	for i := range b.moves {
		m := &b.moves[i]
		if m.Taken == 0 && !m.Crowned {
			t.open[index]++
			t.steps[index] = true
			continue
		}
		next := p
		next.Play(m)
		result, _ := e.probe(&next)
		switch plies := int(result); { // of next, and one more
		case result == 0:
			hopeless = false
		case result%2 == 1 && plies < win:
			win = plies
		case result%2 == 0 && plies > loss:
			loss = plies
		}
	}
	if !hopeless {
		t.open[index] = neverLoses
	}
	t.loss[index] = uint8(loss)
	switch {
	case win < 250:
		b.push(win, b.side, index)
		t.open[index] = neverLoses // it does not lose
	case t.open[index] == 0:
		b.push(loss, b.side, index)
	}
}

func (b *building) push(plies, side, index int) {
	if plies < 250 {
		b.queue[plies] = append(b.queue[plies], 2*index+side)
	}
}

// undo takes back the steps that lead to a position of which the result is known.
func (e *endings) undo(b *building, side, index int) {
	p, _ := e.position(b.pair[side], index)
	empty := e.rules.Board.squares &^ (p.Pieces[White] | p.Pieces[Black])
	for set := p.Pieces[Black]; set != 0; set &= set - 1 {
		to := bits.TrailingZeros64(set)
		king := p.Kings>>uint(to)&1 != 0
		for i, d := range directions {
			if !king && i >= 2 {
				break // black's men came from above
			}
			for from := to + d; empty>>uint(from)&1 != 0; from += d {
				before := p
				before.Turn = Black
				before.Pieces[Black] ^= bit(to) | bit(from)
				if king {
					before.Kings ^= bit(to) | bit(from)
				}
				e.known(b, 1-side, &before)
				if !king || !e.rules.Flying {
					break
				}
			}
		}
	}
}

// known notes that a step of a position leads to one whose result is that of b.plies.
func (e *endings) known(b *building, side int, p *Position) {
	t := b.pair[side]
	if b.pair[0] == b.pair[1] {
		side = 0
	}
	groups := e.groups(p)
	index := e.index(&groups)
	switch {
	case !t.steps[index] || t.result[index] != 0:
	case b.plies%2 == 0: // a loss for the other side
		b.push(b.plies+1, side, index)
	case t.open[index] != neverLoses:
		t.open[index]--
		if t.open[index] == 0 {
			plies := b.plies + 1
			if int(t.loss[index]) > plies {
				plies = int(t.loss[index])
			}
			b.push(plies, side, index)
		}
	}
}
