//go:build go1.21

package main

import "math/bits"

// Cells is a set of cells of the board. A1 is bit 0, and the others follow from left to
// right and row by row, up to I5, bit 60.
type Cells uint64

// The rows from bottom to top: 5, 6, 7, 8, 9, 8, 7, 6 and 5 cells.
const (
	rowA Cells = 0x01f << 0
	rowB Cells = 0x03f << 5
	rowC Cells = 0x07f << 11
	rowD Cells = 0x0ff << 18
	rowE Cells = 0x1ff << 26
	rowF Cells = 0x0ff << 35
	rowG Cells = 0x07f << 43
	rowH Cells = 0x03f << 50
	rowI Cells = 0x01f << 56

	board Cells = 1<<61 - 1
)

// The sides. The number of a side is also its seat.
const (
	White = 0 // moves up, first
	Black = 1 // moves down
)

// The directions, as seen on the board with row A at the bottom.
const (
	Left  = 0
	Right = 1
)

// Ends of the rows from which a step to the left or right leaves the board: the
// upper half narrows for White, the lower half for Black.
const (
	upperLeft  Cells = 1<<26 | 1<<35 | 1<<43 | 1<<50 // E1 F1 G1 H1
	upperRight Cells = 1<<34 | 1<<42 | 1<<49 | 1<<55 // E9 F8 G7 H6
	lowerLeft  Cells = 1<<26 | 1<<18 | 1<<11 | 1<<5  // E1 D1 C1 B1
	lowerRight Cells = 1<<34 | 1<<25 | 1<<17 | 1<<10 // E9 D8 C7 B6
)

// edge has, by side and direction, the cells from which a step leaves the board,
// except those on the goal row.
var edge = [2][2]Cells{{upperLeft, upperRight}, {lowerLeft, lowerRight}}

// goal has, by side, the row to reach: the enemy's home row.
var goal = [2]Cells{rowI, rowA}

// stonesAtOnce is how many stones a side moves in a turn. With fewer, it moves all.
const stonesAtOnce = 3

// maxMoves is the limit of the moves of a position: three of twelve stones, in two
// directions.
const maxMoves = 2 * 220

// Move is the cells of the moved stones before and after a turn.
type Move struct{ From, To Cells }

// Position is the stones on the board, from the view of the side to move.
type Position struct {
	Own, Enemy Cells
	Side       int // to move
}

// start is the position in which White makes the first move of a game.
var start = Position{
	Own:   rowA | 0x1e<<5 | 0x1c<<11,  // A1–A5 B2–B5 C3–C5
	Enemy: rowI | 0x1e<<50 | 0x1c<<43, // I1–I5 H2–H5 G3–G5
	Side:  White,
}

// cell returns the cell of a bit, from 0 to 60.
func cell(i int) Cells { return Cells(1) << uint(i) }

// count returns the number of cells in the set.
func count(c Cells) int { return bits.OnesCount64(uint64(c)) }

// step returns the cells that stones of a side reach by one step. Steps off the board
// have no result.
//
// A step up to the left adds the number of cells of its row to the bit number, or one
// less in the narrowing half of the board. A step up to the right adds one more. A step
// down to the right is the reverse of a step up to the left, and so on.
func step(c Cells, side, dir int) Cells {
	c &^= edge[side][dir]
	if side == White {
		c = c&(rowA|rowH)<<5 | c&(rowB|rowG)<<6 | c&(rowC|rowF)<<7 | c&(rowD|rowE)<<8
		return c << uint(dir)
	}
	c = c&(rowI|rowB)>>5 | c&(rowH|rowC)>>6 | c&(rowG|rowD)>>7 | c&(rowF|rowE)>>8
	return c >> uint(1-dir)
}

// files sorts the stones that can move in a direction by the cell in front of them. For
// the first file, that cell is free or has an enemy. For the second file, it has a stone
// of the first, which must move too, and so on.
func (p Position) files(dir int) (first, second, third Cells) {
	enemy, back := 1-p.Side, 1-dir // the reverse step
	first = p.Own & step(board&^p.Own, enemy, back)
	second = p.Own & step(first, enemy, back)
	third = p.Own & step(second, enemy, back)
	return first, second, third
}

// turnSize returns how many stones the side to move must move.
func (p Position) turnSize() int {
	if n := count(p.Own); n < stonesAtOnce {
		return n
	}
	return stonesAtOnce
}

// Moves appends the legal moves to list. In a legal move, own stones in front of a
// moved stone move too. Moves combines single stones, columns of two and columns of
// three, so it never has to test a move.
func (p Position) Moves(list []Move) []Move {
	size := p.turnSize()
	for dir := Left; dir <= Right; dir++ {
		first, second, third := p.files(dir)
		var free [12]Move // the moves of a single stone
		n := 0
		for c := first; c != 0; c &= c - 1 {
			stone := c & -c
			free[n] = Move{stone, step(stone, p.Side, dir)}
			n++
		}
		switch size {
		case 1:
			list = append(list, free[:n]...)
		case 2:
			for i := 1; i < n; i++ {
				for j := 0; j < i; j++ {
					list = append(list, join(free[i], free[j]))
				}
			}
			for c := second; c != 0; c &= c - 1 {
				list = append(list, p.column(c&-c, 2, dir))
			}
		case 3:
			for i := 2; i < n; i++ {
				for j := 1; j < i; j++ {
					pair := join(free[i], free[j])
					for k := 0; k < j; k++ {
						list = append(list, join(pair, free[k]))
					}
				}
			}
			for c := second; c != 0; c &= c - 1 {
				pair := p.column(c&-c, 2, dir)
				for i := 0; i < n; i++ {
					if free[i].From&pair.From == 0 {
						list = append(list, join(pair, free[i]))
					}
				}
			}
			for c := third; c != 0; c &= c - 1 {
				list = append(list, p.column(c&-c, 3, dir))
			}
		}
	}
	return list
}

// CanMove reports whether the side to move has a legal move. It has one if the files of
// a direction have enough stones.
func (p Position) CanMove() bool {
	if p.Own == 0 {
		return false
	}
	size := p.turnSize()
	for dir := Left; dir <= Right; dir++ {
		if count(p.Own&step(board&^p.Own, 1-p.Side, 1-dir)) >= size {
			return true // without a look at the stones behind the first
		}
		first, second, third := p.files(dir)
		if count(first|second|third) >= size {
			return true
		}
	}
	return false
}

// Legal returns the move of stones in a direction and reports whether it is legal.
func (p Position) Legal(stones Cells, dir int) (Move, bool) {
	m := Move{stones, step(stones, p.Side, dir)}
	n := count(stones)
	ok := stones&^p.Own == 0 && // own stones
		(n == stonesAtOnce || n < stonesAtOnce && stones == p.Own) &&
		count(m.To) == n && // none leaves the board
		m.To&p.Own&^stones == 0 // none enters the cell of an own stone that stays
	return m, ok
}

// After returns the position after a legal move. No own stone that stays is on a cell
// of m.To, so the stones taken there are the enemy's.
func (p Position) After(m Move) Position {
	return Position{Own: p.Enemy &^ m.To, Enemy: p.Own&^m.From | m.To, Side: 1 - p.Side}
}

// column returns the move of n stones in a column, of which stone is the last.
func (p Position) column(stone Cells, n, dir int) Move {
	m := Move{}
	for i := 0; i < n; i++ {
		next := step(stone, p.Side, dir)
		m = join(m, Move{stone, next})
		stone = next
	}
	return m
}

func join(a, b Move) Move { return Move{a.From | b.From, a.To | b.To} }
