//go:build go1.21

package main

import (
	"math/bits"
	"strings"
)

// The referee and the bot share this board. Tests compare it with a library's.

// The kinds of pieces.
const (
	pawn = iota
	knight
	bishop
	rook
	queen
	king
	none
)

const letters = "pnbrqk"

// A square is a number from 0 to 63: 8 times its row counted from row 1, plus its column
// counted from a. A set of squares is a uint64 with bit s for square s.

// board is a position.
type board struct {
	kinds     [6]uint64 // squares by kind of piece
	sides     [2]uint64 // squares by side
	on        [64]uint8 // kind on each square, or none
	key       uint64    // differs for different positions
	mid, late int32     // material and places, White's minus Black's, with many and with few pieces
	phase     int32     // weight of the pieces; see phaseOf
	castling  uint8     // rights: 1 and 2 White's king's and queen's side, 4 and 8 Black's
	passed    uint8     // square for a capture en passant that a pawn could make, or 64
	quiet     uint8     // plies since the last capture or pawn's move
	side      uint8     // to move
}

// move has the squares and the kind to which a pawn is promoted, else none.
type move struct{ from, to, into uint8 }

const noSquare = 64

var (
	keys      = drawKeys()
	leaps     = [6][64]uint64{knight: steps([8][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}), king: steps([8][2]int{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}})}
	strikes   = [2][64]uint64{pawnStrikes(1), pawnStrikes(-1)} // of pawns, by side
	fileOf    = linesOf(func(s, t int) bool { return s%8 == t%8 })
	diagonal  = linesOf(func(s, t int) bool { return s/8-s%8 == t/8-t%8 })
	other     = linesOf(func(s, t int) bool { return s/8+s%8 == t/8+t%8 })
	alongRow  = rowAttacks()
	spent     = castlingSpent()
	farRows   = uint64(0xff000000000000ff)
	startRows = [2]uint64{0xff00, 0xff000000000000} // of the pawns
)

// keyTable has random numbers, from which the key of a position is made.
type keyTable struct {
	piece    [2][6][64]uint64
	castling [16]uint64
	passed   [65]uint64
	side     uint64
}

