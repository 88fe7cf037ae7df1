//go:build go1.21

package main

import (
	"math"

	"colosseum/sdk"
)

// judge returns the result that white can expect, by the search of the bot.
func judge(j *sdk.Judge, p Position) float64 {
	s := search{thinking: func() bool { return j.Thinking() }}
	move, value := s.best(p, deepest-1)
	j.Best(p.Line(move))
	result := math.Tanh(float64(value) / 2000) // from log-odds in thousandths
	if value > won-deepest {
		result = 1
	} else if value < deepest-won {
		result = -1
	}
	if p.Side == Black {
		return -result
	}
	return result
}
