//go:build go1.21

package main

// transpositions is a table of positions that a search has seen. Each position has one
// place, which it shares with others.
type transpositions []transposition

// transpositionBits is the binary logarithm of the table's size: half a MiB, because a
// host can play hundreds of matches at once.
const transpositionBits = 15

// transposition is what is known of a position. Its value is exact, or at least or at
// most the true one.
type transposition struct {
	key      uint64
	value    int32
	depth    int8
	bound    uint8
	from, to uint8 // of the best move; 0: none
}

const (
	exactly = 1
	atLeast = 2
	atMost  = 3
)

// keyOf returns a number that is different for almost all positions. (The constants are
// those of MurmurHash3's 64-bit finalizer.)
func keyOf(p *Position) uint64 {
	h := p.Pieces[White]*0xff51afd7ed558ccd ^ p.Kings
	h = (h ^ h>>32) * 0xc4ceb9fe1a85ec53
	h = (h ^ h>>29 ^ p.Pieces[Black]) * 0xff51afd7ed558ccd
	h ^= h>>32 ^ uint64(p.Turn)
	return h * 0xc4ceb9fe1a85ec53
}

// place returns the place of a position.
func (t transpositions) place(key uint64) *transposition { return &t[key>>(64-transpositionBits)] }

// A win in n plies is worth winning-n in a search, where n counts from its root. In the
// table it is worth tableWin-n, where n counts from the position.
const tableWin = 1 << 30

func toTable(value, ply int) int32 {
	switch {
	case value > winning/2:
		return int32(tableWin - (winning - value - ply))
	case value < -winning/2:
		return int32(-tableWin + (winning + value - ply))
	default:
		return int32(value)
	}
}

func fromTable(value int32, ply int) int {
	switch v := int(value); {
	case v > tableWin/2:
		return winning - (tableWin - v) - ply
	case v < -tableWin/2:
		return -winning + (tableWin + v) + ply
	default:
		return v
	}
}
