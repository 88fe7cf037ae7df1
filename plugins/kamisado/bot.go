//go:build go1.21

package main

import (
	"math/bits"

	"colosseum/sdk"
)

// bot follows a match from the lines that its seat receives.
func bot(b *sdk.Bot) error {
	b.Read() // black's name
	b.Read() // white's name
	own := black
	if b.Read() == "1" {
		own = white
	}
	position := newBoard()
	for !position.over() {
		if position.side == own && !position.blocked() {
			next := choose(b, position)
			b.Write(position.line(next))
			position.play(next)
			continue
		}
		next, ok := position.find(b.Read())
		if !ok {
			return nil // RETIRE
		}
		position.play(next)
	}
	return nil
}

// choose returns a move at the level that the match asks for. The moves are
// shuffled, so that the strong bot varies its play where moves seem equal.
func choose(b *sdk.Bot, position *board) move {
	legal := position.legal(nil)
	for i := len(legal) - 1; i > 0; i-- {
		j := b.Rand(i + 1)
		legal[i], legal[j] = legal[j], legal[i]
	}
	if b.Choice("bot") == "random" || len(legal) == 1 {
		return legal[0]
	}
	// A function around the method, because a script has no method values.
	return search(position, legal, maxDepth, func() bool { return b.Thinking() })
}

// maxDepth is how many plies ahead the bot looks when it has the time.
const maxDepth = 30

// victory is the value of a game that is won at once; one that is won in p
// plies is worth p less, which is always more than decided. The value of
// every other position lies between -decided and decided.
const (
	victory = 1000
	decided = victory / 2
)

// search returns the best of the legal moves by alpha-beta, one ply deeper at
// a time until depth, until the game is decided, or until thinking says no.
func search(position *board, legal []move, depth int, thinking func() bool) move {
	s := alphaBeta{thinking: thinking}
	best := legal[0]
	for d := 1; d <= depth; d++ {
		found, value := s.root(position, legal, best, d)
		if s.stopped {
			break
		}
		best = found
		if value > decided || value < -decided {
			break
		}
	}
	return best
}

// alphaBeta is one search. Values are from the view of the side to move.
type alphaBeta struct {
	thinking  func() bool
	positions int
	stopped   bool // out of time: values since then mean nothing
}

// root returns the best move and its value, looking at depth plies; first is
// tried first.
func (s *alphaBeta) root(b *board, legal []move, first move, depth int) (move, int) {
	next := *b
	next.play(first)
	best, alpha := first, -s.value(&next, depth-1, 1, -victory, victory)
	for _, m := range legal {
		if m == first {
			continue
		}
		next = *b
		next.play(m)
		if value := -s.value(&next, depth-1, 1, -victory, -alpha); value > alpha {
			best, alpha = m, value
		}
	}
	return best, alpha
}

// value is the value of a position at a ply below the root, looking at depth
// more plies. It is exact between alpha and beta, else a bound. A forced move
// of distance zero takes no depth.
func (s *alphaBeta) value(b *board, depth, ply, alpha, beta int) int {
	s.positions++
	if s.positions%256 == 0 && !s.stopped {
		s.stopped = !s.thinking()
	}
	if b.reached || s.stopped {
		return ply - victory
	}
	squares := b.reach(b.side, b.tower)
	var next board // inside the loop it would not stay on the stack
	if squares == 0 {
		if b.passed {
			return ply - victory
		}
		next = *b
		next.play(move{uint8(b.tower), b.towers[b.side][b.tower]})
		return -s.value(&next, depth, ply+1, -beta, -alpha)
	}
	if squares&farRow[b.side] != 0 {
		return victory - ply - 1
	}
	if depth <= 0 {
		return evaluate(b)
	}
	for squares != 0 {
		// The farthest squares first: that halves the positions to look at.
		to := bits.TrailingZeros64(squares)
		if b.side == black {
			to = 63 - bits.LeadingZeros64(squares)
		}
		squares &^= bit(to)
		next = *b
		next.play(move{uint8(b.tower), uint8(to)})
		value := -s.value(&next, depth-1, ply+1, -beta, -alpha)
		if value >= beta {
			return value
		}
		if value > alpha {
			alpha = value
		}
	}
	return alpha
}

// evaluate is how many more towers of the side to move see the far row than
// of the other side: squares of their colours are closed to the opponent.
func evaluate(b *board) int {
	lead := 0
	for tower := 0; tower < 8; tower++ {
		if b.sees(b.side, tower) {
			lead++
		}
		if b.sees(1-b.side, tower) {
			lead--
		}
	}
	return lead
}