func drawKeys() *keyTable {
	k := &keyTable{}
	state := uint64(1)
	next := func() uint64 { // splitmix64
		state += 0x9e3779b97f4a7c15
		z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	for side := range k.piece {
		for kind := range k.piece[side] {
			for s := range k.piece[side][kind] {
				k.piece[side][kind][s] = next()
			}
		}
	}
	for i := range k.castling {
		k.castling[i] = next()
	}
	for s := 0; s < noSquare; s++ {
		k.passed[s] = next()
	}
	k.side = next()
	return k
}

func steps(ways [8][2]int) (table [64]uint64) {
	for s := 0; s < 64; s++ {
		for _, way := range ways {
			if row, column := s/8+way[0], s%8+way[1]; row >= 0 && row < 8 && column >= 0 && column < 8 {
				table[s] |= 1 << (8*row + column)
			}
		}
	}
	return table
}

func pawnStrikes(up int) (table [64]uint64) {
	return steps([8][2]int{{up, -1}, {up, 1}, {9, 0}, {9, 0}, {9, 0}, {9, 0}, {9, 0}, {9, 0}})
}

func linesOf(same func(s, t int) bool) (table [64]uint64) {
	for s := 0; s < 64; s++ {
		for t := 0; t < 64; t++ {
			if s != t && same(s, t) {
				table[s] |= 1 << t
			}
		}
	}
	return table
}

// rowAttacks has, by column and the occupied columns from b to g, the columns that a rook
// reaches in its row.
func rowAttacks() (table [8][64]uint8) {
	for column := 0; column < 8; column++ {
		for occupied := 0; occupied < 64; occupied++ {
			for _, way := range []int{-1, 1} {
				for c := column + way; c >= 0 && c < 8; c += way {
					table[column][occupied] |= 1 << c
					if occupied<<1>>c&1 != 0 {
						break
					}
				}
			}
		}
	}
	return table
}

// castlingSpent has the rights that remain after a move from or to each square.
func castlingSpent() (table [64]uint8) {
	for s := range table {
		table[s] = 15
	}
	table[4], table[7], table[0] = 12, 14, 13
	table[60], table[63], table[56] = 3, 11, 7
	return table
}

// slide returns the squares that a piece on a square reaches on a file or diagonal, by
// o^(o-2r) in both directions ("hyperbola quintessence").
func slide(s uint8, occupied, line uint64) uint64 {
	occupied &= line
	up := occupied - uint64(2)<<s
	down := bits.ReverseBytes64(bits.ReverseBytes64(occupied) - uint64(2)<<(s^56))
	return (up ^ down) & line
}

func rookReach(s uint8, occupied uint64) uint64 {
	row := s &^ 7
	return slide(s, occupied, fileOf[s]) | uint64(alongRow[s&7][occupied>>(row+1)&63])<<row
}

func bishopReach(s uint8, occupied uint64) uint64 {
	return slide(s, occupied, diagonal[s]) | slide(s, occupied, other[s])
}

// reach returns the squares that a piece other than a pawn attacks.
func reach(kind int, s uint8, occupied uint64) uint64 {
	switch kind {
	case bishop:
		return bishopReach(s, occupied)
	case rook:
		return rookReach(s, occupied)
	case queen:
		return bishopReach(s, occupied) | rookReach(s, occupied)
	}
	return leaps[kind][s]
}

// readBoard returns the position of a valid FEN.
func readBoard(fen string) *board {
	b := &board{passed: noSquare}
	for s := range b.on {
		b.on[s] = none
	}
	fields := strings.Fields(fen)
	row, column := 7, 0
	for _, c := range fields[0] {
		switch {
		case c == '/':
			row, column = row-1, 0
		case c >= '1' && c <= '8':
			column += int(c - '0')
		default:
			side := white
			if c >= 'a' {
				side = black
			}
			b.put(side, strings.IndexRune(letters, c|32), uint8(8*row+column))
			column++
		}
	}
	for i, right := range "KQkq" {
		if strings.ContainsRune(fields[2], right) {
			b.castling |= 1 << i
		}
	}
	b.key ^= keys.castling[b.castling]
	if fields[1] == "b" {
		b.side = black
		b.key ^= keys.side
	}
	if f := fields[3]; f != "-" {
		b.pass(f[0] - 'a' + 8*(f[1]-'1'))
	}
	for _, c := range fields[4] {
		b.quiet = 10*b.quiet + uint8(c-'0')
	}
	return b
}

func (b *board) put(side, kind int, s uint8) {
	b.kinds[kind] |= 1 << s
	b.sides[side] |= 1 << s
	b.on[s] = uint8(kind)
	b.key ^= keys.piece[side][kind][s]
	p := &placed[side][kind][s]
	b.mid += p.mid
	b.late += p.late
	b.phase += phaseOf[kind]
}

func (b *board) take(side, kind int, s uint8) {
	b.kinds[kind] &^= 1 << s
	b.sides[side] &^= 1 << s
	b.on[s] = none
	b.key ^= keys.piece[side][kind][s]
	p := &placed[side][kind][s]
	b.mid -= p.mid
	b.late -= p.late
	b.phase -= phaseOf[kind]
}

// pass notes the square that a pawn has passed, if a pawn of the side to move attacks it.
func (b *board) pass(s uint8) {
	if strikes[1-b.side][s]&b.kinds[pawn]&b.sides[b.side] != 0 {
		b.passed = s
		b.key ^= keys.passed[s]
	}
}

// play makes a move of a piece of the side to move. The king can then be attacked.
func (b *board) play(m move) {
	side := int(b.side)
	kind := int(b.on[m.from])
	b.quiet++
	if b.passed != noSquare {
		b.key ^= keys.passed[b.passed]
	}
	last := b.passed
	b.passed = noSquare
	if victim := int(b.on[m.to]); victim != none {
		b.take(1-side, victim, m.to)
		b.quiet = 0
	}
	b.take(side, kind, m.from)
	b.side = uint8(1 - side)
	b.key ^= keys.side
	switch {
	case m.into != none:
		b.put(side, int(m.into), m.to)
		b.quiet = 0
	case kind == pawn:
		b.put(side, pawn, m.to)
		b.quiet = 0
		switch {
		case m.to == last:
			b.take(1-side, pawn, m.to^8)
		case m.from^m.to == 16:
			b.pass((m.from + m.to) / 2)
		}
	default:
		b.put(side, kind, m.to)
		if kind == king {
			switch {
			case m.to == m.from+2:
				b.take(side, rook, m.to+1)
				b.put(side, rook, m.to-1)
			case m.from == m.to+2:
				b.take(side, rook, m.to-2)
				b.put(side, rook, m.to+1)
			}
		}
	}
	if now := b.castling & spent[m.from] & spent[m.to]; now != b.castling {
		b.key ^= keys.castling[b.castling] ^ keys.castling[now]
		b.castling = now
	}
}

// skip lets the other side move.
func (b *board) skip() {
	if b.passed != noSquare {
		b.key ^= keys.passed[b.passed]
		b.passed = noSquare
	}
	b.quiet++
	b.side = 1 - b.side
	b.key ^= keys.side
}

// attackers returns the pieces of both sides that attack a square.
func (b *board) attackers(s uint8, occupied uint64) uint64 {
	return strikes[black][s]&b.kinds[pawn]&b.sides[white] | strikes[white][s]&b.kinds[pawn]&b.sides[black] |
		leaps[knight][s]&b.kinds[knight] | leaps[king][s]&b.kinds[king] |
		rookReach(s, occupied)&(b.kinds[rook]|b.kinds[queen]) | bishopReach(s, occupied)&(b.kinds[bishop]|b.kinds[queen])
}

func (b *board) attacked(s uint8, by int) bool {
	theirs := b.sides[by]
	if strikes[1-by][s]&b.kinds[pawn]&theirs != 0 || leaps[knight][s]&b.kinds[knight]&theirs != 0 || leaps[king][s]&b.kinds[king]&theirs != 0 {
		return true
	}
	occupied := b.sides[0] | b.sides[1]
	return rookReach(s, occupied)&(b.kinds[rook]|b.kinds[queen])&theirs != 0 || bishopReach(s, occupied)&(b.kinds[bishop]|b.kinds[queen])&theirs != 0
}

// kingOf returns the square of a side's king.
func (b *board) kingOf(side int) uint8 {
	return uint8(bits.TrailingZeros64(b.kinds[king] & b.sides[side]))
}

// check reports whether the side to move is in check.
func (b *board) check() bool { return b.attacked(b.kingOf(int(b.side)), 1-int(b.side)) }

// exposed reports whether the side that has just moved left its king attacked.
func (b *board) exposed() bool { return b.attacked(b.kingOf(1-int(b.side)), int(b.side)) }

// captures appends the captures and promotions, and moves the other moves. Some of both leave
// the king attacked.
func (b *board) captures(list []move) []move {
	side := int(b.side)
	theirs := b.sides[1-side] &^ b.kinds[king]
	pawns := b.kinds[pawn] & b.sides[side]
	targets := theirs
	if b.passed != noSquare {
		targets |= 1 << b.passed
	}
	for set := pawns; set != 0; set &= set - 1 {
		from := uint8(bits.TrailingZeros64(set))
		for hits := strikes[side][from] & targets; hits != 0; hits &= hits - 1 {
			list = advance(list, from, uint8(bits.TrailingZeros64(hits)))
		}
	}
	for set := pawns & startRows[1-side]; set != 0; set &= set - 1 {
		from := uint8(bits.TrailingZeros64(set))
		if to := ahead(side, from); b.on[to] == none {
			list = advance(list, from, to)
		}
	}
	return b.pieces(list, theirs)
}

func (b *board) moves(list []move) []move {
	side := int(b.side)
	for set := b.kinds[pawn] & b.sides[side] &^ startRows[1-side]; set != 0; set &= set - 1 {
		from := uint8(bits.TrailingZeros64(set))
		to := ahead(side, from)
		if b.on[to] != none {
			continue
		}
		list = append(list, move{from, to, none})
		if startRows[side]>>from&1 != 0 {
			if far := ahead(side, to); b.on[far] == none {
				list = append(list, move{from, far, none})
			}
		}
	}
	occupied := b.sides[0] | b.sides[1]
	home := uint8(56 * side)
	rights := b.castling >> (2 * side)
	if rights&1 != 0 && occupied>>home&0x60 == 0 && !b.attacked(home+4, 1-side) && !b.attacked(home+5, 1-side) {
		list = append(list, move{home + 4, home + 6, none})
	}
	if rights&2 != 0 && occupied>>home&0x0e == 0 && !b.attacked(home+4, 1-side) && !b.attacked(home+3, 1-side) {
		list = append(list, move{home + 4, home + 2, none})
	}
	return b.pieces(list, ^occupied)
}

// pieces appends the moves of all pieces except pawns to a set of squares.
func (b *board) pieces(list []move, targets uint64) []move {
	occupied := b.sides[0] | b.sides[1]
	for set := b.sides[b.side] &^ b.kinds[pawn]; set != 0; set &= set - 1 {
		from := uint8(bits.TrailingZeros64(set))
		for to := reach(int(b.on[from]), from, occupied) & targets; to != 0; to &= to - 1 {
			list = append(list, move{from, uint8(bits.TrailingZeros64(to)), none})
		}
	}
	return list
}

func ahead(side int, s uint8) uint8 {
	if side == white {
		return s + 8
	}
	return s - 8
}

// advance appends a pawn's move, or its promotions.
func advance(list []move, from, to uint8) []move {
	if farRows>>to&1 == 0 {
		return append(list, move{from, to, none})
	}
	return append(list, move{from, to, queen}, move{from, to, knight}, move{from, to, rook}, move{from, to, bishop})
}

// legal appends the legal moves.
func (b *board) legal(list []move) []move {
	before := len(list)
	all := b.moves(b.captures(list))
	list = all[:before]
	var next board
	for _, m := range all[before:] {
		next = *b
		if next.play(m); !next.exposed() {
			list = append(list, m)
		}
	}
	return list
}
