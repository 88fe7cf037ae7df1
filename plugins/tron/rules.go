//go:build go1.21

package main

import (
	"strconv"
	"strings"
)

// The ways in which a cycle moves. The opposite of a way is way^1.
const (
	up = iota
	down
	left
	right
)

// ways has the lines of players, by way.
var ways = []string{"U", "D", "L", "R"}

// A cell is a number: (row+1)*stride + column+1, counted from the top left cell. The cells
// around the board are its wall.

// cycle is the light cycle of one seat.
type cycle struct {
	cell    int // of its head
	way     int // in which it has moved last
	team    int
	crashed int // the tick at which it crashed; 0: it has not
}

// board is the state of a match.
type board struct {
	width, height int
	stride        int    // cells from one row to the next
	steps         [4]int // from a cell to its neighbour, by way
	taken         []bool // by cell: a wall or a trail
	cycles        []cycle
	ticks         int // that have passed
}

// emptyBoard returns a board without cycles.
func emptyBoard(width, height int) *board {
	b := &board{width: width, height: height, stride: width + 2}
	b.steps = [4]int{-b.stride, b.stride, -1, 1}
	b.taken = make([]bool, b.stride*(height+2))
	for cell := range b.taken {
		column, row := cell%b.stride, cell/b.stride
		b.taken[cell] = column == 0 || column > width || row == 0 || row > height
	}
	return b
}

// newBoard places the cycles at random, but so that none has an advantage: the places of
// two are point reflections of each other, and those of three or four are reflections at
// the axes. Those on the left move right, the others left.
func newBoard(width, height, players int, teams bool, rand func(n int) int) *board {
	b := emptyBoard(width, height)
	rows := height - 2
	if players > 2 {
		rows = height/2 - 1
	}
	x := 1 + rand(width/3-1)
	y := 1 + rand(rows)
	for seat := 0; seat < players; seat++ {
		column, row, way, team := x, y, right, seat
		if seat%2 == 1 {
			column, way = width-1-x, left
		}
		if seat == 1 || seat == 2 {
			row = height - 1 - y
		}
		if teams {
			team = seat % 2
		}
		b.add(column, row, way, team)
	}
	return b
}

// add adds the cycle of the next seat.
func (b *board) add(column, row, way, team int) {
	cell := b.at(column, row)
	b.taken[cell] = true
	b.cycles = append(b.cycles, cycle{cell: cell, way: way, team: team})
}

// at returns a cell.
func (b *board) at(column, row int) int { return (row+1)*b.stride + column + 1 }

// column and row return the place of a cell.
func (b *board) column(cell int) int { return cell%b.stride - 1 }
func (b *board) row(cell int) int    { return cell/b.stride - 1 }

// turn returns the way in which a seat moves after a line. It moves straight on if the
// line is not a way, or the opposite one.
func (b *board) turn(seat int, line string) int {
	now := b.cycles[seat].way
	for way := range ways {
		if ways[way] == line && way != now^1 {
			return way
		}
	}
	return now
}

// tick moves all cycles that have not crashed, by seat in these ways. A cycle crashes
// when its next cell is taken, or another cycle enters that cell at the same time.
func (b *board) tick(turns []int) {
	b.ticks++
	entered := make([]int, len(b.cycles)) // by seat; -1: none
	for seat := range b.cycles {
		c := &b.cycles[seat]
		entered[seat] = -1
		if c.crashed == 0 {
			c.way = turns[seat]
			entered[seat] = c.cell + b.steps[c.way]
		}
	}
	for seat := range b.cycles {
		cell := entered[seat]
		if cell < 0 {
			continue
		}
		crash := b.taken[cell]
		for other := range entered {
			crash = crash || other != seat && entered[other] == cell
		}
		if crash {
			b.cycles[seat].crashed = b.ticks
		}
	}
	for seat := range b.cycles {
		if c := &b.cycles[seat]; c.crashed == 0 {
			c.cell = entered[seat]
			b.taken[c.cell] = true
		}
	}
}

// living returns the seats whose cycles have not crashed.
func (b *board) living() []int {
	var seats []int
	for seat := range b.cycles {
		if b.cycles[seat].crashed == 0 {
			seats = append(seats, seat)
		}
	}
	return seats
}

// over reports whether the cycles that have not crashed are of one team at most.
func (b *board) over() bool {
	seats := b.living()
	for _, seat := range seats {
		if b.cycles[seat].team != b.cycles[seats[0]].team {
			return false
		}
	}
	return true
}

// points returns the points of a seat at the end. Without teams these are 1 for each cycle
// that crashed before its own, and half a point for each that crashed in the same tick. A
// team counts as its last cycle.
func (b *board) points(seat int) float64 {
	points := 0.0
	own := b.end(b.cycles[seat].team)
	counted := make([]bool, len(b.cycles)) // by team
	for other := range b.cycles {
		team := b.cycles[other].team
		if team == b.cycles[seat].team || counted[team] {
			continue
		}
		counted[team] = true
		if end := b.end(team); end < own {
			points++
		} else if end == own {
			points += 0.5
		}
	}
	return points
}

// end returns the tick at which the last cycle of a team crashed, or the tick after the
// last if one has not.
func (b *board) end(team int) int {
	last := 0
	for seat := range b.cycles {
		c := &b.cycles[seat]
		if c.team != team {
			continue
		}
		if c.crashed == 0 {
			return b.ticks + 1
		}
		if c.crashed > last {
			last = c.crashed
		}
	}
	return last
}

// heads returns the line of a tick: for each seat the column and the row of its head, and
// -1 -1 if it has crashed.
func (b *board) heads() string {
	numbers := make([]string, 0, 2*len(b.cycles))
	for seat := range b.cycles {
		column, row := -1, -1
		if c := &b.cycles[seat]; c.crashed == 0 {
			column = b.column(c.cell)
			row = b.row(c.cell)
		}
		numbers = append(numbers, strconv.Itoa(column), strconv.Itoa(row))
	}
	return strings.Join(numbers, " ")
}
