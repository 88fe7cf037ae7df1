//go:build go1.21

package main

// Rules is how one kind of draughts differs from the others. The move generator
// depends on nothing else.
type Rules struct {
	Name string
	// Board has the size of the board.
	Board *Board
	// Due: a side that can capture must, and must continue a capture to its end.
	// If false both are optional.
	Due bool
	// Flying: a king steps any distance, captures a piece at any distance and
	// lands on any of the free squares behind it.
	Flying bool
	// MenTakeBack: men capture backward too. They never step backward.
	MenTakeBack bool
	// MenTakeKings: men can capture kings.
	MenTakeKings bool
	// CrownInPassing: a man that touches the far row in the middle of a capture
	// continues as a king. If false it is crowned only if it stops there.
	CrownInPassing bool
	// CanReturn: a capture can land on the square where it started.
	CanReturn bool
	// Prefer restricts the choice among several captures: the first criterion
	// decides, the next one between equals, and so on. Empty: free choice.
	Prefer []Criterion
	// Offers: players can resign, and offer and accept draws.
	Offers bool
	// QuietMoves of each side in a row, by kings alone and without a capture,
	// end the match. 0: never.
	QuietMoves int
	// Limits end endings that last too long. Like QuietMoves they are those of the
	// federation of the rules.
	Limits []DrawLimit
	// Threefold: a position that occurs for the third time, with the same side
	// to move, is a draw.
	Threefold bool
}

// Criterion is a criterion by which a player must prefer a capture.
type Criterion int

// The criteria.
const (
	MostPieces  Criterion = iota // the most pieces taken
	WithKing                     // a king captures
	MostKings                    // the most kings taken
	KingSoonest                  // the earliest capture of a king
)

// classic is the rule set of the original Code Colosseum server.
var classic = Rules{Name: "classic", Board: board8}

// damath has the moves of brazilian, except that among equal captures one by a dama
// is preferred. damath.go decides when its matches end.
var damath = Rules{
	Name: "damath", Board: board8, Due: true, Flying: true, MenTakeBack: true, MenTakeKings: true, CanReturn: true,
	Prefer: []Criterion{MostPieces, WithKing},
}

// allRules is in the order in which clients see the rules.
var allRules = []*Rules{
	&classic,
	{
		Name: "italian", Board: board8, Due: true, CanReturn: true,
		Prefer: []Criterion{MostPieces, WithKing, MostKings, KingSoonest},
		// FID, "Regolamento ufficiale di gioco della dama italiana": 40 moves.
		QuietMoves: 40, Threefold: true, Offers: true,
	},
	{
		Name: "english", Board: board8, Due: true, MenTakeKings: true, CanReturn: true,
		// WCDF, "Rules of checkers", draws: 40 moves without a capture or a man's move.
		QuietMoves: 40, Threefold: true, Offers: true,
	},
	{
		Name: "russian", Board: board8, Due: true, Flying: true, MenTakeBack: true, MenTakeKings: true, CrownInPassing: true, CanReturn: true,
		// FMJD, rules of draughts-64, article 7.2.5.
		QuietMoves: 15, Limits: russianLimits, Threefold: true, Offers: true,
	},
	{
		Name: "brazilian", Board: board8, Due: true, Flying: true, MenTakeBack: true, MenTakeKings: true, CanReturn: true,
		Prefer: []Criterion{MostPieces},
		// Confederação Brasileira de Jogo de Damas, "Regras oficiais", rule 16.
		QuietMoves: 20, Limits: brazilianLimits, Threefold: true, Offers: true,
	},
	{
		Name: "spanish", Board: board8, Due: true, Flying: true, MenTakeKings: true, CanReturn: true,
		Prefer: []Criterion{MostPieces, MostKings},
		// Our own limit: we know none of a federation.
		QuietMoves: 40, Threefold: true, Offers: true,
	},
	{
		Name: "international", Board: board10, Due: true, Flying: true, MenTakeBack: true, MenTakeKings: true, CanReturn: true,
		Prefer: []Criterion{MostPieces},
		// FMJD, "Official rules for international draughts" (Annex 1, article 6).
		QuietMoves: 25, Limits: internationalLimits, Threefold: true, Offers: true,
	},
	&damath,
}

// ruleNames returns the names in the order of allRules.
func ruleNames() []string {
	names := make([]string, len(allRules))
	for i := range allRules {
		names[i] = allRules[i].Name
	}
	return names
}

// rulesNamed returns the rules of that name, or nil.
func rulesNamed(name string) *Rules {
	for i := range allRules {
		if allRules[i].Name == name {
			return allRules[i]
		}
	}
	return nil
}
