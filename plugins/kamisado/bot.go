//go:build go1.21

package main

import (
	"fmt"
	"math/bits"

	"colosseum/sdk"
)

// bot keeps the board from the lines that its seat receives.
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
			level := b.Choice("bot")
			thinking := func() bool { return b.Searching() }
			if level == "strong" {
				thinking = func() bool { return b.Thinking() } // a script has no method values
			}
			next, note := choose(level, position, func(n int) int { return b.Rand(n) }, thinking)
			b.Note(note)
			next, _ = position.find(b.Write(position.line(next)))
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

// choose returns a move at a level, and a note about its search. The moves are shuffled
// so that the bot does not always choose the same one of equal moves. The bots below
// strong look ahead only some plies, and draw some of their moves by lot, but except the
// newcomer never overlook a win.
func choose(level string, position *board, rand func(n int) int, thinking func() bool) (next move, note string) {
	legal := position.legal(nil)
	for i := len(legal) - 1; i > 0; i-- {
		j := rand(i + 1)
		legal[i], legal[j] = legal[j], legal[i]
	}
	switch {
	case level == "random":
		return legal[0], ""
	case len(legal) == 1:
		return legal[0], "the only move"
	}
	depth, most, careless := maxDepth, 0, 0 // careless is how many of 100 moves are drawn by lot
	switch level {
	case "medium":
		depth, most, careless = 9, mediumPositions, 5
	case "easy":
		depth, careless = 6, 14
	case "beginner":
		depth, careless = 1, 35
	case "newcomer":
		depth, careless = 1, 75
	}
	if careless > 0 && rand(100) < careless {
		if level == "newcomer" {
			return legal[0], "drawn by lot"
		}
		for _, m := range legal {
			if farRow[position.side]&bit(int(m.to)) != 0 {
				return m, "drawn by lot, but a win"
			}
		}
		return legal[0], "drawn by lot"
	}
	best, value, reached := search(position, legal, depth, most, thinking)
	switch {
	case value > decided:
		note = fmt.Sprintf("depth %d, win at ply %d", reached, victory-value)
	case value < -decided:
		note = fmt.Sprintf("depth %d, loss at ply %d", reached, victory+value)
	default:
		note = fmt.Sprintf("depth %d, value %+d", reached, value)
	}
	return best, note
}

// mediumPositions is how many positions the medium bot searches at most: enough for its nine
// plies in nine of ten positions, and as a script eight seconds, on a machine that is idle.
const mediumPositions = 100_000

// maxDepth is how many plies the bot looks ahead at most.
const maxDepth = 30

// A game won in p plies has the value victory - p, which is more than decided. The
// value of a game that is not decided is between -decided and decided.
const (
	victory = 1000
	decided = victory / 2
)

// search returns the best of the legal moves, its value for the side to move, and the
// depth that was reached, by alpha-beta search with iterative deepening, until depth is
// reached, the game is decided, most positions are searched (0: any number), or thinking
// returns false.
func search(position *board, legal []move, depth, most int, thinking func() bool) (best move, value, reached int) {
	s := alphaBeta{thinking: thinking, most: most}
	best = legal[0]
	value = evaluate(position)
	for d := 1; d <= depth; d++ {
		found, v := s.root(position, legal, best, d)
		if s.stopped {
			break
		}
		best, value, reached = found, v, d
		if value > decided || value < -decided {
			break
		}
	}
	return best, value, reached
}

// alphaBeta is one search. Values are from the view of the side to move.
type alphaBeta struct {
	thinking  func() bool
	positions int
	most      int  // positions after which it stops; 0: any number
	stopped   bool // out of time or positions: values are no longer valid
}

// root returns the best move and its value at a depth in plies. It searches first
// before the other moves.
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

// value returns the value of a position that is ply plies below the root, at a depth
// in further plies. It is exact between alpha and beta, otherwise a bound. A forced
// move of distance zero costs no depth.
func (s *alphaBeta) value(b *board, depth, ply, alpha, beta int) int {
	s.positions++
	if s.positions%256 == 0 && !s.stopped {
		s.stopped = s.most > 0 && s.positions >= s.most || !s.thinking()
	}
	if b.reached || s.stopped {
		return ply - victory
	}
	squares := b.reach(b.side, b.tower)
	var next board // declared inside the loop, it would escape to the heap
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
		// The farthest squares first: that halves the number of positions.
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

// evaluate returns how many more towers of the side to move than of the other side see
// the far row. The opponent must not stop on squares of their colours.
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
