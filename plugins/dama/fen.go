//go:build go1.21

package main

import (
	"errors"
	"math/bits"
	"strconv"
	"strings"
)

// parseFEN reads a position in the form of the Portable Draughts Notation (PDN 3.0,
// "FEN tag"):
//
//	W:W18,24,K10:B12,16,K22.
//
// It has the side to move, W or B, and then the pieces of each side, with K before
// a king. A square is a number from 1 as in [numbered], a range of numbers as
// in B1-12, or a name as in chess (e3) on a board with White at the bottom. In
// damath b1 is a square, in the other rules a1 is. The dot at the end is optional, and
// spaces do not count. parseFEN does not check whether the position can be played: see
// [Position.check].
func parseFEN(r *Rules, text string) (Position, error) {
	var p Position
	parts := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, " ", ""), "."), ":")
	if len(parts) != 3 {
		return p, errors.New("want the side to move and the pieces of both sides, like W:W18,24,K10:B12,16,K22")
	}
	turn, ok := sideOf(parts[0])
	if !ok || len(parts[0]) != 1 {
		return p, errors.New("the side to move is " + strconv.Quote(parts[0]) + ", want W or B before the first colon")
	}
	p.Turn = turn
	var given [2]bool
	for _, part := range parts[1:] {
		side, ok := sideOf(part)
		if !ok || given[side] {
			return p, errors.New("want the pieces of white after :W and those of black after :B, once each")
		}
		given[side] = true
		if part == part[:1] {
			continue
		}
		for _, piece := range strings.Split(part[1:], ",") {
			set, err := squaresIn(r, strings.TrimPrefix(piece, "K"))
			if err != nil {
				return p, err
			}
			if twice := set & (p.Pieces[White] | p.Pieces[Black]); twice != 0 {
				return p, errors.New("there are two pieces on square " + strconv.Itoa(numberOf(r, bits.TrailingZeros64(twice))))
			}
			p.Pieces[side] |= set
			if strings.HasPrefix(piece, "K") {
				p.Kings |= set
			}
		}
	}
	return p, nil
}

// sideOf returns the side of which the letter begins a text.
func sideOf(text string) (int, bool) {
	if text == "" {
		return 0, false
	}
	side := strings.IndexByte("WB", text[0])
	return side, side >= 0
}

// check returns an error unless a match can begin at p.
func (p *Position) check(r *Rules) error {
	for side := 0; side < 2; side++ {
		n, most := bits.OnesCount64(p.Pieces[side]), r.Board.men()
		if n < 1 || n > most {
			return errors.New(sideNames[side] + " has " + strconv.Itoa(n) + " pieces, want 1 to " + strconv.Itoa(most))
		}
		if men := p.Pieces[side] &^ p.Kings & r.Board.far[side]; men != 0 {
			number := strconv.Itoa(numberOf(r, bits.TrailingZeros64(men)))
			return errors.New(sideNames[side] + " has a man on square " + number + ", where it would be a king: write K" + number)
		}
	}
	if len(p.Moves(r, nil)) == 0 {
		return errors.New(sideNames[p.Turn] + " is to move and has no move")
	}
	return nil
}

// FEN writes a position in the form that parseFEN reads, with sorted numbers.
func (p *Position) FEN(r *Rules) string {
	text := "WB"[p.Turn : p.Turn+1]
	for side := 0; side < 2; side++ {
		text += ":" + "WB"[side:side+1]
		comma := ""
		for n := 1; n <= bits.OnesCount64(r.Board.squares); n++ {
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
		if text != "" && names[square] == text && r.Board.squares&bit(square) != 0 {
			return bit(square), nil
		}
	}
	first, last := text, text
	if i := strings.IndexByte(text, '-'); i >= 0 {
		first = text[:i]
		last = text[i+1:]
	}
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	most := bits.OnesCount64(r.Board.squares)
	if err1 != nil || err2 != nil || from < 1 || to > most || from > to {
		return 0, errors.New(strconv.Quote(text) + " is not a square, want a number from 1 to " + strconv.Itoa(most) + " or a name like " + names[numbered(r, most)])
	}
	set := uint64(0)
	for n := from; n <= to; n++ {
		set |= bit(numbered(r, n))
	}
	return set, nil
}

// numbered returns the square with a number from 1. The numberings are those of the
// GameType table of the Portable Draughts Notation (pdn.fmjd.org): type 24 for Spanish
// draughts, 22 for boards without a square a1, 20 for the larger board, and 21 for all
// others.
func numbered(r *Rules, n int) int {
	half := r.Board.size / 2
	switch r.Name {
	case "italian", "damath":
		return damathSquare(n)
	case "spanish":
		return damathSquare(33 - n)
	default: // from the top left
		row := r.Board.size - 1 - (n-1)/half
		return squareOf(row, 2*((n-1)%half)+row%2)
	}
}

// numberOf returns the number of a square, as numbered counts them.
func numberOf(r *Rules, square int) int {
	for n := 1; n <= bits.OnesCount64(r.Board.squares); n++ {
		if numbered(r, n) == square {
			return n
		}
	}
	return 0
}
