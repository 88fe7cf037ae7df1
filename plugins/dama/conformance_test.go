package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestGame(t *testing.T) {
	t.Parallel()
	var twice []gametest.Twice
	add := func(matches int, args map[string]string) {
		twice = append(twice, gametest.Twice{Matches: matches, Args: args})
	}
	for _, rules := range ruleNames() {
		add(2, map[string]string{"rules": rules, "bot": "random"})
	}
	for _, late := range []string{"forfeit", "opponent"} {
		for _, chips := range chipSetNames() {
			add(2, map[string]string{"rules": "damath", "chips": chips, "late": late, "dama_left": "2", "bot": "random"})
		}
	}
	add(1, map[string]string{"rules": "italian", "bot": "random", "start": "ballots"})
	add(1, map[string]string{"rules": "spanish", "bot": "random", "start": "21-17 9-13; 21-18"})
	add(2, map[string]string{"rules": "damath"})
	add(2, nil)
	gametest.Run(t, &game, twice...)
}

func BenchmarkScript(b *testing.B) {
	for _, rules := range []string{"italian", "damath"} {
		b.Run(rules, func(b *testing.B) {
			gamefixture.BenchmarkScript(b, &game, map[string]string{"rules": rules}, askEvery)
		})
	}
}
