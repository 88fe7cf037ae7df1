//go:build go1.21

package main

import "strconv"

// The two sides. White starts at the bottom, moves up and has the first move.
const (
	White = 0
	Black = 1
)

// A square is the number of a bit in a 64-bit word. The 32 squares take bits
// 10 to 45, four to a row from the bottom left, with one bit left out after
// every second row:
//
//	row 7  . 42 . 43 . 44 . 45
//	row 6  37 . 38 . 39 . 40 .      41 is never played on
//	row 5  . 33 . 34 . 35 . 36
//	row 4  28 . 29 . 30 . 31 .      32 is never played on
//	row 3  . 24 . 25 . 26 . 27
//	row 2  19 . 20 . 21 . 22 .      23 is never played on
//	row 1  . 15 . 16 . 17 . 18
//	row 0  10 . 11 . 12 . 13 .      14 is never played on
//
// So the four neighbours of any square are 4 and 5 bits away, and a step off the
// board leads to a bit that is never played on. (Arthur Samuel's layout, "Some
// Studies in Machine Learning Using the Game of Checkers", 1959.) Two steps down
// from bit 10, or up from 45, are still bits of the word.
const (
	firstSquare = 10
	lastSquare  = 45

	topRow    = uint64(0xF) << 42
	bottomRow = uint64(0xF) << 10
	board     = bottomRow | 0xF<<15 | 0xF<<19 | 0xF<<24 | 0xF<<28 | 0xF<<33 | 0xF<<37 | topRow
)

// far is, by side, the row where its men become kings.
var far = [2]uint64{topRow, bottomRow}

// Position is the pieces on the board and the side to move. Positions are compared
// with ==.
type Position struct {
	Pieces [2]uint64 // by side, men and kings
	Kings  uint64    // those of Pieces that are kings
	Turn   int       // White or Black
}

// start is the initial position: twelve men on the first three rows of each side.
var start = Position{
	Pieces: [2]uint64{bottomRow | 0xF<<15 | 0xF<<19, 0xF<<33 | 0xF<<37 | topRow},
	Turn:   White,
}

// bit returns the set of one square.
func bit(square int) uint64 { return 1 << uint(square) }

// squareAt returns the square in a row and column, both from 0 at the bottom left.
// Squares that are not played on, or off the board, are not ok.
func squareAt(row, col int) (square int, ok bool) {
	if row < 0 || row > 7 || col < 0 || col > 7 || (row+col)%2 != 0 {
		return 0, false
	}
	return firstSquare + row/2*9 + row%2*5 + col/2, true
}

// cell is one of all 64 squares: row and column from 0 at the bottom left.
type cell struct{ row, col int }

func rowOf(square int) int { return cells[square].row }
func colOf(square int) int { return cells[square].col }

// cells has the row and column of each square.
var cells = cellsBySquare()

func cellsBySquare() *[64]cell {
	table := new([64]cell)
	for row := 0; row < 8; row++ {
		for col := 0; col < 8; col++ {
			if square, ok := squareAt(row, col); ok {
				table[square] = cell{row, col}
			}
		}
	}
	return table
}

// squareNames are the names of the squares in a notation.
type squareNames [64]string

var (
	// classicNames: the row from 1 at the top, then the column: 6A.
	classicNames = namesBy(func(row, col int) string { return strconv.Itoa(8-row) + string(rune('A'+col)) })
	// chessNames: the column, then the row from 1 at the bottom: a3.
	chessNames = namesBy(func(row, col int) string { return string(rune('a'+col)) + strconv.Itoa(row+1) })
	// damathNames: the same on a board whose lower left corner is not played on.
	damathNames = namesBy(func(row, col int) string { return string(rune('a'+7-col)) + strconv.Itoa(row+1) })
)

func namesBy(name func(row, col int) string) *squareNames {
	names := new(squareNames)
	for row := 0; row < 8; row++ {
		for col := 0; col < 8; col++ {
			if square, ok := squareAt(row, col); ok {
				names[square] = name(row, col)
			}
		}
	}
	return names
}
