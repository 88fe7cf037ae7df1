//go:build go1.21

package main

import (
	"math/bits"
	"strings"
)

// rowStart has the bit of the first cell of each row, and at the end the
// number of cells.
var rowStart = [10]int{0, 5, 11, 18, 26, 35, 43, 50, 56, 61}

// rowOf has the row of each cell, by bit. Row A is 0.
var rowOf = rows()

func rows() [61]int {
	var rows [61]int
	for row := 0; row < 9; row++ {
		for i := rowStart[row]; i < rowStart[row+1]; i++ {
			rows[i] = row
		}
	}
	return rows
}

// names has the name of each cell, by bit.
var names = cellNames()

func cellNames() [61]string {
	var names [61]string
	for i := range names {
		row := rowOf[i]
		names[i] = string(rune('A'+row)) + string(rune('1'+i-rowStart[row]))
	}
	return names
}

// Line returns a legal move as spectators receive it: its stones sorted by row and
// number, and the direction.
func (p Position) Line(m Move) string {
	words := make([]string, 0, stonesAtOnce+1)
	for c := m.From; c != 0; c &= c - 1 {
		words = append(words, names[bits.TrailingZeros64(uint64(c))])
	}
	if m.To == step(m.From, p.Side, Left) {
		words = append(words, "L")
	} else {
		words = append(words, "R")
	}
	return strings.Join(words, " ")
}

// Lines returns all legal moves as lines.
func (p Position) Lines() []string {
	moves := p.Moves(nil)
	lines := make([]string, len(moves))
	for i := range moves {
		lines[i] = p.Line(moves[i])
	}
	return lines
}

// Parse reads the line of a player: stones in any order, then L or R, in capital or
// small letters, with one or more spaces between the words, as in dama. It reports
// whether that is a legal move.
func (p Position) Parse(line string) (Move, bool) {
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' })
	last := len(words) - 1
	if last < 0 || last > stonesAtOnce {
		return Move{}, false
	}
	var stones Cells
	for i := 0; i < last; i++ {
		cell := parseCell(words[i])
		if cell == 0 || stones&cell != 0 {
			return Move{}, false
		}
		stones |= cell
	}
	switch words[last] {
	case "L", "l":
		return p.Legal(stones, Left)
	case "R", "r":
		return p.Legal(stones, Right)
	}
	return Move{}, false
}

// parseCell returns the cell of a name such as C3 or c3, or 0.
func parseCell(name string) Cells {
	if len(name) != 2 {
		return 0
	}
	letter, number := name[0], name[1]
	if letter >= 'a' {
		letter -= 'a' - 'A'
	}
	if letter < 'A' || letter > 'I' || number < '1' {
		return 0
	}
	i := rowStart[letter-'A'] + int(number-'1')
	if i >= rowStart[letter-'A'+1] {
		return 0
	}
	return cell(i)
}
