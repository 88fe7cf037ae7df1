//go:build go1.21

package main

import "math/bits"

// Values are in hundredths of a pawn. The figures are guesses in the order of magnitude of
// what the literature gives, tried in matches between versions of the bot. Each has two
// values, for positions with many and with few pieces, between which phase interpolates.

type pair struct{ mid, late int32 }

func (p *pair) add(q pair, times int) {
	p.mid += q.mid * int32(times)
	p.late += q.late * int32(times)
}

// phaseOf is the weight of a kind in the phase, which is allPhase at the start.
var phaseOf = [6]int32{knight: 1, bishop: 1, rook: 2, queen: 4}

const allPhase = 24

// worth is the value of a kind for the order of captures, and for what a capture can gain.
var worth = [7]int{100, 330, 345, 520, 1000, 20000, 0}

// placed has the value of each piece by side, kind and square; negative for Black.
var placed = places()

func places() *[2][6][64]pair {
	table := &[2][6][64]pair{}
	for kind := 0; kind < 6; kind++ {
		for s := 0; s < 64; s++ {
			p := place(kind, s/8, s%8)
			table[white][kind][s] = p
			table[black][kind][s^56] = pair{-p.mid, -p.late}
		}
	}
	return table
}

var (
	pawnRow    = [8]pair{{0, 0}, {0, 0}, {0, 4}, {4, 10}, {12, 22}, {28, 45}, {55, 80}, {0, 0}}
	pawnCentre = [8]int32{0, 0, 3, 6, 5, 3, 2, 0}
	kingColumn = [8]int32{18, 30, 8, -12, 0, -10, 32, 20}
)

// place returns the value of a piece on a row, counted from its side, and a column.
func place(kind, row, column int) pair {
	inward := int32(min(column, 7-column))    // 0 to 3
	centre := inward + int32(min(row, 7-row)) // 0 to 6
	first := map[bool]int32{true: 1, false: 0}[row == 0]
	seventh := map[bool]int32{true: 1, false: 0}[row == 6]
	switch kind {
	case pawn:
		return pair{82 + pawnRow[row].mid + pawnCentre[row]*(inward-1), 100 + pawnRow[row].late}
	case knight:
		return pair{318 + 7*centre - 12*first, 285 + 6*centre}
	case bishop:
		return pair{333 + 3*centre - 12*first, 300 + 3*centre}
	case rook:
		return pair{468 + 4*inward + 18*seventh, 525 + 10*seventh}
	case queen:
		return pair{1000 + centre, 960 + 5*centre}
	}
	return pair{kingColumn[column] - 25*int32(min(row, 4)), 9*centre - 25}
}

var (
	mobility   = [6]pair{knight: {4, 4}, bishop: {5, 5}, rook: {2, 4}, queen: {1, 2}}
	usualMoves = [6]int{knight: 4, bishop: 6, rook: 7, queen: 14}
	threat     = [6]int{knight: 2, bishop: 2, rook: 3, queen: 5} // to the king, for each square next to it that is attacked

	bishops  = pair{28, 45} // both of them
	doubled  = pair{-8, -18}
	isolated = pair{-12, -10}
	open     = pair{24, 10}                                                                      // rook on a file without pawns
	halfOpen = pair{12, 6}                                                                       // or without own pawns
	shield   = pair{11, 0}                                                                       // pawn in front of the king
	free     = [8]pair{{0, 0}, {2, 8}, {4, 12}, {10, 26}, {25, 50}, {50, 90}, {85, 140}, {0, 0}} // passed pawn by row

	inFront  = [2][64]uint64{aheadOf(1), aheadOf(-1)} // squares of the own and the adjacent files ahead, by side
	adjacent = besideFiles()
)

const tempo = 10 // to be the side to move

func aheadOf(up int) (table [64]uint64) {
	for s := 0; s < 64; s++ {
		for row := s/8 + up; row >= 0 && row < 8; row += up {
			for column := max(0, s%8-1); column <= min(7, s%8+1); column++ {
				table[s] |= 1 << (8*row + column)
			}
		}
	}
	return table
}

func besideFiles() (table [64]uint64) {
	for s := 0; s < 64; s++ {
		for t := 0; t < 64; t++ {
			if d := s%8 - t%8; d == 1 || d == -1 {
				table[s] |= 1 << t
			}
		}
	}
	return table
}

