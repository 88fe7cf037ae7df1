//go:build go1.21

package main

import "math/bits"

// What a position is worth to the side to move when the search stops there.
// The figures are guesses that win; see the bot's tests for how often.

const manValue = 100

// kingValue is the worth of a king by how it moves: one that flies rules the
// board, one that no man can take is safe.
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

func (s *search) evaluate(p *Position, lead int) int {
	us, them := p.Turn, 1-p.Turn
	if s.values == nil {
		return s.material(p, us) - s.material(p, them) + s.chase(p)
	}
	// A chip more is worth what it may still take, a dama more so: little where
	// many sums are negative.
	unit := int(s.average)
	chips := bits.OnesCount64(p.Pieces[us]) - bits.OnesCount64(p.Pieces[them])
	damas := bits.OnesCount64(p.Pieces[us]&p.Kings) - bits.OnesCount64(p.Pieces[them]&p.Kings)
	return lead + s.chipsLeft(p) + unit*3/2*chips + unit*3*damas
}

// material counts the pieces of a side, men by how far they have come.
func (s *search) material(p *Position, side int) int {
	men := p.Pieces[side] &^ p.Kings
	value := manValue*bits.OnesCount64(men) + kingValue(s.rules)*bits.OnesCount64(p.Pieces[side]&p.Kings)
	// Men at home keep the other side from crowning.
	value += 6 * bits.OnesCount64(men&far[1-side])
	for ; men != 0; men &= men - 1 {
		row := rowOf(bits.TrailingZeros64(men))
		if side == Black {
			row = 7 - row
		}
		value += 3 * row
	}
	return value
}

// chase helps to finish: with few pieces left, the side that is ahead brings
// its kings near to the enemy.
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
	bonus := 8*(8-n[0]-n[1]) - 2*away // exchanges help as well
	if ahead == p.Turn {
		return bonus
	}
	return -bonus
}

// distance is the sum of the steps of a king from a square to each of a set.
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

// chipsLeft is by how much the chips on the board of the side to move are worth
// more than those of the other.
func (s *search) chipsLeft(p *Position) int {
	return int(valueLeft(p, s.values, p.Turn, s.damaLeft) - valueLeft(p, s.values, 1-p.Turn, s.damaLeft))
}
