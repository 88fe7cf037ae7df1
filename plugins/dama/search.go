//go:build go1.21

package main

import "math/bits"

const (
	maxPly   = 64      // plies of a line, captures included
	maxDepth = 40      // of the iterative deepening
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

	values   []int // of the chips by square, in tenths; nil without chips
	damaLeft int
	average  Points // of the chips' values at the start

	nodes   int
	stopped bool
	lists   [maxPly + 1][]Move
	killers [maxPly + 1]Move
	// line has the positions since the last move that cannot be undone, up to the
	// current one. A repetition is worth as much as a draw.
	line []Position
}

// rootMove is a legal move and its value at the last depth.
type rootMove struct {
	move  Move
	value int
}

// choose returns the best legal move of p, which must have one. seen has the positions
// since the last move that cannot be undone, p last.
func (s *search) choose(p *Position, seen []Position) Move {
	return s.deepen(p, seen, 1)
}

// chooseFor returns the worst move for the side to move, but is otherwise like choose.
func (s *search) chooseFor(p *Position, seen []Position) Move {
	return s.deepen(p, seen, -1)
}

func (s *search) deepen(p *Position, seen []Position, sign int) Move {
	moves := p.Moves(s.rules, nil)
	s.shuffle(moves)
	root := make([]rootMove, len(moves))
	for i := range moves {
		root[i].move = moves[i]
	}
	s.nodes = 0
	s.stopped = false
	for depth := 1; depth <= maxDepth && len(root) > 1 && !s.stopped; depth++ {
		alpha := -2 * winning
		for i := range root {
			s.line = append(s.line[:0], seen...)
			// To find the worst move, every move needs its exact value: search
			// with the full window.
			low, high := -2*winning, -alpha
			if sign < 0 {
				low, high = -2*winning, 2*winning
			}
			value := -sign * s.child(p, &root[i].move, depth-1, 0, low, high, 0)
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
	return root[0].move
}

// child returns the value of the position after a move, for the side then to move.
// lead is how many points the side that makes the move is ahead by captures.
func (s *search) child(p *Position, m *Move, depth, ply, alpha, beta, lead int) int {
	next := *p
	next.Play(m)
	line := s.line
	if m.Taken != 0 || p.Kings>>uint(m.From())&1 == 0 {
		s.line = line[len(line):] // earlier positions cannot occur again
	}
	s.line = append(s.line, next)
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

// negamax returns the value of p for the side to move, within alpha and beta. lead is
// how many points that side is ahead by captures.
func (s *search) negamax(p *Position, depth, ply, alpha, beta, lead int) int {
	s.nodes++
	if s.nodes%askEvery == 0 && !s.thinking() {
		s.stopped = true
	}
	if s.stopped {
		return 0
	}
	if s.values == nil && s.repeats(p) {
		return 0
	}
	if ply >= maxPly {
		return s.evaluate(p, lead)
	}
	moves := p.Captures(s.rules, s.lists[ply][:0])
	due := len(moves) > 0 && s.rules.Due
	best := -2 * winning
	switch {
	case depth <= 0 && len(moves) == 0:
		return s.evaluate(p, lead)
	case depth <= 0 && !due: // captures are optional
		best = s.evaluate(p, lead)
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
	if len(moves) == 1 && due {
		depth++ // a forced move costs no depth
	}
	s.order(moves, ply)
	for i := range moves {
		value := -s.child(p, &moves[i], depth-1, ply, -beta, -alpha, lead)
		if s.stopped {
			return 0
		}
		if value > best {
			best = value
		}
		if value > alpha {
			alpha = value
		}
		if alpha >= beta {
			s.killers[ply] = moves[i]
			break
		}
	}
	return best
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

// order puts first the move that refuted another position at this ply, and then the
// moves that take the most pieces.
func (s *search) order(moves []Move, ply int) {
	first := 0
	for i := range moves {
		if moves[i].Path == s.killers[ply].Path {
			moves[0], moves[i] = moves[i], moves[0]
			first = 1
			break
		}
	}
	for i := first + 1; i < len(moves); i++ {
		for j := i; j > first && rank(&moves[j]) > rank(&moves[j-1]); j-- {
			moves[j], moves[j-1] = moves[j-1], moves[j]
		}
	}
}

func rank(m *Move) int {
	n := 2 * bits.OnesCount64(m.Taken)
	if m.Crowned {
		n++
	}
	return n
}

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