// evaluate returns the value of a position for the side to move.
func (b *board) evaluate() int {
	sum := pair{b.mid, b.late}
	for side := 0; side < 2; side++ {
		p := b.features(side)
		sum.add(p, 1-2*side)
	}
	phase := min(b.phase, allPhase)
	value := int(sum.mid*phase+sum.late*(allPhase-phase)) / allPhase
	value = b.scale(value)
	if b.side == black {
		value = -value
	}
	return value + tempo
}

// features returns the value of what depends on several pieces of a side.
func (b *board) features(side int) pair {
	var sum pair
	ours, theirs := b.sides[side], b.sides[1-side]
	occupied := ours | theirs
	ourPawns, theirPawns := b.kinds[pawn]&ours, b.kinds[pawn]&theirs
	ourKing, theirKing := b.kingOf(side), b.kingOf(1-side)

	var guarded uint64 // by their pawns
	if side == white {
		guarded = (theirPawns&^fileA)>>9 | (theirPawns&^fileH)>>7
	} else {
		guarded = (theirPawns&^fileA)<<7 | (theirPawns&^fileH)<<9
	}
	zone := leaps[king][theirKing]
	danger, attackers := 0, 0
	for set := ours &^ b.kinds[pawn] &^ b.kinds[king]; set != 0; set &= set - 1 {
		s := uint8(bits.TrailingZeros64(set))
		kind := int(b.on[s])
		hits := reach(kind, s, occupied)
		sum.add(mobility[kind], bits.OnesCount64(hits&^ours&^guarded)-usualMoves[kind])
		if n := bits.OnesCount64(hits & zone); n > 0 {
			attackers++
			danger += threat[kind] * n
		}
		if kind == rook {
			switch {
			case fileOf[s]&b.kinds[pawn] == 0:
				sum.add(open, 1)
			case fileOf[s]&ourPawns == 0:
				sum.add(halfOpen, 1)
			}
		}
	}
	if attackers > 1 {
		danger = min(danger, 30)
		sum.mid += int32(danger * danger / 3)
	}
	if bits.OnesCount64(b.kinds[bishop]&ours) >= 2 {
		sum.add(bishops, 1)
	}
	sum.add(shield, bits.OnesCount64(ourPawns&inFront[side][ourKing]&(leaps[king][ourKing]|leaps[king][ahead(side, ourKing)&63])))

	for set := ourPawns; set != 0; set &= set - 1 {
		s := uint8(bits.TrailingZeros64(set))
		front := inFront[side][s]
		if fileOf[s]&front&ourPawns != 0 {
			sum.add(doubled, 1)
		}
		if adjacent[s]&ourPawns == 0 {
			sum.add(isolated, 1)
		}
		if front&theirPawns == 0 && fileOf[s]&front&ourPawns == 0 {
			row := int(s / 8)
			if side == black {
				row = 7 - row
			}
			sum.add(free[row], 1)
			if row > 2 {
				stop := ahead(side, s)
				sum.late += int32((5*distance(theirKing, stop) - 2*distance(ourKing, stop)) * (row - 2))
				if occupied>>stop&1 != 0 {
					sum.add(free[row], -1)
					sum.add(pair{free[row].mid / 2, free[row].late / 2}, 1)
				}
			}
		}
	}
	if theirs == b.kinds[king]&theirs { // drive the bare king to the edge
		column, row := int32(theirKing%8), int32(theirKing/8)
		sum.late += 12*(6-min(column, 7-column)-min(row, 7-row)) + 5*int32(7-distance(ourKing, theirKing))
	}
	return sum
}

const (
	fileA = 0x0101010101010101
	fileH = 0x8080808080808080
)

func distance(s, t uint8) int {
	rows, columns := int(s/8)-int(t/8), int(s%8)-int(t%8)
	return max(rows, -rows, columns, -columns)
}

// scale reduces the value of an advantage that can't be won: without pawns it takes a rook
// more than the other side has.
func (b *board) scale(value int) int {
	side := white
	if value < 0 {
		side = black
	}
	if b.kinds[pawn]&b.sides[side] != 0 {
		return value
	}
	lead := 0
	for kind := knight; kind <= queen; kind++ {
		lead += worth[kind] * (bits.OnesCount64(b.kinds[kind]&b.sides[side]) - bits.OnesCount64(b.kinds[kind]&b.sides[1-side]))
	}
	if lead < 400 {
		return value / 8
	}
	return value
}
