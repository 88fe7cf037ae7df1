//go:build go1.21

package main

import "math/bits"

// DrawLimit makes a match a draw after a number of moves of each side during which an
// ending lasts.
type DrawLimit struct {
	Moves  int
	Ending Ending
}

// Ending is a class of positions with few pieces.
type Ending int

// The endings.
const (
	ThreeAgainstKing Ending = iota // one to three pieces, a king among them, against one king
	TwoAgainstKing                 // one or two pieces, a king among them, against one king
	MainRoad                       // three pieces, a king among them, against one king on the long diagonal
	KingsAgainstKing               // three or more kings against one king
	TwoAgainstTwo                  // at most two pieces of each side, a king among them, and at most one man
	FourOrFive                     // four or five pieces, a king of each side among them, without a change
	SixOrSeven                     // the same with six or seven pieces
)

// The limits of the federations, in addition to Rules.QuietMoves.
var (
	// FMJD, "Official rules for international draughts" (Annex 1, article 6).
	internationalLimits = []DrawLimit{{16, ThreeAgainstKing}, {5, TwoAgainstKing}}
	// FMJD, rules of draughts-64, articles 7.2.4 to 7.2.8.
	russianLimits = []DrawLimit{{15, KingsAgainstKing}, {5, MainRoad}, {5, TwoAgainstKing}, {30, FourOrFive}, {60, SixOrSeven}}
	// Confederação Brasileira de Jogo de Damas, "Regras oficiais", rule 18.
	brazilianLimits = []DrawLimit{{5, TwoAgainstTwo}}
)

// endingTexts has the names of the endings, for the players and for the record.
var endingTexts = [...][2]string{
	ThreeAgainstKing: {"al massimo tre pezzi contro una dama", "at most three pieces against a king"},
	TwoAgainstKing:   {"al massimo due pezzi contro una dama", "at most two pieces against a king"},
	MainRoad:         {"tre pezzi contro una dama sulla diagonale maggiore", "three pieces against a king on the long diagonal"},
	KingsAgainstKing: {"tre o più dame contro una", "three or more kings against one"},
	TwoAgainstTwo:    {"al massimo due pezzi per parte", "at most two pieces on each side"},
	FourOrFive:       {"quattro o cinque pezzi", "four or five pieces"},
	SixOrSeven:       {"sei o sette pezzi", "six or seven pieces"},
}

// holds reports whether a position in which both sides have a king belongs to the ending.
func (e Ending) holds(p *Position) bool {
	few, many, alone := bits.OnesCount64(p.Pieces[White]), bits.OnesCount64(p.Pieces[Black]), p.Pieces[White]
	if few > many {
		few, many = many, few
		alone = p.Pieces[Black]
	}
	switch e {
	case ThreeAgainstKing:
		return few == 1 && many <= 3
	case TwoAgainstKing:
		return few == 1 && many <= 2
	case MainRoad:
		road := bits.TrailingZeros64(alone)
		return few == 1 && many == 3 && rowOf(road) == colOf(road)
	case KingsAgainstKing:
		return few == 1 && many >= 3 && p.Pieces[White]|p.Pieces[Black] == p.Kings
	case TwoAgainstTwo:
		return many <= 2 && few+many-bits.OnesCount64(p.Kings) <= 1
	case FourOrFive:
		return few+many == 4 || few+many == 5
	default:
		return few+many == 6 || few+many == 7
	}
}

// unchanged reports whether the ending begins again when a piece is taken or crowned.
func (e Ending) unchanged() bool { return e == FourOrFive || e == SixOrSeven }
