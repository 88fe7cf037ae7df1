package main

import (
	"testing"

	"colosseum/sdk/gametest"
)

func TestPlaysTheSameAsScript(t *testing.T) {
	var random []map[string]string
	for _, rules := range ruleNames() {
		random = append(random, map[string]string{"rules": rules, "pace": "0", "bot": "random"})
	}
	for _, late := range []string{"forfeit", "opponent"} {
		for _, chips := range chipSetNames() {
			random = append(random, map[string]string{"rules": "damath", "chips": chips, "late": late, "dama_left": "2", "pace": "0", "bot": "random"})
		}
	}
	gametest.PlaysTheSameAsScript(t, ".", &game, 4*len(random), random...)
	gametest.PlaysTheSameAsScript(t, ".", &game, 2, map[string]string{"rules": "damath", "pace": "0", "bot": "strong"})
	gametest.PlaysTheSameAsScript(t, ".", &game, 2, map[string]string{"pace": "0", "bot": "strong"})
}

func BenchmarkRefereeAsScript(b *testing.B) {
	for _, rules := range []string{"classic", "damath"} {
		b.Run(rules, func(b *testing.B) {
			gametest.BenchmarkAsScript(b, ".", &game, map[string]string{"rules": rules, "pace": "0"})
		})
	}
}
