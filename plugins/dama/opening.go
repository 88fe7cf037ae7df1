//go:build go1.21

package main

import (
	"errors"
	"strconv"
	"strings"

	"colosseum/sdk"
)

// opening is how a match begins: a position, and the moves that have been made in it
// before the players are asked.
type opening struct {
	start Position
	moves []Move
}

// openings returns the texts of the openings from which a match draws its own, for a value
// of the parameter start. It is not empty unless the rules have no list of ballots.
func openings(r *Rules, text string) []string {
	if text == ballotsWord {
		return ballots(r)
	}
	return strings.Split(text, ";")
}

// checkStart returns an error unless a match by the rules can begin as the parameter start
// says.
func checkStart(r *Rules, text string) error {
	list := openings(r, text)
	if len(list) == 0 {
		return errors.New("we know no list of ballots for rules=" + r.Name + ": write openings with ; between them, like 32-28 18-23; 33-29")
	}
	for _, text := range list {
		if len(list) > 1 && strings.TrimSpace(text) == "" {
			return errors.New("there is no opening between two ; or at an end")
		}
		if _, err := parseOpening(r, text); err != nil {
			return err
		}
	}
	return nil
}

// drawOpening returns the opening of a match by rules other than damath. If there are
// several, draw(n) returns the index of one of n.
func drawOpening(r *Rules, s *sdk.Settings, draw func(n int) int) opening {
	list := openings(r, s.Text("start"))
	text := list[0]
	if len(list) > 1 {
		text = list[draw(len(list))]
	}
	o, err := parseOpening(r, text)
	if err != nil { // not after check
		return opening{start: r.Board.start}
	}
	return o
}

// parseOpening reads a position as a FEN, or moves from the usual position as in the
// Portable Draughts Notation: 1. 21-17 9-13 2. 25-21. The side of the first move begins.
// An empty text is the usual position. A match can go on after the opening.
func parseOpening(r *Rules, text string) (opening, error) {
	if strings.IndexByte(text, ':') >= 0 {
		p, err := parseFEN(r, text)
		if err == nil {
			err = p.check(r)
		}
		return opening{start: p}, err
	}
	o := opening{start: r.Board.start}
	p := o.start
	for _, word := range strings.Fields(text) {
		word = word[strings.LastIndexByte(word, '.')+1:]
		if word == "" { // the number of a move
			continue
		}
		m, err := moveOf(r, &p, word)
		if err != nil && len(o.moves) == 0 {
			other := p
			other.Turn = Black
			if first, err2 := moveOf(r, &other, word); err2 == nil {
				m = first
				err = nil
				o.start = other
				p = other
			}
		}
		if err != nil {
			return o, errors.New(strings.TrimSpace(text) + ": " + err.Error())
		}
		o.moves = append(o.moves, m)
		p.Play(&m)
	}
	if err := p.check(r); err != nil {
		return o, errors.New(strings.TrimSpace(text) + ": " + err.Error())
	}
	return o, nil
}

// moveOf returns the legal move that a word means: 21-17, 14x23, c3-d4, the squares on the
// way between them if there are several such captures, or cd4, with the column where the
// move starts and the square where it ends.
func moveOf(r *Rules, p *Position, word string) (Move, error) {
	squares := strings.FieldsFunc(word, func(c rune) bool { return c == '-' || c == 'x' })
	moves := p.Moves(r, nil)
	var found []Move
	for i := range moves {
		if isMeant(r, &moves[i], squares) {
			found = append(found, moves[i])
		}
	}
	var after []Position // which are different
	for i := range found {
		next := *p
		next.Play(&found[i])
		if i == 0 || next != after[0] {
			after = append(after, next)
		}
	}
	switch {
	case len(after) == 1:
		return found[0], nil
	case len(after) > 1:
		return Move{}, errors.New("there are several moves " + strconv.Quote(word) + ", want all squares of one: " + moveNumbers(r, found))
	default:
		return Move{}, errors.New("there is no move " + strconv.Quote(word) + " for " + sideNames[p.Turn] + ", want one of " + moveNumbers(r, moves))
	}
}

// isMeant reports whether squares, as they are written in a move, are those of m.
func isMeant(r *Rules, m *Move, squares []string) bool {
	if len(squares) == 1 && len(squares[0]) == 3 {
		return chessNames[m.From()][:1] == squares[0][:1] && chessNames[m.To()] == squares[0][1:]
	}
	if len(squares) != 2 && len(squares) != int(m.Len) {
		return false
	}
	for i, text := range squares {
		square := m.To()
		if i < len(squares)-1 {
			square = int(m.Path[i])
		}
		if set, err := squaresIn(r, text); err != nil || set != bit(square) {
			return false
		}
	}
	return true
}

// moveNumbers returns moves as numbers of squares: 21-17, 14x23.
func moveNumbers(r *Rules, moves []Move) string {
	var list []string
	for i := range moves {
		m := &moves[i]
		separator := "-"
		if m.Taken != 0 {
			separator = "x"
		}
		text := strconv.Itoa(numberOf(r, m.From()))
		for j := 1; j < int(m.Len); j++ {
			text += separator + strconv.Itoa(numberOf(r, int(m.Path[j])))
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}
