//go:build go1.21

package main

import "math/bits"

// maxPath is the length of the longest path: the start and a jump over each of twenty
// pieces.
const maxPath = 21

// Move is a step or a capture. Two moves with the same Path are the same move.
type Move struct {
	Taken uint64 // pieces captured; none: a step
	// Path has the square where the piece starts and each square where it lands.
	Path    [maxPath]uint8
	Len     uint8 // squares in Path, at least 2
	Crowned bool  // a man becomes a king
}

// From returns the square where the move starts.
func (m *Move) From() int { return int(m.Path[0]) }

// To returns the square where the move ends.
func (m *Move) To() int { return int(m.Path[m.Len-1]) }

// directions are the offsets of a square's neighbours: up to the left, up to the
// right, down to the left, down to the right.
var directions = [4]int{upLeft, upRight, downLeft, downRight}

// ahead has, by side, the directions in which its men step.
var ahead = [2][2]int{{upLeft, upRight}, {downLeft, downRight}}

// Moves appends all legal moves to list.
func (p *Position) Moves(r *Rules, list []Move) []Move {
	n := len(list)
	list = p.Captures(r, list)
	if len(list) > n && r.Due {
		return list
	}
	return p.Steps(r, list)
}

// Steps appends the moves that capture nothing, whether a capture is due or not.
func (p *Position) Steps(r *Rules, list []Move) []Move {
	side := p.Turn
	own := p.Pieces[side]
	empty := r.Board.squares &^ (own | p.Pieces[1-side])
	kings := own & p.Kings
	men, far := own^kings, r.Board.far[side]
	step := Move{Len: 2}
	for _, d := range ahead[side] {
		to := men << uint(d)
		if d < 0 {
			to = men >> uint(-d)
		}
		for to &= empty; to != 0; to &= to - 1 {
			square := bits.TrailingZeros64(to)
			step.Path[0] = uint8(square - d)
			step.Path[1] = uint8(square)
			step.Crowned = far>>uint(square)&1 != 0
			list = append(list, step)
		}
	}
	if kings == 0 {
		return list
	}
	return kingSteps(r, kings, empty, list)
}

// kingSteps appends the steps of kings to empty squares.
func kingSteps(r *Rules, kings, empty uint64, list []Move) []Move {
	step := Move{Len: 2}
	for ; kings != 0; kings &= kings - 1 {
		from := bits.TrailingZeros64(kings)
		step.Path[0] = uint8(from)
		for _, d := range directions {
			for to := from + d; empty>>uint(to)&1 != 0; to += d {
				step.Path[1] = uint8(to)
				list = append(list, step)
				if !r.Flying {
					break
				}
			}
		}
	}
	return list
}

// Captures appends the legal captures to list. Captures of the same pieces in another
// order, or with other landings on the way, are different moves.
func (p *Position) Captures(r *Rules, list []Move) []Move {
	side := p.Turn
	own := p.Pieces[side]
	enemy := p.Pieces[1-side]
	empty := r.Board.squares &^ (own | enemy)
	kings := own & p.Kings
	prey := enemy // of men
	if !r.MenTakeKings {
		prey = enemy &^ p.Kings
	}
	jumpers := uint64(0)
	if side == White || r.MenTakeBack {
		jumpers = jumpersUp(prey, empty)
	}
	if side == Black || r.MenTakeBack {
		jumpers |= jumpersDown(prey, empty)
	}
	men := (own ^ kings) & jumpers
	if kings != 0 && !r.Flying {
		kings &= jumpersUp(enemy, empty) | jumpersDown(enemy, empty)
	}
	if men|kings == 0 {
		return list
	}
	return p.capturesBy(r, men, kings, prey, empty, list)
}

// jumpersUp returns the squares from which a piece can jump up over adjacent prey.
func jumpersUp(prey, empty uint64) uint64 {
	return prey>>upLeft&(empty>>(2*upLeft)) | prey>>upRight&(empty>>(2*upRight))
}

// jumpersDown is jumpersUp for jumps down.
func jumpersDown(prey, empty uint64) uint64 {
	return prey<<upLeft&(empty<<(2*upLeft)) | prey<<upRight&(empty<<(2*upRight))
}

// capturesBy is Captures by some men, of their prey, and some kings.
func (p *Position) capturesBy(r *Rules, men, kings, prey, empty uint64, list []Move) []Move {
	enemy := p.Pieces[1-p.Turn]
	g := generator{rules: r, far: r.Board.far[p.Turn], hi: 4, enemyKings: enemy & p.Kings, list: list, first: len(list)}
	if !r.MenTakeBack {
		g.lo = 2 * p.Turn
		g.hi = g.lo + 2
	}
	for ; men != 0; men &= men - 1 {
		g.start(bits.TrailingZeros64(men), false, prey, empty)
	}
	for ; kings != 0; kings &= kings - 1 {
		g.start(bits.TrailingZeros64(kings), true, enemy, empty)
	}
	return g.list
}

