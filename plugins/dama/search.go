//go:build go1.21

package main

import (
	"math"
	"math/bits"
)

const (
	maxPly   = 64      // plies of a line, captures included
	maxDepth = 40      // of the iterative deepening; search.depth can be less
	winning  = 1 << 40 // more than any sum of pieces or points

	// askEvery is how many positions are searched between two calls of thinking:
	// hundredths of a second for an interpreted bot.
	askEvery = 64
)

// search is an alpha-beta search with iterative deepening. Values are from the view
// of the side to move: points in damath, and otherwise 100 for a man. A bot uses the
// same search for all its moves, to reuse its memory.
type search struct {
	rules    *Rules
	thinking func() bool
	rand     func(n int) int
	depth    int // plies to look ahead at most

	values   []int // of the chips by square, in tenths; nil without chips
	damaLeft int
	average  Points // of the chips' values at the start

	// past has the limits that make the match a draw, and their counts; nil: there are none.
	past *history

	judging bool // the value counts, too, even of the only move
	lead    int  // points by captures of the side to move, when judging

	nodes   int
	stopped bool
	most    int // nodes after which it stops
	value   int // of the last position, for the side to move
	full    int // the most nodes of a move so far
	lists   [maxPly + 1][]Move
	ranks   [maxPly + 1][]int
	killers [maxPly + 1]Move
	good    []int // by cut: how much a step has refuted
	seen    transpositions
	endings *endings // nil: none
	// line has the positions since the last move that cannot be undone, up to the
	// current one. A repetition is worth as much as a draw.
	line []Position
	// lasting has, by ply, the counts of the endings of past.
	lasting [maxPly + 1][]int
}

// rootMove is a legal move and its value at the last depth.
type rootMove struct {
	move  Move
	value int
}

// choose returns the best legal move of p, which must have one. seen has the positions
// since the last move that cannot be undone, p last.
func (s *search) choose(p *Position, seen []Position) Move {
	best := s.deepen(p, seen, 1)
	return best.move
}

// chooseFor returns the worst move for the side to move, but is otherwise like choose.
func (s *search) chooseFor(p *Position, seen []Position) Move {
	worst := s.deepen(p, seen, -1)
	return worst.move
}

// deepen returns the best move with sign 1, or the worst with -1, and its value times sign
// at the last depth at which the move was searched.
func (s *search) deepen(p *Position, seen []Position, sign int) rootMove {
	moves := p.Moves(s.rules, nil)
	s.shuffle(moves)
	root := make([]rootMove, len(moves))
	for i := range moves {
		root[i].move, root[i].value = moves[i], sign*s.evaluate(p, s.lead)
	}
	if s.seen == nil {
		s.seen = make(transpositions, 1<<transpositionBits)
		s.good = make([]int, 1<<12)
	}
	for i := range s.good {
		s.good[i] /= 8
	}
	s.prepare(p)
	if s.past != nil {
		s.lasting[0] = append(s.lasting[0][:0], s.past.lasting...)
	}
	s.nodes = 0
	s.stopped = false
	for depth := 1; depth <= s.depth && (len(root) > 1 || s.judging) && !s.stopped; depth++ {
		alpha := -2 * winning
		for i := range root {
			s.line = append(s.line[:0], seen...)
			// To find the worst move, every move needs its exact value: search
			// with the full window.
			low, high := -2*winning, -alpha
			if sign < 0 {
				low, high = -2*winning, 2*winning
			}
			value := -sign * s.child(p, &root[i].move, depth-1, 0, low, high, s.lead)
			if s.stopped {
				break // the moves so far are in order: the best comes first
			}
			root[i].value = value
			if value > alpha {
				alpha = value
				best := root[i]
				copy(root[1:i+1], root[:i])
				root[0] = best
			}
		}
		if alpha > winning/2 || alpha < -winning/2 {
			break // won or lost with certainty
		}
	}
	if s.endings != nil && len(s.endings.todo) > 0 && s.thinking() {
		s.endings.work(s.thinking)
	}
	s.value = sign * root[0].value
	return root[0]
}

// Tables of endings are built in matches with at most endingPieces pieces, by bots that
// search to any depth, at least endingNodes positions for a move: the interpreter would need
// minutes, and a lower level would depend on the time.
const (
	endingPieces = 7
	endingNodes  = 20000
)

