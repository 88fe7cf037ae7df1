//go:build go1.21

package main

import "math"

// analyst judges the positions of one match, and remembers what it has searched.
type analyst struct{ search }

func newAnalyst() *analyst { return &analyst{} }

// scale turns the value of a search into an expected result: tanh(value/scale).
const scale = 300.0

// judge returns the result that White can expect, and the best move, by the search of the
// bot.
func (a *analyst) judge(thinking func() bool, g *match) (expected float64, move string) {
	a.thinking = thinking
	b := &g.board
	best := a.best(b, nil, b.legal(nil), maxDepth)
	value := best.value
	if b.side == black {
		value = -value
	}
	switch {
	case value > certain:
		return 1, best.move.uci()
	case value < -certain:
		return -1, best.move.uci()
	}
	return math.Tanh(float64(value) / scale), best.move.uci()
}
