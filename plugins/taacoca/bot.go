//go:build go1.21

package main

import "colosseum/sdk"

// bot keeps the board from the lines that it reads and its own moves.
func bot(b *sdk.Bot) error {
	b.Read() // White's name
	b.Read() // Black's name
	side := White
	if b.Read() == "1" {
		side = Black
	}
	// A script has no method values, so the methods need functions around them.
	thinker := search{thinking: func() bool { return b.Thinking() }}
	if b.Choice("bot") != "strong" {
		thinker.thinking = func() bool { return b.Searching() }
	}
	rand := func(n int) int { return b.Rand(n) }
	p := start
	for lost(p) == "" {
		var move Move
		if p.Side != side {
			legal := false
			if move, legal = p.Parse(b.Read()); !legal {
				return nil // RETIRE
			}
		} else {
			move = thinker.choose(b.Choice("bot"), p, rand)
			move, _ = p.Parse(b.Write(p.Line(move)))
		}
		p = p.After(move)
	}
	return nil
}

// How many of 100 moves the weaker bots draw by lot.
const (
	mediumLots   = 4
	easyLots     = 10
	beginnerLots = 40
	newcomerLots = 80
)

// choose returns a move at a level, for a side that has one. The medium bot looks ahead
// two plies and those below it a single ply. They draw some of their moves by lot, but except
// the newcomer never overlook that they can reach the goal.
func (s *search) choose(level string, p Position, rand func(n int) int) Move {
	depth, lots := deepest-1, 0
	switch level {
	case "medium":
		depth, lots = 2, mediumLots
	case "easy":
		depth, lots = 1, easyLots
	case "beginner":
		depth, lots = 1, beginnerLots
	case "newcomer":
		depth, lots = 1, newcomerLots
	case "random":
		lots = 100
	}
	if lots == 100 || lots > 0 && (level == "newcomer" || !p.canWin()) && rand(100) < lots {
		moves := p.Moves(nil)
		return moves[rand(len(moves))]
	}
	best, _ := s.best(p, depth)
	return best
}
