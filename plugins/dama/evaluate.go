//go:build go1.21

package main

import "math/bits"

// The weights below are guesses, checked by the bot's tests against random players.

const manValue = 100

// kingValue returns the value of a king. It is higher if kings fly, or if men cannot
// take them.
func kingValue(r *Rules) int {
	switch {
	case r.Flying:
		return 300
	case !r.MenTakeKings:
		return 200
	default:
		return 150
	}
}

// evaluate returns the estimated value of p for the side to move.
func (s *search) evaluate(p *Position, lead int) int {
	us, them := p.Turn, 1-p.Turn
	if s.values == nil {
		return s.material(p, us) - s.material(p, them) + s.chase(p)
	}
	// An additional chip is worth the points that it can still take, which are few if
	// many values are negative. A dama is worth more.
	unit := int(s.average)
	chips := bits.OnesCount64(p.Pieces[us]) - bits.OnesCount64(p.Pieces[them])
	damas := bits.OnesCount64(p.Pieces[us]&p.Kings) - bits.OnesCount64(p.Pieces[them]&p.Kings)
	return lead + s.chipsLeft(p) + unit*3/2*chips + unit*3*damas
}

// material returns the value of a side's pieces. A man is worth more the further it
// has advanced.
func (s *search) material(p *Position, side int) int {
	men := p.Pieces[side] &^ p.Kings
	value := manValue*bits.OnesCount64(men) + kingValue(s.rules)*bits.OnesCount64(p.Pieces[side]&p.Kings)
	// Men on the first row keep the other side from crowning.
	value += 6 * bits.OnesCount64(men&s.rules.Board.far[1-side])
	for ; men != 0; men &= men - 1 {
		row := rowOf(bits.TrailingZeros64(men))
		if side == Black {
			row = s.rules.Board.size - 1 - row
		}
		value += 3 * row
	}
	return value
}

// chase returns a bonus for the side that is ahead, with few pieces left, if its
// kings are close to the other side's pieces. Without it the bot would not finish a
// won match.
func (s *search) chase(p *Position) int {
	n := [2]int{bits.OnesCount64(p.Pieces[White]), bits.OnesCount64(p.Pieces[Black])}
	if n[0] == n[1] || n[0]+n[1] > 8 {
		return 0
	}
	ahead := White
	if n[1] > n[0] {
		ahead = Black
	}
	away := 0
	for kings := p.Pieces[ahead] & p.Kings; kings != 0; kings &= kings - 1 {
		away += distance(bits.TrailingZeros64(kings), p.Pieces[1-ahead])
	}
	bonus := 8*(8-n[0]-n[1]) - 2*away // exchanges help too
	if ahead == p.Turn {
		return bonus
	}
	return -bonus
}

// distance returns the sum of a king's steps from a square to each square of a set.
func distance(square int, set uint64) int {
	sum := 0
	for ; set != 0; set &= set - 1 {
		other := bits.TrailingZeros64(set)
		rows, cols := rowOf(square)-rowOf(other), colOf(square)-colOf(other)
		if rows < 0 {
			rows = -rows
		}
		if cols < 0 {
			cols = -cols
		}
		if cols > rows {
			rows = cols
		}
		sum += rows
	}
	return sum
}

// chipsLeft returns the value of the chips of the side to move, minus that of the
// other side's chips.
func (s *search) chipsLeft(p *Position) int {
	return int(valueLeft(p, s.values, p.Turn, s.damaLeft) - valueLeft(p, s.values, 1-p.Turn, s.damaLeft))
}
