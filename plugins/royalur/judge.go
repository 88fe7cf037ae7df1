//go:build go1.21

package main

import (
	"math"
	"strconv"
)

// leaf returns the value of a position at the end of a search, in the unit of its values.
func (x *expectimax) leaf(value float64) float64 {
	switch {
	case !x.results:
		return value
	case value == victory:
		return 1
	}
	// With log-odds l in thousandths, the chance to win is 1 / (1 + exp(-l/1000)).
	return math.Tanh(value / 2000)
}

// judge returns the result that seat 0 can expect, and the best token, when a side is about
// to move by the roll n, or is about to roll if n is -1. The mean over all rolls is taken of
// results, not of log-odds: in a mean of log-odds a small chance to win at once would count
// too much.
func judge(thinking func() bool, position *board, side, n int) (result float64, best string) {
	x := expectimax{thinking: thinking, results: true}
	result = x.leaf(evaluate(position, side))
	for depth := 0; depth < maxDepth; depth++ {
		token, value := -1, 0.0
		if n < 0 {
			value = x.roll(position, side, depth+1)
		} else {
			token, value = x.move(position, side, n, depth)
		}
		if x.stopped {
			break
		}
		result = value
		if token >= 0 {
			best = strconv.Itoa(token)
		}
	}
	if side == 1 {
		result = -result
	}
	return result, best
}
