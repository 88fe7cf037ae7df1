//go:build go1.21

package main

import (
	"math"

	"colosseum/sdk"
)

// analyst judges the positions of one match, and remembers what it has searched.
type analyst struct{ search }

func newAnalyst() *analyst { return &analyst{} }

// scale turns the value of a search into an expected result: tanh(value/scale).
const scale = 300.0

// judge returns the result that White can expect, by the search of the bot.
func (a *analyst) judge(j *sdk.Judge, g *match) float64 {
	a.thinking = func() bool { return j.Thinking() }
	b := &g.board
	best := a.best(b, nil, b.legal(nil), maxDepth)
	j.Best(best.move.uci())
	value := best.value
	if b.side == black {
		value = -value
	}
	switch {
	case value > certain:
		return 1
	case value < -certain:
		return -1
	}
	return math.Tanh(float64(value) / scale)
}
