//go:build go1.21

package main

import "math"

// leadScale turns the value of a search into an expected result: tanh(value/leadScale).
const leadScale = 2.5

// judge returns the result that black can expect, and the best move, by the search of the
// bot.
func judge(thinking func() bool, position *board) (expected float64, move string) {
	best, value, _ := search(position, position.legal(nil), maxDepth, 0, thinking)
	result := math.Tanh(float64(value) / leadScale)
	if value > decided {
		result = 1
	} else if value < -decided {
		result = -1
	}
	if position.side == white {
		result = -result
	}
	return result, position.line(best)
}
