//go:build go1.21

package main

import (
	"math/bits"
	"strconv"
	"strings"

	"colosseum/sdk"
)

// The Italian protocol of the original Code Colosseum server. White is seat 0.

var (
	colours   = [2]string{"bianchi", "neri"} // of the players, by side
	turns     = [2]string{"Turno bianco!", "Turno nero!"}
	sideNames = [2]string{"white", "black"} // for the record
)

// pieceLetters has the letters on the board: no piece, man and king of White, man and king of
// Black.
const pieceLetters = " bBnN"

// The words with which a player resigns, and offers or accepts a draw, as in damath.
// Rules.Offers permits them.
const (
	resignWord = "resign"
	drawWord   = "draw"

	offerLine = "Il tuo avversario propone la patta."
)

// classicMatch is one match by any rules except damath.
type classicMatch struct {
	m       *sdk.Match
	rules   *Rules
	pos     Position
	past    *history
	moves   []Move // legal ones
	picture *picture
	offered bool // the side to move offers a draw, or the other side did in its last turn
	wanted  bool // the other side offers a draw

	// For each turn. A script copies the variables of a function for each function literal,
	// so the match has them once.
	judged   func(thinking func() bool) (float64, string)
	examples func(seat int) []string
}

// playClassic is the referee of all rules except damath.
func playClassic(m *sdk.Match, r *Rules, o opening) error {
	for seat := 0; seat < 2; seat++ {
		m.TellAll(m.Name(seat))
	}
	m.TellAll("Avvio la partita di dama...")
	c := &classicMatch{m: m, rules: r, pos: o.start, past: newHistory(r, m.Int("draw_after"), &o.start), picture: newPicture(r.Board)}
	c.judged = func(thinking func() bool) (float64, string) { return judgeClassic(m, thinking, r, &c.pos, c.past) }
	c.examples = func(seat int) []string { return pathTexts(c.moves, &r.Board.names, " ") }
	m.TellAll(c.picture.of(&c.pos))
	m.Tell(White, "Sei i Bianchi")
	m.Tell(Black, "Sei i Neri")
	m.Show("Il giocatore " + m.Name(White) + " è i bianchi e il giocatore " + m.Name(Black) + " è i neri.")
	for i := range o.moves {
		path := c.pathText(&o.moves[i])
		m.Tell(White, path)
		m.Tell(Black, path)
		c.play(&o.moves[i])
	}
	for pace := m.Float("pace"); !c.over() && c.turn(); {
		m.Pace(pace)
	}
	m.TellAll("Game Over ;)\n")
	return nil
}

// askText asks for a move.
const askText = "Inserisci la pedina che vuoi muovere e poi le mosse che vuoi fare\n" +
	"Es > 6A 5B oppure 6A 4C 2A oppure 6A 4C 2A ..."

// turn plays the turn of the side to move and reports whether the match goes on. The side can
// send several lines: all are one turn.
func (c *classicMatch) turn() bool {
	m, side := c.m, c.pos.Turn
	m.Judge(c.judged)
	m.Tell(side, turns[side])
	m.Tell(1-side, "Attendi il tuo turno!")
	m.Show(turns[side])
	if c.offered {
		m.Tell(side, offerLine)
	}
	c.wanted = c.offered
	c.offered = false
	for {
		m.Tell(side, askText)
		m.Examples(c.examples)
		line, err := m.AskLine(side)
		if err != nil {
			c.abandon(side, err)
			return false
		}
		if move := readClassic(c.rules.Board, c.moves, line); move != nil {
			m.Tell(1-side, c.pathText(move))
			c.play(move)
			return true
		}
		if !c.answer(side, line) {
			return false
		}
	}
}

// play makes a move, of which the players know the squares, and sends the board.
func (c *classicMatch) play(move *Move) {
	c.pos.Play(move)
	c.past.note(&c.pos, move)
	c.m.TellAll(c.picture.of(&c.pos))
}

// pathText returns the squares of a move as the other side gets them.
func (c *classicMatch) pathText(move *Move) string {
	return pathText(move, &c.rules.Board.names, " ") + " "
}

// answer answers a line that is not a legal move: the side resigns, offers or accepts a draw,
// or has to send another line. It reports whether the match goes on.
func (c *classicMatch) answer(side int, line string) bool {
	why := ""
	switch {
	case c.rules.Offers && line == resignWord:
		c.m.Forfeit(side, sdk.ErrResigned)
		c.m.TellAll("\nI " + colours[side] + " si arrendono.\n" + victory(1-side))
		c.m.Score(1-side, 1)
		return false
	case c.rules.Offers && line == drawWord && c.wanted:
		c.draw("I giocatori si sono accordati.", "draw: the players agreed")
		return false
	case c.rules.Offers && line == drawWord && c.offered:
		why = "Hai già proposto la patta!"
	case c.rules.Offers && line == drawWord:
		c.offered = true
		c.m.Show("I " + colours[side] + " propongono la patta.")
		c.m.Resume(side) // with the time that is left
		return true
	default:
		why = whyNot(c.rules, &c.pos, line)
	}
	if err := c.m.Refuse(side, "\n"+why); err != nil {
		c.abandon(side, err)
		return false
	}
	return true
}

