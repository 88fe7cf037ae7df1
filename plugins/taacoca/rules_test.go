package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestExamplesInTheRulesAreWhatTheRefereeDoes(t *testing.T) {
	match := func(gametest.Example) gametest.Match { return gametest.Match{Game: &game} }
	gamefixture.CheckExamples(t, match, "white has reached row I", "PlayerB forfeits: illegal")
}

func TestRulesNameEveryParameter(t *testing.T) {
	gametest.CheckParams(t, "rules.md", &game)
}
