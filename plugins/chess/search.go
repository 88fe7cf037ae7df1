//go:build go1.21

package main

import "math"

const (
	maxPly   = 100
	maxDepth = 64
	infinite = 32000
	mate     = 31000           // minus the plies to it
	certain  = mate - 2*maxPly // values above are mates

	// askEvery is how many positions are searched between two calls of thinking.
	askEvery = 256

	// tableSize is the number of entries of a search's memory, 8 MiB.
	tableSize = 1 << 19
)

// entry is what the search remembers of a position. The value has the plies to a mate
// counted from the position.
type entry struct {
	check uint32 // upper half of the key
	value int16
	best  move
	depth int8
	bound uint8
}

// The bounds of a value in the memory.
const (
	unknown = iota
	exact
	atLeast
	atMost
)

// search finds moves. A bot uses the same search for all its moves, to reuse its memory.
type search struct {
	thinking func() bool
	table    []entry
	nodes    int
	most     int // nodes of one move at most; 0: no limit
	stopped  bool
	past     []uint64 // keys of the positions since the last move that cannot be undone, without the current one
	killers  [maxPly + 2][2]move
	history  [2][64][64]int32
	lists    [maxPly + 2][256]move
	orders   [maxPly + 2][256]int32
}

// reductions has by how many plies a late move is searched less, by depth and number.
var reductions = func() (table [maxDepth + 1][64]int8) {
	for depth := 1; depth <= maxDepth; depth++ {
		for number := 1; number < 64; number++ {
			table[depth][number] = int8(0.7 + math.Log(float64(depth))*math.Log(float64(number))/2.3)
		}
	}
	return table
}()

// found is a move and its value for the side to move.
type found struct {
	move  move
	value int
}

// best returns the best of the legal moves, until depth is reached, thinking returns false,
// or the mate that it has found cannot be a shorter one. seen has the keys of the positions
// since the last move that cannot be undone, without b.
func (s *search) best(b *board, seen []uint64, legal []move, depth int) found {
	if s.table == nil {
		s.table = make([]entry, tableSize)
	}
	s.nodes, s.stopped = 0, false
	s.past = append(s.past[:0], seen...)
	s.killers = [maxPly + 2][2]move{}
	for side := range s.history {
		for from := range s.history[side] {
			for to := range s.history[side][from] {
				s.history[side][from][to] /= 8
			}
		}
	}
	result := found{legal[0], 0}
	for d := 1; d <= depth; d++ {
		low, high := -infinite, infinite
		for window := 25; ; window *= 4 {
			if d > 4 && window < 1000 {
				low = max(-infinite, result.value-window)
				high = min(infinite, result.value+window)
			}
			at := s.root(b, legal, d, low, high, result.move)
			if s.stopped {
				if at.move != (move{}) {
					result = at
				}
				return result
			}
			if at.value > low {
				result = at
			}
			if low == -infinite && high == infinite || at.value > low && at.value < high {
				result = at
				break
			}
			if window >= 1000 {
				low, high = -infinite, infinite
			}
		}
		if abs(result.value) > certain && mate-abs(result.value) <= d {
			break
		}
	}
	return result
}

// root searches all legal moves, the one that was best before first. If it is stopped, the
// result is the best of the moves that are already searched, or has no move if there is
// none.
func (s *search) root(b *board, legal []move, depth, alpha, beta int, first move) found {
	at := found{value: -infinite}
	s.nodes++
	list := append(make([]move, 0, len(legal)), first)
	for _, m := range legal {
		if m != first {
			list = append(list, m)
		}
	}
	s.past = append(s.past, b.key)
	var next board
	for i, m := range list {
		next = *b
		next.play(m)
		value := 0
		if i > 0 {
			value = -s.value(&next, depth-1, 1, -alpha-1, -alpha, true)
		}
		if i == 0 || value > alpha && !s.stopped {
			value = -s.value(&next, depth-1, 1, -beta, -alpha, true)
		}
		if s.stopped {
			break
		}
		if value > at.value {
			at = found{m, value}
		}
		alpha = max(alpha, value)
		if alpha >= beta {
			break
		}
	}
	s.past = s.past[:len(s.past)-1]
	return at
}

// repeats reports whether b occurred before.
func (s *search) repeats(b *board) bool {
	for i := len(s.past) - 2; i >= 0 && len(s.past)-i <= int(b.quiet); i -= 2 {
		if s.past[i] == b.key {
			return true
		}
	}
	return false
}

