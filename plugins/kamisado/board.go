//go:build go1.21

package main

import "math/bits"

// The sides. Black has the first move and moves up, from row 1 to row 8.
const (
	black = 0
	white = 1
)

// colours are the letters of the colours, numbered from 0: orange, blue,
// purple, pink, yellow, red, green, brown.
const colours = "OBPKYRGN"

// picture has the colour of each square, from row 8 down to row 1, columns a to h.
const picture = "OBPKYRGN" +
	"ROKGBYNP" +
	"GKORPNYB" +
	"KPBONGRY" +
	"YRGNOBPK" +
	"BYNPROKG" +
	"PNYBGKOR" +
	"NGRYKPBO"

// A square is a number from 0 to 63: 8 times its row counted from row 1, plus
// its column counted from a. A set of squares is a uint64 with bit s for
// square s.

// colourOf has the number of the colour of each square.
var colourOf = paint()

// ahead has, by side and square, the squares straight ahead and on the two diagonals
// ahead, to the edge of the board.
var ahead = [2][64][3]uint64{rays(1), rays(-1)}

// sights has, by side and square, the squares on each straight line to the far row. Where
// such a line ends at the edge before, it has all squares, as if it were never free.
var sights = [2][64][3]uint64{linesToFarRow(black), linesToFarRow(white)}

// farRow has the row that each side wants to reach.
var farRow = [2]uint64{0xff00000000000000, 0xff}

// names has the name of each square, from a1 to h8.
var names = nameSquares()

const allSquares = uint64(0xffffffffffffffff)

// bit returns the set of one square. The 1 has a type because in a script a plain 1
// would be an int.
func bit(square int) uint64 { return uint64(1) << uint(square) }

func paint() [64]uint8 {
	var table [64]uint8
	for i := 0; i < 64; i++ {
		for c := 0; c < 8; c++ {
			if picture[i] == colours[c] {
				table[(7-i/8)*8+i%8] = uint8(c)
			}
		}
	}
	return table
}

func nameSquares() [64]string {
	var table [64]string
	for i := range table {
		table[i] = string([]byte{byte('a' + i%8), byte('1' + i/8)})
	}
	return table
}

// rays computes ahead for the side that goes up (1) or down (-1) the rows.
func rays(up int) [64][3]uint64 {
	var table [64][3]uint64
	for square := 0; square < 64; square++ {
		for sideways := -1; sideways <= 1; sideways++ {
			row, column := square/8+up, square%8+sideways
			for row >= 0 && row < 8 && column >= 0 && column < 8 {
				table[square][sideways+1] |= bit(8*row + column)
				row, column = row+up, column+sideways
			}
		}
	}
	return table
}

func linesToFarRow(side int) [64][3]uint64 {
	table := ahead[side]
	for square := range table {
		for direction := range table[square] {
			if table[square][direction]&farRow[side] == 0 {
				table[square][direction] = allSquares
			}
		}
	}
	return table
}

// board is a position.
type board struct {
	towers   [2][8]uint8 // square of each tower, by side and number of its colour
	occupied uint64      // squares with a tower
	side     int         // to move
	tower    int         // the tower that must move; anyTower at the first move
	passed   bool        // the last move was one of distance zero
	reached  bool        // the last move reached the far row
}

const anyTower = 8

// move is the tower that moves, by the number of its colour, and the square where it
// stops. A blocked tower stops where it stands.
type move struct{ tower, to uint8 }

// newBoard returns the position before the first move.
func newBoard() *board {
	b := &board{occupied: farRow[black] | farRow[white], side: black, tower: anyTower}
	for column := 0; column < 8; column++ {
		b.towers[black][colourOf[column]] = uint8(column)
		b.towers[white][colourOf[56+column]] = uint8(56 + column)
	}
	return b
}

// reach returns the squares to which a tower can move: those ahead of it in each
// direction, up to the first occupied one.
func (b *board) reach(side, tower int) uint64 {
	squares := uint64(0)
	for _, ray := range ahead[side][b.towers[side][tower]] {
		taken := ray & b.occupied
		if side == black { // ray has higher squares with each step
			squares |= ray & (taken&-taken - 1)
		} else {
			n := uint(bits.Len64(taken))
			squares |= ray >> n << n
		}
	}
	return squares
}

// sees reports whether a tower could move to the far row.
func (b *board) sees(side, tower int) bool {
	lines := &sights[side][b.towers[side][tower]]
	return lines[0]&b.occupied == 0 || lines[1]&b.occupied == 0 || lines[2]&b.occupied == 0
}

// blocked reports whether the tower that must move cannot.
func (b *board) blocked() bool {
	return b.tower != anyTower && b.reach(b.side, b.tower) == 0
}

// over reports whether the game has ended. The side to move has lost then: either the
// other side reached the far row, or both are blocked and the side to move made the
// last move of more than distance zero.
func (b *board) over() bool {
	return b.reached || b.passed && b.blocked()
}

// legal appends the legal moves to list. There is at least one until the game is over.
// The only move of a blocked tower is that of distance zero.
func (b *board) legal(list []move) []move {
	first, last := b.tower, b.tower
	if b.tower == anyTower {
		first, last = 0, 7
	}
	before := len(list)
	for tower := first; tower <= last; tower++ {
		for squares := b.reach(b.side, tower); squares != 0; squares &= squares - 1 {
			list = append(list, move{uint8(tower), uint8(bits.TrailingZeros64(squares))})
		}
	}
	if len(list) == before {
		list = append(list, move{uint8(b.tower), b.towers[b.side][b.tower]})
	}
	return list
}

// stays reports whether a move is that of a blocked tower.
func (b *board) stays(m move) bool { return m.to == b.towers[b.side][m.tower] }

// play makes a legal move.
func (b *board) play(m move) {
	from, to := b.towers[b.side][m.tower], uint64(1)<<m.to
	b.towers[b.side][m.tower] = m.to
	b.occupied = b.occupied&^(uint64(1)<<from) | to
	b.passed = m.to == from
	b.reached = farRow[b.side]&to != 0
	b.side = 1 - b.side
	b.tower = int(colourOf[m.to])
}

// line returns a move in algebraic notation, as d1d4.
func (b *board) line(m move) string {
	return names[b.towers[b.side][m.tower]] + names[m.to]
}

// find returns the legal move with that notation.
func (b *board) find(line string) (move, bool) {
	for _, m := range b.legal(nil) {
		if b.line(m) == line {
			return m, true
		}
	}
	return move{}, false
}