// generator lists the captures of one piece after another.
type generator struct {
	rules      *Rules
	far        uint64 // where the side's men are crowned
	lo, hi     int    // its men's directions of capture: from lo to hi, which is excluded
	enemyKings uint64

	king  bool   // the piece was a king before the move
	prey  uint64 // pieces that it can still take: each is jumped once
	empty uint64 // squares where it can land: taken pieces stay on the board until the end

	move  Move // the capture so far
	list  []Move
	first int // index of the first capture in list
	best  int // worth of the captures in list
}

func (g *generator) start(square int, king bool, prey, empty uint64) {
	g.king = king
	g.prey = prey
	g.empty = empty
	if g.rules.CanReturn {
		g.empty |= bit(square)
	}
	g.move.Path[0] = uint8(square)
	g.move.Len = 1
	g.move.Taken = 0
	g.jump(square, king)
}

// jump adds the captures that continue from a square and reports whether there is
// any. king is true if the piece is a king at that point.
func (g *generator) jump(from int, king bool) bool {
	found := false
	lo, hi := g.lo, g.hi
	if king {
		lo, hi = 0, 4
	}
	for i := lo; i < hi; i++ {
		d := directions[i]
		over := from + d
		if king && g.rules.Flying {
			for g.empty>>uint(over)&1 != 0 {
				over += d
			}
		}
		if g.prey>>uint(over)&1 != 0 && g.empty>>uint(over+d)&1 != 0 {
			g.take(over, d, king)
			found = true
		}
	}
	return found
}

// take adds the captures that continue with a jump over a square in a direction.
func (g *generator) take(over, d int, king bool) {
	flying := king && g.rules.Flying
	taken := bit(over)
	n := g.move.Len
	g.prey ^= taken
	g.move.Taken ^= taken
	g.move.Len = n + 1
	// Landings from which the capture can continue come first.
	further := false
	for to := over + d; g.empty>>uint(to)&1 != 0; to += d {
		g.move.Path[n] = uint8(to)
		crowned := g.rules.CrownInPassing && g.far>>uint(to)&1 != 0
		further = g.jump(to, king || crowned) || further
		if !flying {
			break
		}
	}
	if !further || !g.rules.Due {
		g.move.Len = n + 1
		for to := over + d; g.empty>>uint(to)&1 != 0; to += d {
			g.move.Path[n] = uint8(to)
			g.move.Crowned = !g.king && (king || g.far>>uint(to)&1 != 0)
			g.add()
			if !flying {
				break
			}
		}
	}
	g.move.Len = n
	g.prey ^= taken
	g.move.Taken ^= taken
}

// add adds the capture to the list, unless the rules prefer one that is already there.
func (g *generator) add() {
	if len(g.rules.Prefer) > 0 {
		worth := g.worth()
		if worth < g.best {
			return
		}
		if worth > g.best {
			g.best = worth
			g.list = g.list[:g.first]
		}
	}
	g.list = append(g.list, g.move)
}

// worth returns a number that orders captures by the criteria of the rules.
func (g *generator) worth() int {
	worth := 0
	for _, c := range g.rules.Prefer {
		w := 0
		switch c {
		case MostPieces:
			w = bits.OnesCount64(g.move.Taken)
		case WithKing:
			if g.king {
				w = 1
			}
		case MostKings:
			w = bits.OnesCount64(g.move.Taken & g.enemyKings)
		case KingSoonest:
			w = maxPath - g.firstKing()
		}
		worth = worth<<5 | w // each is less than 32
	}
	return worth
}

// firstKing returns the number of the jump that takes the first king, from 1, or
// maxPath if none does. It is for rules without flying kings.
func (g *generator) firstKing() int {
	for i := 1; i < int(g.move.Len); i++ {
		over := (int(g.move.Path[i-1]) + int(g.move.Path[i])) / 2
		if g.enemyKings>>uint(over)&1 != 0 {
			return i
		}
	}
	return maxPath
}

// Play makes a move, which must be legal.
func (p *Position) Play(m *Move) {
	us := p.Turn
	from, to := uint64(1)<<m.Path[0], uint64(1)<<m.Path[m.Len-1]
	p.Pieces[us] = p.Pieces[us]&^from | to
	if p.Kings&from != 0 {
		p.Kings = p.Kings&^from | to
	}
	if m.Crowned {
		p.Kings |= to
	}
	p.Turn = 1 - us
	if m.Taken != 0 {
		p.Pieces[p.Turn] &^= m.Taken
		p.Kings &^= m.Taken
	}
}
