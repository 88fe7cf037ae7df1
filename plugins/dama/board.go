//go:build go1.21

package main

import (
	"math/bits"
	"strconv"
	"strings"
)

// The two sides. White starts at the bottom, moves up and has the first move.
const (
	White = 0
	Black = 1
)

// A square is the number of a bit in a 64-bit word. The 50 squares of the larger board
// take bits 6 to 60, five to a row from the bottom left, with one bit left out after
// every second row; those of the smaller board are its lower left part:
//
//	row 9  . 56 . 57 . 58 . 59 . 60
//	row 8  50 . 51 . 52 . 53 . 54 .     55 is never played on
//	row 7  . 45 . 46 . 47 . 48|. 49
//	row 6  39 . 40 . 41 . 42 .|43 .     44 is never played on
//	row 5  . 34 . 35 . 36 . 37|. 38
//	row 4  28 . 29 . 30 . 31 .|32 .     33 is never played on
//	row 3  . 23 . 24 . 25 . 26|. 27
//	row 2  17 . 18 . 19 . 20 .|21 .     22 is never played on
//	row 1  . 12 . 13 . 14 . 15|. 16
//	row 0   6 .  7 .  8 .  9 .|10 .     11 is never played on
//
// So the four neighbours of any square are 5 and 6 bits away, and a step off the
// board leads to a bit that is never played on. (After Arthur Samuel's layout, "Some
// Studies in Machine Learning Using the Game of Checkers", 1959.)
const (
	firstSquare = 6
	lastSquare  = 60

	upLeft    = 5
	upRight   = 6
	downLeft  = -6
	downRight = -5
)

// Board is a size of the board, and what depends on it.
type Board struct {
	size    int         // rows and columns
	squares uint64      // those that are played on
	far     [2]uint64   // by side, the row where its men become kings
	start   Position    // the men of each side fill its first rows
	names   squareNames // the row from 1 at the top, then the column: 6A
	empty   string      // the text of the board without pieces
	letters [64]int     // where the letter of a piece goes in that text, by square

	named map[string]cell // all squares, also light ones, by the names that players can send
}

var (
	board8  = newBoard(8, 3)
	board10 = newBoard(10, 4)
)

func newBoard(size, rowsOfMen int) *Board {
	b := &Board{size: size, named: map[string]cell{}}
	for i := 0; i < size*size; i++ {
		c := cell{i / size, i % size}
		name := cellName(size, c)
		b.named[name] = c
		b.named[strings.ToLower(name)] = c
	}
	for row := 0; row < size; row++ {
		for col := row % 2; col < size; col += 2 {
			square := squareOf(row, col)
			b.squares |= bit(square)
			b.names[square] = cellName(size, cell{row, col})
			if row < rowsOfMen {
				b.start.Pieces[White] |= bit(square)
			}
			if row >= size-rowsOfMen {
				b.start.Pieces[Black] |= bit(square)
			}
			if row == size-1 {
				b.far[White] |= bit(square)
			}
			if row == 0 {
				b.far[Black] |= bit(square)
			}
		}
	}
	b.writeEmpty()
	return b
}

// men returns how many men each side has at the start.
func (b *Board) men() int { return bits.OnesCount64(b.start.Pieces[White]) }

// Position is the pieces on the board and the side to move. Positions are compared
// with ==.
type Position struct {
	Pieces [2]uint64 // by side, men and kings
	Kings  uint64    // those of Pieces that are kings
	Turn   int       // White or Black
}

// bit returns the set of one square.
func bit(square int) uint64 { return 1 << uint(square) }

// squareOf returns the square in a row and column of which the sum is even.
func squareOf(row, col int) int { return firstSquare + row/2*11 + row%2*6 + col/2 }

// squareAt returns the square in a row and column, both from 0 at the bottom left.
// Squares that are not played on, or off the board, are not ok.
func (b *Board) squareAt(row, col int) (square int, ok bool) {
	if row < 0 || row >= b.size || col < 0 || col >= b.size || (row+col)%2 != 0 {
		return 0, false
	}
	return squareOf(row, col), true
}

// cell is one of all squares, light and dark: row and column from 0 at the bottom left.
type cell struct{ row, col int }

func rowOf(square int) int { return cells[square].row }
func colOf(square int) int { return cells[square].col }

// cells has the row and column of each square.
var cells = cellsBySquare()

func cellsBySquare() *[64]cell {
	table := new([64]cell)
	for row := 0; row < 10; row++ {
		for col := row % 2; col < 10; col += 2 {
			table[squareOf(row, col)] = cell{row, col}
		}
	}
	return table
}

// cellName returns the row from 1 at the top, then the column: 6A.
func cellName(size int, c cell) string {
	return strconv.Itoa(size-c.row) + string(rune('A'+c.col))
}

// squareNames are the names of the squares in a notation.
type squareNames [64]string

var (
	// chessNames: the column, then the row from 1 at the bottom: a3.
	chessNames = namesBy(func(row, col int) string { return string(rune('a'+col)) + strconv.Itoa(row+1) })
	// damathNames: the same on a board whose lower left corner is not played on.
	damathNames = namesBy(func(row, col int) string { return string(rune('a'+7-col)) + strconv.Itoa(row+1) })
)

func namesBy(name func(row, col int) string) *squareNames {
	names := new(squareNames)
	for square := firstSquare; square <= lastSquare; square++ {
		if bit(square)&board10.squares != 0 {
			names[square] = name(rowOf(square), colOf(square))
		}
	}
	return names
}
