//go:build go1.21

package main

import (
	"strconv"
	"strings"
)

var promoted = [...]string{queen: "queen", rook: "rook", bishop: "bishop", knight: "knight"}

// words returns a legal move as the original server reads and announces it: "e2 e4",
// "castle e1 g1 h1 f1", "enpassant e5 d6", or "promote e7 e8 queen".
func (b *board) words(m move) []string {
	squares := []string{nameOf(m.from), nameOf(m.to)}
	row := squares[0][1:]
	switch {
	case b.on[m.from] == king && m.to == m.from+2:
		return append(append([]string{"castle"}, squares...), "h"+row, "f"+row)
	case b.on[m.from] == king && m.from == m.to+2:
		return append(append([]string{"castle"}, squares...), "a"+row, "d"+row)
	case b.capturesEnPassant(m):
		return append([]string{"enpassant"}, squares...)
	case m.into != none:
		return append(append([]string{"promote"}, squares...), promoted[m.into])
	}
	return squares
}

// capturesEnPassant reports whether a legal move is a capture en passant.
func (b *board) capturesEnPassant(m move) bool {
	return b.passed != noSquare && m.to == b.passed && b.on[m.from] == pawn
}

func (b *board) line(m move) string { return strings.Join(b.words(m), " ") }

// lines returns the legal moves as the original server reads them.
func (g *match) lines() []string {
	list := make([]string, len(g.legal))
	for i, m := range g.legal {
		list[i] = g.board.line(m)
	}
	return list
}

// find returns the legal move that a line means. Next to the forms of the original
// server, it reads those of UCI (e2e4, e1g1, e5d6, e7e8q), and "promotion", which the
// original's description has for "promote".
func (g *match) find(text string) (m move, ok bool) {
	if rest, ok := strings.CutPrefix(text, "promotion "); ok {
		text = "promote " + rest
	}
	for _, m := range g.legal {
		if text == g.board.line(m) || text == m.uci() {
			return m, true
		}
	}
	return move{}, false
}

// uci returns a move as in the Universal Chess Interface.
func (m move) uci() string {
	text := nameOf(m.from) + nameOf(m.to)
	if m.into != none {
		text += letters[m.into : m.into+1]
	}
	return text
}

func nameOf(s uint8) string { return string([]byte{'a' + s%8, '1' + s/8}) }

func squareOf(name string) uint8 { return name[0] - 'a' + 8*(name[1]-'1') }

// fen returns the pieces as the first field of a FEN.
func (b *board) fen() string {
	var text strings.Builder
	for row := 7; row >= 0; row-- {
		empty := 0
		flush := func() {
			if empty > 0 {
				text.WriteString(strconv.Itoa(empty))
			}
			empty = 0
		}
		for s := 8 * row; s < 8*row+8; s++ {
			if b.on[s] == none {
				empty++
				continue
			}
			flush()
			letter := letters[b.on[s] : b.on[s]+1]
			if b.sides[white]>>s&1 != 0 {
				letter = strings.ToUpper(letter)
			}
			text.WriteString(letter)
		}
		flush()
		if row > 0 {
			text.WriteByte('/')
		}
	}
	return text.String()
}
