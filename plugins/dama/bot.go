//go:build go1.21

package main

import (
	"strings"

	"colosseum/sdk"
)

func bot(b *sdk.Bot) error {
	r := rulesNamed(b.Choice("rules"))
	s := &search{
		rules:    r,
		thinking: func() bool { return b.Thinking() },
		rand:     func(n int) int { return b.Rand(n) },
	}
	if b.Choice("bot") != "strong" {
		s.thinking = func() bool { return b.Searching() }
	}
	if r == &damath {
		return damathBot(b, s)
	}
	return classicBot(b, s)
}

// pick returns a move at a level: a good one for the side to move, or a bad one. The
// bots below strong look ahead only some plies and draw some of their moves by
// lot, but never overlook that they can win by the next move.
func (s *search) pick(level string, p *Position, past *history, good bool) Move {
	moves := p.Moves(s.rules, nil)
	careless := 0 // how many of 100 moves are drawn by lot
	s.depth = maxDepth
	if s.values == nil { // in damath the points decide
		s.past = past
	}
	switch level {
	case "random":
		return moves[s.rand(len(moves))]
	case "medium":
		s.depth = 6
		careless = 2
	case "easy":
		s.depth = 4
		careless = 12
	case "beginner":
		s.depth = 2
		careless = 30
	case "newcomer":
		s.depth = 1
		careless = 70
	}
	switch {
	case careless > 0 && !s.canWin(p, moves) && s.rand(100) < careless:
		return moves[s.rand(len(moves))]
	case good:
		return s.choose(p, past.seen)
	default:
		return s.chooseFor(p, past.seen)
	}
}

// canWin reports whether one of the moves leaves the other side without a move. In
// damath that is no win.
func (s *search) canWin(p *Position, moves []Move) bool {
	for i := range moves {
		next := *p
		next.Play(&moves[i])
		if s.values == nil && len(next.Moves(s.rules, nil)) == 0 {
			return true
		}
	}
	return false
}

// classicBot plays by the Italian protocol. It reads every board.
func classicBot(b *sdk.Bot, s *search) error {
	own, offered := White, false
	board := s.rules.Board
	// If several openings can be drawn, the first board shows where the match begins.
	o := drawOpening(s.rules, b.Settings, func(n int) int { return 0 })
	p := o.start
	past := newHistory(s.rules, b.Int("draw_after"), &p)
	for {
		line := b.Read()
		switch {
		case line == boardHeader(board):
			p = follow(p, readBoard(b, board), past)
		case line == "Sei i Neri":
			own = Black
		case line == offerLine:
			offered = true
		case strings.HasPrefix(line, "Es > "):
			p.Turn = own // a match can begin with Black
			past.seen[len(past.seen)-1] = p
			s.value = 0
			move := s.pick(b.Choice("bot"), &p, past, true)
			if offered && s.agrees(&p) {
				b.Write(drawWord)
			} else {
				b.Write(pathText(&move, &board.names, " "))
			}
			offered = false
		}
	}
}

// agrees reports whether a bot accepts a draw after its search of p: it expects to lose at
// least half a man, or knows that it cannot win.
func (s *search) agrees(p *Position) bool {
	if s.endings != nil {
		if result, ok := s.endings.probe(p); ok {
			return result == 0 || result%2 == 1
		}
	}
	return s.value <= -manValue/2
}

// follow finds the move that leads from p to the drawn position, adds it to the
// history, and returns the new position. The turn of drawn is ignored, and that of p
// can be wrong at the start. Without such a move, as for the first board of a match,
// the history starts at drawn.
func follow(p, drawn Position, past *history) Position {
	for turns := 0; turns < 2; turns++ {
		moves := p.Moves(past.rules, nil)
		for i := range moves {
			next := p
			next.Play(&moves[i])
			if next.Pieces == drawn.Pieces && next.Kings == drawn.Kings {
				past.note(&next, &moves[i])
				return next
			}
		}
		p.Turn = 1 - p.Turn
	}
	drawn.Turn = p.Turn
	past.begin(&drawn)
	return drawn
}

// readBoard reads the rows of a board and the line below them.
func readBoard(b *sdk.Bot, board *Board) Position {
	var p Position
	for row := board.size - 1; row >= 0; row-- {
		line := b.Read() // 1 [ ][n][ ][n]...
		first := strings.IndexByte(line, '[') + 1
		for col := 0; col < board.size; col++ {
			square, ok := board.squareAt(row, col)
			if !ok || len(line) <= first+3*col {
				continue
			}
			if piece := strings.IndexByte(pieceLetters, line[first+3*col]); piece > 0 {
				p.Pieces[(piece-1)/2] |= bit(square)
				p.Kings |= uint64((piece-1)%2) << uint(square)
			}
		}
	}
	b.Read() // the columns again
	return p
}

// damathBot plays damath. It reads the moves and keeps the board itself.
func damathBot(b *sdk.Bot, s *search) error {
	b.Read() // the first player's name
	b.Read() // the second's
	own, lateOwn, lateOther := White, "LATE 0", "LATE 1"
	if b.Read() == "1" {
		own, lateOwn, lateOther = Black, lateOther, lateOwn
	}
	board := newChipBoard(b.Read(), damath.Board.start)
	past := newHistory(&damath, 0, &board.pos)
	s.values = board.values // one field per statement: the interpreter loses some of several
	s.damaLeft = b.Int("dama_left")
	s.average = board.average()
	sent := ""    // the move that the bot has sent and that has not been played
	late := false // the opponent moves for the bot
	for {
		// Without a legal move the match is over: END is the next line.
		if board.pos.Turn == own && sent == "" && !late && len(board.pos.Moves(&damath, nil)) > 0 {
			move := s.pick(b.Choice("bot"), &board.pos, past, true)
			sent = pathText(&move, damathNames, "")
			sent = b.Write(sent)
		}
		line := b.Read()
		switch {
		case line == lateOwn:
			b.Write("LATE")
			sent, late = "", true
		case line == lateOther && board.pos.Turn != own:
			move := s.pick(b.Choice("bot"), &board.pos, past, false)
			sent = pathText(&move, damathNames, "")
			sent = b.Write(sent)
		case line == lateOther: // the referee draws a move for the bot
		case line == "draw":
			b.Write(agree(b, &board, own))
		default:
			path := sent // then line has the totals
			if sent == "" {
				path = line
			}
			if !playPath(&board, past, path) {
				return nil // RETIRE, resign, END
			}
			if sent == "" {
				b.Read() // the totals
			}
			sent, late = "", false
		}
	}
}

// playPath plays the legal move with that path and reports whether there is one.
func playPath(board *chipBoard, past *history, path string) bool {
	moves := board.pos.Moves(&damath, nil)
	i := indexOf(pathTexts(moves, damathNames, ""), path)
	if i < 0 {
		return false
	}
	board.play(&moves[i])
	past.note(&board.pos, &moves[i])
	return true
}

// agree answers an offer to end the match. The bot agrees if it is ahead.
func agree(b *sdk.Bot, board *chipBoard, own int) string {
	damaLeft := b.Int("dama_left")
	if board.total(own, damaLeft) > board.total(1-own, damaLeft) {
		return "draw"
	}
	return "no"
}