// prepare sets the limit of the search's nodes. Half of the time or more is for the tables
// of endings, until they are complete.
func (s *search) prepare(p *Position) {
	if s.nodes > s.full {
		s.full = s.nodes
	}
	pieces := bits.OnesCount64(p.Pieces[White] | p.Pieces[Black])
	if s.values == nil && s.endings == nil && s.depth == maxDepth && s.full >= endingNodes && pieces <= endingPieces {
		s.endings = newEndings(s.rules)
	}
	s.most = math.MaxInt32
	if s.endings != nil && len(s.endings.todo) > 0 {
		s.most = s.full / 2
		if pieces <= 4 {
			s.most = s.full / 8 // they are needed now
		}
	}
}

// child returns the value of the position after a move, for the side then to move.
// lead is how many points the side that makes the move is ahead by captures.
func (s *search) child(p *Position, m *Move, depth, ply, alpha, beta, lead int) int {
	line := s.line
	next := s.step(p, m, ply)
	var value int
	if s.values == nil {
		value = s.negamax(&next, depth, ply+1, alpha, beta, 0)
	} else {
		lead += int(worth(p, s.values, m))
		from, to := m.From(), m.To()
		kept := s.values[to]
		s.values[to] = s.values[from]
		value = s.negamax(&next, depth, ply+1, alpha, beta, -lead)
		s.values[from] = s.values[to]
		s.values[to] = kept
	}
	s.line = line
	return value
}

// step returns the position after a move, and adds it to the line and the counts.
func (s *search) step(p *Position, m *Move, ply int) Position {
	next := *p
	next.Play(m)
	if m.Taken != 0 || p.Kings>>uint(m.From())&1 == 0 {
		s.line = s.line[len(s.line):] // earlier positions cannot occur again
	}
	s.line = append(s.line, next)
	if s.past != nil {
		s.lasting[ply+1] = append(s.lasting[ply+1][:0], s.lasting[ply]...)
		s.past.lastOf(s.lasting[ply+1], &next, m.Taken != 0 || m.Crowned)
	}
	return next
}

// negamax returns the value of p for the side to move, within alpha and beta. lead is
// how many points that side is ahead by captures.
func (s *search) negamax(p *Position, depth, ply, alpha, beta, lead int) int {
	s.nodes++
	if s.nodes%askEvery == 0 && (s.nodes >= s.most || !s.thinking()) {
		s.stopped = true
	}
	if s.stopped {
		return 0
	}
	left := s.left(ply)
	if s.values == nil {
		if s.repeats(p) || left <= 0 && len(p.Moves(s.rules, s.lists[ply][:0])) > 0 {
			return 0
		}
		if s.endings != nil {
			if result, ok := s.endings.probe(p); ok && int(result)-1 <= left {
				return resultValue(result, ply)
			}
		}
	}
	if ply >= maxPly {
		return s.estimate(p, lead, left)
	}
	best, low := -2*winning, alpha
	from, to := uint8(0), uint8(0) // of the move to try first
	key := uint64(0)
	if depth > 0 {
		key = keyOf(p)
		if left < nearDraw {
			key ^= uint64(1+left) * 0xff51afd7ed558ccd
		}
		if t := s.seen.place(key); t.key == key {
			from = t.from
			to = t.to
			// In damath the value depends on the chips and on the points scored before.
			if value := fromTable(t.value, ply); s.values == nil && int(t.depth) >= depth &&
				(t.bound == exactly || t.bound == atLeast && value >= beta || t.bound == atMost && value <= alpha) {
				return value
			}
		}
	}
	moves := p.Captures(s.rules, s.lists[ply][:0])
	due := len(moves) > 0 && s.rules.Due
	switch {
	case depth <= 0 && len(moves) == 0:
		return s.estimate(p, lead, left)
	case depth <= 0 && !due: // captures are optional
		best = s.estimate(p, lead, left)
		if best >= beta {
			return best
		}
		if best > alpha {
			alpha = best
		}
	case depth > 0 && !due:
		moves = p.Steps(s.rules, moves)
	}
	s.lists[ply] = moves // reuse the memory
	if len(moves) == 0 {
		return s.lost(p, ply, lead)
	}
	next := depth - 1
	if len(moves) == 1 && due {
		next++ // a forced move costs no depth
	}
	s.order(moves, ply, from, to)
	first := 0 // index of the best move
	for i := range moves {
		m := &moves[i]
		// Only the first move is expected to be good: prove that the others are not
		// better, and late ones at a lower depth. Otherwise search them again.
		value, late := 0, 0
		if i >= 3 && depth >= 3 && !due && m.Taken == 0 && !m.Crowned {
			late = 1
			if i >= 7 && depth >= 6 {
				late = 2
			}
		}
		again := i == 0 || alpha >= beta-1 && late == 0
		if !again {
			value = -s.child(p, m, next-late, ply, -alpha-1, -alpha, lead)
			again = value > alpha && !s.stopped && (value < beta || late > 0)
		}
		if again {
			value = -s.child(p, m, next, ply, -beta, -alpha, lead)
		}
		if s.stopped {
			return 0
		}
		if value > best {
			best = value
			first = i
		}
		if value > alpha {
			alpha = value
		}
		if alpha >= beta {
			s.killers[ply] = moves[i]
			if m.Taken == 0 {
				s.good[s.cut(m)] += depth * depth
			}
			break
		}
	}
	if depth > 0 {
		bound := uint8(exactly)
		if best <= low {
			bound = atMost
		} else if best >= beta {
			bound = atLeast
		}
		t := s.seen.place(key)
		t.key = key
		t.depth = int8(depth)
		t.bound = bound
		t.from = moves[first].Path[0]
		t.to = uint8(moves[first].To())
		if s.values == nil {
			t.value = toTable(best, ply)
		}
	}
	return best
}