// value returns the value of b, ply plies below the root. It is exact between alpha and
// beta, otherwise a bound. skip allows the null move.
func (s *search) value(b *board, depth, ply, alpha, beta int, skip bool) int {
	if s.nodes++; s.nodes%askEvery == 0 && !s.stopped {
		s.stopped = !s.thinking()
	}
	if s.most > 0 && s.nodes > s.most {
		s.stopped = true
	}
	if s.stopped {
		return 0
	}
	if s.repeats(b) || b.bare() || b.quiet >= 100 && !b.mated() {
		return 0
	}
	alpha = max(alpha, ply-mate)
	beta = min(beta, mate-ply-1)
	if alpha >= beta {
		return alpha
	}
	inCheck := b.check()
	if inCheck {
		depth++
	}
	if depth <= 0 || ply >= maxPly {
		return s.quiesce(b, ply, alpha, beta)
	}
	wide := beta-alpha > 1

	e := &s.table[b.key%tableSize]
	first := move{}
	if e.bound != unknown && e.check == uint32(b.key>>32) {
		first = e.best
		value := int(e.value)
		if value > certain {
			value -= ply
		} else if value < -certain {
			value += ply
		}
		if !wide && int(e.depth) >= depth && (e.bound == exact || e.bound == atLeast && value >= beta || e.bound == atMost && value <= alpha) {
			return value
		}
	}

	static := 0
	if !inCheck {
		static = b.evaluate()
	}
	if !wide && !inCheck && abs(beta) < certain {
		if depth <= 6 && static-80*depth >= beta {
			return static
		}
		pieces := b.sides[b.side] &^ b.kinds[pawn] &^ b.kinds[king]
		if skip && depth >= 3 && static >= beta && pieces != 0 {
			next := *b
			next.skip()
			s.past = append(s.past, b.key)
			value := -s.value(&next, depth-3-depth/5, ply+1, -beta, -beta+1, false)
			s.past = s.past[:len(s.past)-1]
			if s.stopped {
				return 0
			}
			if value >= beta {
				return min(value, certain)
			}
		}
	}
	if first == (move{}) && depth >= 5 {
		depth-- // without a move to try first, deeper searches are slow
	}

	list := b.captures(s.lists[ply][:0])
	loud := len(list)
	list = b.moves(list)
	s.order(b, list, loud, ply, first)
	s.past = append(s.past, b.key)
	start, best, searched := alpha, -infinite, 0
	var choice move
	var next board // declared inside the loop, it would escape to the heap
	for i := range list {
		s.pick(ply, list, i)
		m := list[i]
		quiet := b.on[m.to] == none && m.into == none
		futile := quiet && searched > 0 && !inCheck && best > -certain && !wide &&
			(depth <= 3 && searched > 4+3*depth*depth || depth <= 5 && static+90+90*depth <= alpha)
		next = *b
		if next.play(m); next.exposed() || futile && !next.check() {
			continue
		}
		searched++
		value := 0
		if searched > 1 {
			less := 0
			if depth >= 3 && searched > 3 && quiet && !inCheck {
				less = int(reductions[min(depth, maxDepth)][min(searched, 63)])
				if wide {
					less--
				}
				less -= int(s.history[b.side][m.from][m.to]) / 6000
				less = max(0, min(less, depth-2))
			}
			value = -s.value(&next, depth-1-less, ply+1, -alpha-1, -alpha, true)
			if value > alpha && less > 0 {
				value = -s.value(&next, depth-1, ply+1, -alpha-1, -alpha, true)
			}
		}
		if searched == 1 || value > alpha && wide {
			value = -s.value(&next, depth-1, ply+1, -beta, -alpha, true)
		}
		if s.stopped {
			s.past = s.past[:len(s.past)-1]
			return 0
		}
		if value > best {
			best = value
			if value > alpha {
				alpha, choice = value, m
			}
		}
		if alpha >= beta {
			if quiet {
				s.praise(b, m, list[:i], depth, ply)
			}
			break
		}
	}
	s.past = s.past[:len(s.past)-1]
	if searched == 0 {
		if inCheck {
			return ply - mate
		}
		return 0
	}
	s.remember(e, b, choice, best, depth, ply, start, beta)
	return best
}

func (s *search) remember(e *entry, b *board, choice move, value, depth, ply, start, beta int) {
	if choice == (move{}) && e.check == uint32(b.key>>32) {
		choice = e.best
	}
	bound := uint8(exact)
	if value >= beta {
		bound = atLeast
	} else if value <= start {
		bound = atMost
	}
	if value > certain {
		value += ply
	} else if value < -certain {
		value -= ply
	}
	*e = entry{uint32(b.key >> 32), int16(value), choice, int8(min(depth, 127)), bound}
}