// over lists the legal moves and reports whether the match is over. If it is, over sends the
// result and scores.
func (c *classicMatch) over() bool {
	c.moves = c.pos.Moves(c.rules, c.moves[:0])
	if len(c.moves) > 0 && !c.past.drawn() {
		return false
	}
	c.end()
	return true
}

// end sends the result and scores, of a match that is over.
func (c *classicMatch) end() {
	side := c.pos.Turn
	switch {
	case c.pos.Pieces[White] == 0:
		c.lose(White, "Non hai più pedine disponibili.", "", "has no pieces left")
	case c.pos.Pieces[Black] == 0:
		c.lose(Black, "Non hai più pedine disponibili.", "", "has no pieces left")
	case len(c.moves) == 0:
		c.lose(side, "Non hai più mosse disponibili.", "I "+colours[side]+" non hanno più mosse disponibili.\n", "has no moves left")
	case c.past.repeated():
		c.draw("La stessa posizione si è presentata tre volte.", "draw: the same position three times")
	case c.past.tooQuiet():
		n := strconv.Itoa(c.past.limit / 2)
		c.draw("Nessuna presa e nessuna mossa di pedina da "+n+" mosse.", "draw: "+n+" moves of each side by kings alone without a capture")
	default:
		limit := c.past.tooLong()
		n := strconv.Itoa(limit.Moves)
		text := endingTexts[limit.Ending]
		c.draw("Nessuna vittoria entro "+n+" mosse: "+text[0]+".", "draw: "+n+" moves of each side with "+text[1])
	}
}

// lose ends the match with a side's loss. why is for that side, others for everybody
// else, and reason for the record.
func (c *classicMatch) lose(side int, why, others, reason string) {
	c.m.Tell(side, why+"\n"+victory(1-side))
	c.m.TellOthers(side, others+victory(1-side))
	c.m.Score(1-side, 1)
	c.m.Reason(sideNames[side] + " " + reason)
}

// draw ends the match. why is for everybody, reason for the record.
func (c *classicMatch) draw(why, reason string) {
	c.m.TellAll(why + "\nLa partita è patta!\n")
	c.m.Score(White, 0.5)
	c.m.Score(Black, 0.5)
	c.m.Reason(reason)
}

// victory returns the announcement that a side wins, with an empty line after it.
func victory(side int) string { return "I " + colours[side] + " vincono la partita!\n" }

// abandon ends the match after a late answer, a lost connection, or too many
// refusals.
func (c *classicMatch) abandon(side int, why error) {
	if why == sdk.ErrTimeout {
		c.m.Tell(side, "\nTempo scaduto, hai esaurito il tempo per fare una mossa!")
	}
	c.m.Tell(1-side, "\nI "+colours[side]+" hanno abbandonato la partita.\n"+victory(1-side))
	c.m.Score(1-side, 1)
}

// boardHeader returns the line with the letters of the columns. Numbers of rows have two
// places on the larger board.
func boardHeader(b *Board) string {
	header := strings.Repeat(" ", len(strconv.Itoa(b.size))+2)
	for col := 0; col < b.size; col++ {
		if col > 0 {
			header += "  "
		}
		header += string(rune('A' + col))
	}
	return header
}

// picture is the text of a board, with an empty line before and after it.
type picture struct {
	board *Board
	shown Position
	text  []byte
}

// newPicture returns the text of a board without pieces.
func newPicture(b *Board) *picture { return &picture{board: b, text: []byte(b.empty)} }

// of returns the text of a position. It writes the squares that differ from the last one.
func (t *picture) of(p *Position) string {
	white := p.Pieces[White]
	black := p.Pieces[Black]
	changed := white ^ t.shown.Pieces[White]
	changed |= black ^ t.shown.Pieces[Black]
	changed |= p.Kings ^ t.shown.Kings
	for ; changed != 0; changed &= changed - 1 {
		square := uint(bits.TrailingZeros64(changed))
		piece := white>>square&1 + 3*(black>>square&1) + p.Kings>>square&1
		t.text[t.board.letters[square]] = pieceLetters[piece]
	}
	t.shown = *p
	return string(t.text)
}

// writeEmpty sets the text of a board without pieces.
func (b *Board) writeEmpty() {
	header := boardHeader(b)
	text := "\n" + header + "\n"
	for row := b.size - 1; row >= 0; row-- {
		label := strconv.Itoa(b.size - row)
		label = strings.Repeat(" ", len(strconv.Itoa(b.size))-len(label)) + label
		text += label + " "
		for col := 0; col < b.size; col++ {
			if square, ok := b.squareAt(row, col); ok {
				b.letters[square] = len(text) + 1
			}
			text += "[ ]"
		}
		text += " " + label + "\n"
	}
	b.empty = text + header + "\n"
}

// pathTexts returns the squares of moves, each like pathText: a script would pay for a call for
// each move.
func pathTexts(moves []Move, names *squareNames, separator string) []string {
	texts := make([]string, len(moves))
	for i := range moves {
		m := &moves[i]
		text := names[m.Path[0]]
		for j := 1; j < int(m.Len); j++ {
			text += separator + names[m.Path[j]]
		}
		texts[i] = text
	}
	return texts
}

// pathText returns the squares of a move with a separator between them.
func pathText(m *Move, names *squareNames, separator string) string {
	text := names[m.Path[0]]
	for i := 1; i < int(m.Len); i++ {
		text += separator + names[m.Path[i]]
	}
	return text
}
