//go:build go1.21

package main

import "math"

// judge returns the result that white can expect, and the best move, by the search of the
// bot.
func judge(thinking func() bool, p Position) (expected float64, line string) {
	s := search{thinking: thinking}
	move, value := s.best(p, deepest-1)
	result := math.Tanh(float64(value) / 2000) // from log-odds in thousandths
	if value > won-deepest {
		result = 1
	} else if value < deepest-won {
		result = -1
	}
	if p.Side == Black {
		return -result, p.Line(move)
	}
	return result, p.Line(move)
}
