package main

import (
	"testing"

	"colosseum/sdk/gametest"
)

func TestExamplesInTheRulesAreWhatTheRefereeDoes(t *testing.T) {
	reasons := []string{"white has reached row I", "PlayerB forfeits: illegal"}
	examples := gametest.Examples(t, "rules.md")
	if len(examples) != len(reasons) {
		t.Fatalf("%d examples in rules.md, want %d", len(examples), len(reasons))
	}
	for i, e := range examples {
		if got := e.Replay(t, gametest.Match{Game: &game}); got.Result.Reason != reasons[i] {
			t.Errorf("example %d ends by %q, want %q", i, got.Result.Reason, reasons[i])
		}
	}
}

func TestRulesNameEveryParameter(t *testing.T) {
	gametest.CheckParams(t, "rules.md", &game)
}
