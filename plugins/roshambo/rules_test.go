package main

import (
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestExamplesInTheRulesAreWhatTheRefereeDoes(t *testing.T) {
	match := func(e gametest.Example) gametest.Match {
		return gametest.Match{Game: &game, Args: map[string]string{"rounds": strings.Split(e.Spectators, "\n")[2]}}
	}
	gamefixture.CheckExamples(t, match, "", "PlayerB forfeits: illegal")
}

func TestRulesNameEveryParameter(t *testing.T) {
	gametest.CheckParams(t, "rules.md", &game)
}
