package main

import (
	"strings"
	"testing"

	"colosseum/sdk/gametest"
)

func TestExamplesInTheRulesAreWhatTheRefereeDoes(t *testing.T) {
	reasons := []string{"", "PlayerB forfeits: illegal"}
	examples := gametest.Examples(t, "rules.md")
	if len(examples) != len(reasons) {
		t.Fatalf("%d examples in rules.md, want %d", len(examples), len(reasons))
	}
	for i, e := range examples {
		rounds := strings.Split(e.Spectators, "\n")[2]
		got := e.Replay(t, gametest.Match{Game: &game, Args: map[string]string{"rounds": rounds}})
		if got.Result.Reason != reasons[i] {
			t.Errorf("example %d ends by %q, want %q", i, got.Result.Reason, reasons[i])
		}
	}
}

func TestRulesNameEveryParameter(t *testing.T) {
	gametest.CheckParams(t, "rules.md", &game)
}
