package main

import (
	"strings"

	"github.com/corentings/chess/v2"
)

var promoted = map[chess.PieceType]string{chess.Queen: "queen", chess.Rook: "rook", chess.Bishop: "bishop", chess.Knight: "knight"}

// words returns a move as the original server reads and announces it: "e2 e4",
// "castle e1 g1 h1 f1", "enpassant e5 d6", or "promote e7 e8 queen".
func words(m *chess.Move) []string {
	squares := []string{m.S1().String(), m.S2().String()}
	row := squares[0][1:]
	switch {
	case m.HasTag(chess.KingSideCastle):
		return append(append([]string{"castle"}, squares...), "h"+row, "f"+row)
	case m.HasTag(chess.QueenSideCastle):
		return append(append([]string{"castle"}, squares...), "a"+row, "d"+row)
	case m.HasTag(chess.EnPassant):
		return append([]string{"enpassant"}, squares...)
	case m.Promo() != chess.NoPieceType:
		return append(append([]string{"promote"}, squares...), promoted[m.Promo()])
	}
	return squares
}

func line(m *chess.Move) string { return strings.Join(words(m), " ") }

// lines returns the legal moves as the original server reads them.
func (g *match) lines() []string {
	list := make([]string, len(g.legal))
	for i := range g.legal {
		list[i] = line(&g.legal[i])
	}
	return list
}

// find returns the legal move that a line means, or nil. Next to the forms of the original
// server, it reads those of UCI (e2e4, e1g1, e5d6, e7e8q), and "promotion", which the
// original's description has for "promote".
func (g *match) find(text string) *chess.Move {
	if rest, ok := strings.CutPrefix(text, "promotion "); ok {
		text = "promote " + rest
	}
	for i := range g.legal {
		if m := &g.legal[i]; text == line(m) || text == uci(m) {
			return m
		}
	}
	return nil
}

// uci returns a move as in the Universal Chess Interface.
func uci(m *chess.Move) string {
	text := m.S1().String() + m.S2().String()
	if m.Promo() != chess.NoPieceType {
		text += m.Promo().String()
	}
	return text
}
