//go:build go1.21

package main

import (
	"math"

	"colosseum/sdk"
)

// leadScale turns the value of a search into an expected result: tanh(value/leadScale).
const leadScale = 2.5

// judge returns the result that black can expect, by the search of the bot.
func judge(j *sdk.Judge, position *board) float64 {
	best, value, _ := search(position, position.legal(nil), maxDepth, 0, func() bool { return j.Thinking() })
	j.Best(position.line(best))
	result := math.Tanh(float64(value) / leadScale)
	if value > decided {
		result = 1
	} else if value < -decided {
		result = -1
	}
	if position.side == white {
		result = -result
	}
	return result
}