// nearDraw is how many plies before a draw by a limit the values of positions begin to
// shrink, so that the side that is ahead takes or moves a man in time.
const nearDraw = 20

// left returns the number of plies before a limit makes the match a draw, at the current
// position of the search.
func (s *search) left(ply int) int {
	if s.past == nil {
		return manyPlies
	}
	return s.past.left(len(s.line)-1, s.lasting[ply])
}

// estimate returns the estimated value of p for the side to move, that many plies before
// a draw by a limit.
func (s *search) estimate(p *Position, lead, left int) int {
	value := s.evaluate(p, lead)
	if left < nearDraw {
		value = value * left / nearDraw
	}
	return value
}

// resultValue returns the value of a result of endings.
func resultValue(result uint8, ply int) int {
	plies := int(result) - 1
	switch {
	case result == 0:
		return 0
	case plies%2 == 1:
		return winning - ply - plies
	default:
		return ply + plies - winning
	}
}

// repeats reports whether p, the last of s.line, occurs there before.
func (s *search) repeats(p *Position) bool {
	for i := 0; i < len(s.line)-1; i++ {
		if s.line[i] == *p {
			return true
		}
	}
	return false
}

// order puts first the move between two squares that was best before, then the one that
// refuted another position at this ply, then the moves that take the most pieces, and then
// the steps that have refuted the most.
func (s *search) order(moves []Move, ply int, from, to uint8) {
	ranks := s.ranks[ply][:0]
	for i := range moves {
		m := &moves[i]
		rank := 0
		switch {
		case to != 0 && m.Path[0] == from && m.To() == int(to):
			rank = 1 << 50
		case m.Path == s.killers[ply].Path:
			rank = 1 << 49
		case m.Taken != 0 || m.Crowned:
			rank = 1 << 40 * (1 + bits.OnesCount64(m.Taken))
		default:
			rank = s.good[s.cut(m)]
		}
		j := i
		for ; j > 0 && ranks[j-1] < rank; j-- {
		}
		ranks = append(ranks, 0)
		copy(ranks[j+1:], ranks[j:])
		ranks[j] = rank
		if j < i {
			moved := *m
			copy(moves[j+1:i+1], moves[j:i])
			moves[j] = moved
		}
	}
	s.ranks[ply] = ranks
}

// cut returns the place of a step in good.
func (s *search) cut(m *Move) int { return int(m.Path[0])<<6 | int(m.Path[1]) }

// lost returns the value of a position in which the side to move has no move. In
// damath the points decide; by the other rules that side has lost.
func (s *search) lost(p *Position, ply, lead int) int {
	if s.values == nil {
		return ply - winning
	}
	final := lead + s.chipsLeft(p)
	switch {
	case final > 0:
		return final + winning - ply
	case final < 0:
		return final - winning + ply
	default:
		return 0
	}
}

func (s *search) shuffle(moves []Move) {
	for i := len(moves) - 1; i > 0; i-- {
		j := s.rand(i + 1)
		moves[i], moves[j] = moves[j], moves[i]
	}
}
