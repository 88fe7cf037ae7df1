package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// parseFEN reads a position in the form of the Portable Draughts Notation:
//
//	W:W18,24,K10:B12,16,K22.
//
// It has the side to move, W or B, and then the pieces of each side, with K before
// a king. A square is a number from 1 to 32 as in [numbered], a range of numbers as
// in B1-12, or a name as in chess (e3) on a board with White at the bottom. In
// damath b1 is a square, in the other rules a1 is. The dot at the end is optional.
func parseFEN(t testing.TB, r *Rules, text string) (p Position) {
	t.Helper()
	sides := map[byte]int{'W': White, 'B': Black}
	parts := strings.Split(strings.TrimSuffix(text, "."), ":")
	p.Turn = sides[parts[0][0]]
	for _, part := range parts[1:] {
		for _, piece := range strings.FieldsFunc(part[1:], func(c rune) bool { return c == ',' }) {
			set, err := squaresIn(r, strings.TrimPrefix(piece, "K"))
			if err != nil {
				t.Fatalf("FEN %q: %v", text, err)
			}
			p.Pieces[sides[part[0]]] |= set
			if piece[0] == 'K' {
				p.Kings |= set
			}
		}
	}
	return p
}

// FEN writes a position in the form that parseFEN reads, with sorted numbers.
func (p *Position) FEN(r *Rules) string {
	text := "W"
	if p.Turn == Black {
		text = "B"
	}
	for side, name := range []string{":W", ":B"} {
		text += name
		comma := ""
		for n := 1; n <= 32; n++ {
			square := numbered(r, n)
			if p.Pieces[side]>>uint(square)&1 == 0 {
				continue
			}
			text += comma
			comma = ","
			if p.Kings>>uint(square)&1 != 0 {
				text += "K"
			}
			text += strconv.Itoa(n)
		}
	}
	return text
}

// squaresIn returns the squares of one square or one range of a FEN.
func squaresIn(r *Rules, text string) (uint64, error) {
	names := chessNames
	if r == &damath {
		names = damathNames
	}
	for square := firstSquare; square <= lastSquare; square++ {
		if text != "" && names[square] == text {
			return bit(square), nil
		}
	}
	first, last := text, text
	if i := strings.IndexByte(text, '-'); i >= 0 {
		first, last = text[:i], text[i+1:]
	}
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || from < 1 || to > 32 || from > to {
		return 0, fmt.Errorf("%q is not a square", text)
	}
	set := uint64(0)
	for n := from; n <= to; n++ {
		set |= bit(numbered(r, n))
	}
	return set, nil
}

// numbered returns the square with a number from 1 to 32. The numberings are those
// of the GameType table of the Portable Draughts Notation (pdn.fmjd.org): type 24
// for Spanish draughts, 22 for boards without a square a1, and 21 for all others.
func numbered(r *Rules, n int) int {
	switch r.Name {
	case "italian", "damath":
		return damathSquare(n)
	case "spanish":
		return damathSquare(33 - n)
	default: // from the top left
		row := 7 - (n-1)/4
		square, _ := squareAt(row, 2*((n-1)%4)+row%2)
		return square
	}
}
