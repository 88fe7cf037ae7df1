//go:build go1.21

package main

// Rules is one row of the table below: how one kind of draughts differs from
// the others. The move generator reads nothing else.
type Rules struct {
	Name string
	// Due: who can capture must, and must carry a capture on to its end. If
	// false both are optional.
	Due bool
	// Flying: a king steps any distance, captures a piece at any distance and
	// lands on any of the free squares behind it.
	Flying bool
	// MenTakeBack: men capture backward too. (They never step backward.)
	MenTakeBack bool
	// MenTakeKings: men may capture kings.
	MenTakeKings bool
	// CrownInPassing: a man that touches the far row in the middle of a
	// capture goes on as a king. If false it is crowned only where it stops.
	CrownInPassing bool
	// MayReturn: a capture may land on the square it started from.
	MayReturn bool
	// Prefer chooses among several captures: the first criterion decides,
	// the next one between equals, and so on. Empty: free choice.
	Prefer []Criterion
	// QuietMoves of each side in a row, by kings alone and without a capture,
	// end the match. 0: never.
	QuietMoves int
	// Threefold: a position that occurs for the third time, with the same side
	// to move, is a draw.
	Threefold bool
	// Numbers says how the squares are numbered in a FEN.
	Numbers Numbering
}

// Criterion is one thing by which a capture goes before another.
type Criterion int

// The criteria. Of each, more goes before less.
const (
	MostPieces  Criterion = iota // pieces taken
	WithKing                     // a king captures
	MostKings                    // kings taken
	KingSoonest                  // the first king taken comes early
)

// Numbering is a way to number the 32 squares, seen from White's side.
type Numbering int

// The numberings, after the GameType table of the Portable Draughts Notation
// (pdn.fmjd.org): types 21, 22 and 24.
const (
	FromTop         Numbering = iota // 1 to 4 at the top, from the left: White starts on 21–32
	FromTopMirrored                  // the same on a board whose lower left corner is not played on
	FromBottomRight                  // 1 to 4 at the bottom, from the right, on such a board
)

// kings40 is the draw rule where captures are forced.
const kings40 = 40

// classic is the rule set of the original Code Colosseum server.
var classic = Rules{Name: "classic"}

// damath moves as brazilian; among equal captures a dama goes before a chip. Its
// match has ends of its own, see damath.go.
var damath = Rules{
	Name: "damath", Due: true, Flying: true, MenTakeBack: true, MenTakeKings: true, MayReturn: true,
	Prefer: []Criterion{MostPieces, WithKing}, Numbers: FromTopMirrored,
}

// allRules is the table, in the order in which clients see it.
var allRules = []*Rules{
	&classic,
	{
		Name: "italian", Due: true, MayReturn: true,
		Prefer:     []Criterion{MostPieces, WithKing, MostKings, KingSoonest},
		QuietMoves: kings40, Threefold: true, Numbers: FromTopMirrored,
	},
	{
		Name: "english", Due: true, MenTakeKings: true, MayReturn: true,
		QuietMoves: kings40, Threefold: true,
	},
	{
		Name: "russian", Due: true, Flying: true, MenTakeBack: true, MenTakeKings: true, CrownInPassing: true, MayReturn: true,
		QuietMoves: kings40, Threefold: true,
	},
	{
		Name: "brazilian", Due: true, Flying: true, MenTakeBack: true, MenTakeKings: true, MayReturn: true,
		Prefer:     []Criterion{MostPieces},
		QuietMoves: kings40, Threefold: true,
	},
	{
		Name: "spanish", Due: true, Flying: true, MenTakeKings: true, MayReturn: true,
		Prefer:     []Criterion{MostPieces, MostKings},
		QuietMoves: kings40, Threefold: true, Numbers: FromBottomRight,
	},
	&damath,
}

// ruleNames lists the names in the table's order.
func ruleNames() []string {
	names := make([]string, len(allRules))
	for i := range allRules {
		names[i] = allRules[i].Name
	}
	return names
}

// rulesNamed returns the row of that name, or nil.
func rulesNamed(name string) *Rules {
	for i := range allRules {
		if allRules[i].Name == name {
			return allRules[i]
		}
	}
	return nil
}
