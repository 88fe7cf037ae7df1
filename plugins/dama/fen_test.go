package main

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// ParseFEN reads a position in the form of the Portable Draughts Notation:
//
//	W:W18,24,K10:B12,16,K22.
//
// It has the side to move, W or B, and then the pieces of each side, with K before
// a king. A square is a number from 1 to 32 as in [numbered], a range of numbers as
// in B1-12, or a name as in chess (e3) on a board with White at the bottom. In
// damath b1 is a square, in the other rules a1 is. The dot at the end is optional.
func ParseFEN(r *Rules, text string) (Position, error) {
	var p Position
	parts := strings.Split(strings.TrimSuffix(strings.TrimSpace(text), "."), ":")
	if len(parts) != 3 {
		return p, fmt.Errorf("FEN %q: want three parts, like W:W21-32:B1-12", text)
	}
	switch parts[0] {
	case "W":
		p.Turn = White
	case "B":
		p.Turn = Black
	default:
		return p, fmt.Errorf("FEN %q: the side to move is %q, want W or B", text, parts[0])
	}
	for _, part := range parts[1:] {
		if part == "" || part[0] != 'W' && part[0] != 'B' {
			return p, fmt.Errorf("FEN %q: %q does not begin with W or B", text, part)
		}
		side := White
		if part[0] == 'B' {
			side = Black
		}
		if part == "W" || part == "B" {
			continue // no pieces
		}
		for _, piece := range strings.Split(part[1:], ",") {
			set, err := squaresIn(r, strings.TrimPrefix(piece, "K"))
			if err != nil {
				return p, fmt.Errorf("FEN %q: %w", text, err)
			}
			if set&(p.Pieces[White]|p.Pieces[Black]) != 0 {
				return p, fmt.Errorf("FEN %q: two pieces on %s", text, piece)
			}
			p.Pieces[side] |= set
			if piece[0] == 'K' {
				p.Kings |= set
			}
		}
		if bits.OnesCount64(p.Pieces[side]) > 12 {
			return p, fmt.Errorf("FEN %q: more than 12 pieces of one side", text)
		}
	}
	return p, nil
}

// FEN writes a position in the form that ParseFEN reads, with sorted numbers.
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
		return 0, fmt.Errorf("%q is no square", text)
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
