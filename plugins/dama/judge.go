//go:build go1.21

package main

import (
	"math"

	"colosseum/sdk"
)

// The value of a search becomes an expected result by tanh(value/scale): damathScale is in
// average chips.
const (
	classicScale = 200.0
	damathScale  = 7.0
)

// judgeClassic returns the result that White can expect, and the best move, by the search
// of the bot.
func judgeClassic(m *sdk.Match, thinking func() bool, r *Rules, p *Position, past *history) (result float64, move string) {
	s := newJudging(m, thinking, r)
	s.past = past
	return expected(s, p, past, classicScale, &r.Board.names, " ")
}

// judgeDamath is judgeClassic for damath.
func judgeDamath(thinking func() bool, d *damathMatch) (result float64, move string) {
	s := newJudging(d.m, thinking, &damath)
	side := d.board.pos.Turn
	s.values = append([]int{}, d.board.values...) // the search changes them
	s.damaLeft = d.damaLeft
	s.average = d.average
	s.lead = int(d.board.scored[side] - d.board.scored[1-side])
	unit := math.Max(float64(d.average), float64(tenthPoint)) // some chips have no positive values
	return expected(s, &d.board.pos, d.past, damathScale*unit, damathNames, "")
}

func newJudging(m *sdk.Match, thinking func() bool, r *Rules) *search {
	return &search{
		rules: r, depth: maxDepth, judging: true, thinking: thinking,
		rand: func(n int) int { return m.Rand(n) },
	}
}

func expected(s *search, p *Position, past *history, scale float64, names *squareNames, separator string) (result float64, move string) {
	best := s.deepen(p, past.seen, 1)
	result = math.Tanh(float64(best.value) / scale)
	if best.value > winning/2 {
		result = 1
	} else if best.value < -winning/2 {
		result = -1
	}
	if p.Turn == Black {
		result = -result
	}
	return result, pathText(&best.move, names, separator)
}
