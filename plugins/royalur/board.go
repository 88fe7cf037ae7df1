//go:build go1.21

package main

// tokens is how many tokens each side has.
const tokens = 7

// A token is at start, on one of the cells 1 to 14 of its side's track, or at home.
// Both sides share the cells 5 to 12.
const (
	start       = 0
	firstShared = 5
	lastShared  = 12
	home        = 15
)

// Sets of places: bit n is place n.
const (
	middleCell uint16 = 1 << middle
	beyondHome uint32 = 0xffff0000
	everywhere uint32 = 0xffffffff
)

// The rosettes give another turn. On the middle one, which both sides share, a token
// cannot be captured.
const (
	nearRosette = 4
	middle      = 8
	farRosette  = 14
)

// board is a position without the roll. The zero board is the start of a game.
type board struct {
	at       [2][tokens]uint8 // place of each token, by side and number
	occupied [2]uint16        // cells with tokens, by side: bit c is cell c
	home     [2]uint8         // tokens that have left the track, by side
}

// bit returns the set of one cell. The 1 has a type because in a script a plain 1
// would be an int.
func bit(cell int) uint16 { return uint16(1) << uint(cell) }

// stuck returns the places from which a side cannot move a token by the roll n, from 0 to 4.
func (b *board) stuck(side, n int) uint32 {
	if n == 0 {
		return everywhere
	}
	taken := b.occupied[side] | b.occupied[1-side]&middleCell
	return (uint32(taken) | beyondHome) >> uint(n)
}

// legal returns the tokens that a side can move by the roll n, in ascending order.
func (b *board) legal(side, n int) []int {
	var list []int
	stuck := b.stuck(side, n)
	for token, at := range b.at[side] {
		if stuck>>at&1 == 0 {
			list = append(list, token)
		}
	}
	return list
}

// move moves a token, which must be a legal one, and puts a captured token back on
// its start. It reports whether the side plays again.
func (b *board) move(side, token, n int) bool {
	from := int(b.at[side][token])
	to := from + n
	b.at[side][token] = uint8(to)
	if from != start {
		b.occupied[side] &^= bit(from)
	}
	if to == home {
		b.home[side]++
		return false
	}
	b.occupied[side] |= bit(to)
	if to >= firstShared && to <= lastShared && b.occupied[1-side]&bit(to) != 0 {
		b.occupied[1-side] &^= bit(to)
		for other := 0; other < tokens; other++ {
			if int(b.at[1-side][other]) == to {
				b.at[1-side][other] = start
			}
		}
	}
	return to == nearRosette || to == middle || to == farRosette
}

// won reports whether all tokens of a side are at home.
func (b *board) won(side int) bool { return b.home[side] == tokens }
