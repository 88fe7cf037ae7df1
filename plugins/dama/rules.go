//go:build go1.21

package main

// Rules is how one kind of draughts differs from the others. The move generator
// depends on nothing else.
type Rules struct {
	Name string
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
	// QuietMoves of each side in a row, by kings alone and without a capture,
	// end the match. 0: never.
	QuietMoves int
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

// kings40 is Rules.QuietMoves of all rules with forced captures except damath.
const kings40 = 40

// classic is the rule set of the original Code Colosseum server.
var classic = Rules{Name: "classic"}

// damath has the moves of brazilian, except that among equal captures one by a dama
// is preferred. damath.go decides when its matches end.
var damath = Rules{
	Name: "damath", Due: true, Flying: true, MenTakeBack: true, MenTakeKings: true, CanReturn: true,
	Prefer: []Criterion{MostPieces, WithKing},
}

// allRules is in the order in which clients see the rules.
var allRules = []*Rules{
	&classic,
	{
		Name: "italian", Due: true, CanReturn: true,
		Prefer:     []Criterion{MostPieces, WithKing, MostKings, KingSoonest},
		QuietMoves: kings40, Threefold: true,
	},
	{
		Name: "english", Due: true, MenTakeKings: true, CanReturn: true,
		QuietMoves: kings40, Threefold: true,
	},
	{
		Name: "russian", Due: true, Flying: true, MenTakeBack: true, MenTakeKings: true, CrownInPassing: true, CanReturn: true,
		QuietMoves: kings40, Threefold: true,
	},
	{
		Name: "brazilian", Due: true, Flying: true, MenTakeBack: true, MenTakeKings: true, CanReturn: true,
		Prefer:     []Criterion{MostPieces},
		QuietMoves: kings40, Threefold: true,
	},
	{
		Name: "spanish", Due: true, Flying: true, MenTakeKings: true, CanReturn: true,
		Prefer:     []Criterion{MostPieces, MostKings},
		QuietMoves: kings40, Threefold: true,
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