// praise notes a quiet move that refuted a position, and that the ones before did not.
func (s *search) praise(b *board, m move, before []move, depth, ply int) {
	if s.killers[ply][0] != m {
		s.killers[ply][1], s.killers[ply][0] = s.killers[ply][0], m
	}
	bonus := min(depth*depth, 400)
	note := func(m move, bonus int) {
		h := &s.history[b.side][m.from][m.to]
		*h += int32(32*bonus) - *h*int32(abs(bonus))/512
	}
	note(m, bonus)
	for _, worse := range before {
		if b.on[worse.to] == none && worse.into == none {
			note(worse, -bonus)
		}
	}
}

// order rates the moves of a list, of which the first loud are captures and promotions.
func (s *search) order(b *board, list []move, loud, ply int, first move) {
	for i, m := range list {
		rating := int32(0)
		switch {
		case m == first:
			rating = 1 << 30
		case i < loud:
			rating = 1<<20 + int32(16*worth[b.on[m.to]]-int(b.on[m.from]))
			if m.into != none {
				rating += int32(16 * worth[m.into])
			}
			if int(b.on[m.from]) != pawn && worth[b.on[m.to]] < worth[b.on[m.from]] && b.exchange(m) < 0 {
				rating -= 1 << 21
			}
		case m == s.killers[ply][0]:
			rating = 1<<19 + 1
		case m == s.killers[ply][1]:
			rating = 1 << 19
		default:
			rating = s.history[b.side][m.from][m.to]
		}
		s.orders[ply][i] = rating
	}
}

// pick moves the best rated of the moves from number i on to i.
func (s *search) pick(ply int, list []move, i int) {
	ratings := &s.orders[ply]
	best := i
	for j := i + 1; j < len(list); j++ {
		if ratings[j] > ratings[best] {
			best = j
		}
	}
	list[i], list[best] = list[best], list[i]
	ratings[i], ratings[best] = ratings[best], ratings[i]
}

// quiesce is value at depth 0: it searches captures alone, or all moves in check.
func (s *search) quiesce(b *board, ply, alpha, beta int) int {
	if s.nodes++; s.nodes%askEvery == 0 && !s.stopped {
		s.stopped = !s.thinking()
	}
	if s.stopped {
		return 0
	}
	if ply >= maxPly {
		return b.evaluate()
	}
	inCheck := b.check()
	best := ply - mate
	if !inCheck {
		best = b.evaluate()
		if best >= beta {
			return best
		}
		alpha = max(alpha, best)
	}
	static := best
	list := b.captures(s.lists[ply][:0])
	loud := len(list)
	if inCheck {
		list = b.moves(list)
	}
	s.order(b, list, loud, ply, move{})
	var next board // declared inside the loop, it would escape to the heap
	for i := range list {
		s.pick(ply, list, i)
		m := list[i]
		if !inCheck && (s.orders[ply][i] < 0 || m.into == none && static+worth[b.on[m.to]]+200 <= alpha) {
			continue
		}
		next = *b
		if next.play(m); next.exposed() {
			continue
		}
		value := -s.quiesce(&next, ply+1, -beta, -alpha)
		if s.stopped {
			return 0
		}
		if value > best {
			best = value
			alpha = max(alpha, value)
			if alpha >= beta {
				break
			}
		}
	}
	return best
}

// exchange returns what a capture gains when both sides then take on its square with their
// least pieces, as long as it pays.
func (b *board) exchange(m move) int {
	var gain [32]int
	gain[0] = worth[b.on[m.to]]
	occupied := (b.sides[0] | b.sides[1]) &^ (uint64(1) << m.from)
	standing := worth[b.on[m.from]]
	side := 1 - b.side
	n := 0
	for {
		attackers := b.attackers(m.to, occupied) & occupied
		ours := attackers & b.sides[side]
		if ours == 0 {
			break
		}
		kind := pawn
		for b.kinds[kind]&ours == 0 {
			kind++
		}
		if kind == king && attackers&b.sides[1-side] != 0 {
			break
		}
		n++
		gain[n] = standing - gain[n-1]
		if max(-gain[n-1], gain[n]) < 0 || n == 31 {
			break
		}
		standing = worth[kind]
		set := b.kinds[kind] & ours
		occupied &^= set & -set
		side = 1 - side
	}
	for ; n > 0; n-- {
		gain[n-1] = -max(-gain[n-1], gain[n])
	}
	return gain[0]
}

// mated reports whether the side to move is checkmated.
func (b *board) mated() bool { return b.check() && len(b.legal(nil)) == 0 }

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
