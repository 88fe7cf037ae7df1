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

// judgeClassic returns the result that White can expect, by the search of the bot.
func judgeClassic(j *sdk.Judge, r *Rules, p *Position, past *history) float64 {
	s := newJudging(j, r)
	s.past = past
	return expected(j, s, p, past, classicScale, &r.Board.names, " ")
}

// judgeDamath is judgeClassic for damath.
func judgeDamath(j *sdk.Judge, d *damathMatch) float64 {
	s := newJudging(j, &damath)
	side := d.board.pos.Turn
	s.values = append([]int{}, d.board.values...) // the search changes them
	s.damaLeft = d.damaLeft
	s.average = d.average
	s.lead = int(d.board.scored[side] - d.board.scored[1-side])
	unit := math.Max(float64(d.average), float64(tenthPoint)) // some chips have no positive values
	return expected(j, s, &d.board.pos, d.past, damathScale*unit, damathNames, "")
}

func newJudging(j *sdk.Judge, r *Rules) *search {
	return &search{
		rules: r, depth: maxDepth, judging: true,
		thinking: func() bool { return j.Thinking() },
		rand:     func(n int) int { return j.Rand(n) },
	}
}

func expected(j *sdk.Judge, s *search, p *Position, past *history, scale float64, names *squareNames, separator string) float64 {
	best := s.deepen(p, past.seen, 1)
	j.Best(pathText(&best.move, names, separator))
	result := math.Tanh(float64(best.value) / scale)
	if best.value > winning/2 {
		result = 1
	} else if best.value < -winning/2 {
		result = -1
	}
	if p.Turn == Black {
		return -result
	}
	return result
}
