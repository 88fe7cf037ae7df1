//go:build go1.21

package main

import "math/bits"

// A position has one feature for each stone, and four for all stones together. Its
// estimate is the sum of their weights.
//
// The feature of a stone depends on whether its side is to move, on its row, on the two
// cells in front of it, on how many own stones stand behind it (0 to 2), and on how many
// enemy stones can still meet it (0, 1, or more).
const (
	pairs      = 15                        // of states of the two cells in front
	behind     = 3                         // numbers of own stones behind
	blockers   = 3                         // numbers of enemy stones ahead
	rowSize    = pairs * behind * blockers // features of a row
	stoneSize  = 8 * rowSize               // features of a side; on the far row it has won
	raceStart  = 2 * stoneSize
	countStart = raceStart + 3      // by the stones of both sides, 0 to 12
	safeStart  = countStart + 13*13 // by side, and by its stones with a safe step, 0 to 12
	features   = safeStart + 2*13
	active     = 12 + 12 + 4 // features of a position, at most
)

// The state of the cell in front of a stone is
//
//	0  free, and no enemy can reach it
//	1  free, and an enemy can
//	2  an own stone, or off the board
//	3  an enemy stone that the enemy cannot take back
//	4  an enemy stone that it can

// pairOf has the number of a pair of states, in either order: boards that are mirrored
// have the same features. The index is the left state plus eight times the right one.
var pairOf = pairTable()

func pairTable() [64]int {
	var table [64]int
	n := 0
	for a := 0; a < 5; a++ {
		for b := a; b < 5; b++ {
			table[a+8*b] = n
			table[b+8*a] = n
			n++
		}
	}
	return table
}

// features appends the features of a position to list, from the view of the side to move.
// No stone is on its far row.
func (p Position) features(list []int) []int {
	var steps [2][2]Cells // by side, the side to move first, and direction
	for dir := Left; dir <= Right; dir++ {
		steps[0][dir] = step(p.Own, p.Side, dir)
		steps[1][dir] = step(p.Enemy, 1-p.Side, dir)
	}
	var nearest, safe [2]int
	mine, theirs, side := p.Own, p.Enemy, p.Side
	for k := 0; k < 2; k++ {
		reached := steps[1-k][Left] | steps[1-k][Right]
		var low, middle, high [2]Cells // the bits of the state in front, by direction
		for dir := Left; dir <= Right; dir++ {
			enemy := steps[1-k][1-dir] // a step of the enemy is a step of this side, reversed
			covered := step(reached, 1-side, 1-dir)
			blocked := step(mine, 1-side, 1-dir) | edge[side][dir]
			hung := enemy &^ covered
			low[dir] = covered&^(blocked|enemy) | hung
			middle[dir] = blocked | hung
			high[dir] = enemy & covered
		}
		safe[k] = count(mine &^ ((low[Left] | middle[Left] | high[Left]) & (low[Right] | middle[Right] | high[Right])))
		nearest[k] = far
		for c := mine; c != 0; c &= c - 1 {
			i := uint(bits.TrailingZeros64(uint64(c)))
			row := rowOf[i]
			if side == Black {
				row = 8 - row
			}
			left := low[Left]>>i&1 | middle[Left]>>i&1<<1 | high[Left]>>i&1<<2
			right := low[Right]>>i&1 | middle[Right]>>i&1<<1 | high[Right]>>i&1<<2
			support := int(steps[k][Left]>>i&1 + steps[k][Right]>>i&1)
			met := ahead[side][i] & theirs
			n := 0
			if met == 0 {
				if 8-row < nearest[k] {
					nearest[k] = 8 - row
				}
			} else if met&(met-1) == 0 {
				n = 1
			} else {
				n = 2
			}
			list = append(list, k*stoneSize+row*rowSize+(pairOf[left|right<<3]*behind+support)*blockers+n)
		}
		mine, theirs, side = p.Enemy, p.Own, 1-p.Side
	}
	race := 2 // neither side has a stone that cannot be stopped
	if nearest[0] < far && nearest[0] <= nearest[1] {
		race = 0
	} else if nearest[1] < far {
		race = 1
	}
	return append(list, raceStart+race, countStart+13*count(p.Own)+count(p.Enemy), safeStart+safe[0], safeStart+13+safe[1])
}

const far = 99 // rows to the goal if every stone can be stopped

// reach returns the cells one step of a side away.
func reach(c Cells, side int) Cells { return step(c, side, Left) | step(c, side, Right) }

// ahead has, by side and cell, the cells that a stone can reach.
var ahead = cones()

func cones() [2][61]Cells {
	var ahead [2][61]Cells
	for side := White; side <= Black; side++ {
		for i := 0; i < 61; i++ {
			for c := reach(cell(i), side); c != 0; c = reach(c, side) {
				ahead[side][i] |= c
			}
		}
	}
	return ahead
}
