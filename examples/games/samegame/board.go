//go:build go1.21

package main

import (
	"strconv"
	"strings"
)

// board is what is left of the blocks. Column 0 is on the left, row 0 at the top.
type board struct {
	width, height int
	cells         []byte // row after row: a letter for the colour of a block, or none
}

const none = '.'

// deal returns a full board. rand draws a number below n.
func deal(width, height, colours int, rand func(n int) int) *board {
	b := &board{width: width, height: height, cells: make([]byte, width*height)}
	for i := range b.cells {
		b.cells[i] = byte('a' + rand(colours))
	}
	return b
}

// rows returns the rows as texts, the top one first.
func (b *board) rows() []string {
	var list []string
	for y := 0; y < b.height; y++ {
		list = append(list, string(b.cells[y*b.width:(y+1)*b.width]))
	}
	return list
}

// parse returns the column and the row of a line like "3 14".
func parse(line string) (x, y int) {
	words := strings.Fields(line)
	x, _ = strconv.Atoi(words[0])
	y, _ = strconv.Atoi(words[1])
	return x, y
}

// moves returns all lines that a player can send: the cells of groups of two or more.
func (b *board) moves() []string {
	var list []string
	for y := 0; y < b.height; y++ {
		for x := 0; x < b.width; x++ {
			colour := b.at(x, y)
			if colour != none && (b.at(x+1, y) == colour || b.at(x-1, y) == colour || b.at(x, y+1) == colour || b.at(x, y-1) == colour) {
				list = append(list, strconv.Itoa(x)+" "+strconv.Itoa(y))
			}
		}
	}
	return list
}

// at returns the colour of a cell; none outside of the board.
func (b *board) at(x, y int) byte {
	if x < 0 || y < 0 || x >= b.width || y >= b.height {
		return none
	}
	return b.cells[y*b.width+x]
}

// remove takes the group of a block off the board, and returns how many blocks it had. The
// others fall down, and then columns close up to the left.
func (b *board) remove(x, y int) int {
	n := b.take(x, y, b.at(x, y))
	to := 0
	for x := 0; x < b.width; x++ {
		bottom := b.height
		for y := b.height - 1; y >= 0; y-- {
			if colour := b.at(x, y); colour != none {
				bottom--
				b.cells[y*b.width+x] = none
				b.cells[bottom*b.width+to] = colour
			}
		}
		if bottom < b.height {
			to++
		}
	}
	return n
}

// take removes a block of a colour and those next to it, and returns how many.
func (b *board) take(x, y int, colour byte) int {
	if colour == none || b.at(x, y) != colour {
		return 0
	}
	b.cells[y*b.width+x] = none
	return 1 + b.take(x+1, y, colour) + b.take(x-1, y, colour) + b.take(x, y+1, colour) + b.take(x, y-1, colour)
}

func (b *board) empty() bool { return b.at(0, b.height-1) == none }
