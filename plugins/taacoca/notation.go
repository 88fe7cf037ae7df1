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

// cellNamed has the cell of each name, also in small letters.
var cellNamed = cellsByName()

func cellsByName() map[string]Cells {
	cells := map[string]Cells{}
	for i, name := range names {
		cells[name] = cell(i)
		cells[strings.ToLower(name)] = cell(i)
	}
	return cells
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
	words := make([]string, 0, stonesAtOnce+1)
	for _, word := range strings.Split(line, " ") {
		if word != "" {
			words = append(words, word)
		}
	}
	last := len(words) - 1
	if last < 0 || last > stonesAtOnce {
		return Move{}, false
	}
	var stones Cells
	for i := 0; i < last; i++ {
		cell := cellNamed[words[i]]
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
