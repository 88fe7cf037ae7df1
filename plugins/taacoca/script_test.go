package main

import (
	"testing"

	"colosseum/sdk/gametest"
)

func TestPlaysTheSameAsScript(t *testing.T) {
	gametest.PlaysTheSameAsScript(t, ".", &game, 50, map[string]string{"pace": "0", "bot": "random"})
	gametest.PlaysTheSameAsScript(t, ".", &game, 2, map[string]string{"pace": "0", "bot": "strong"})
}

func BenchmarkRefereeAsScript(b *testing.B) {
	gametest.BenchmarkAsScript(b, ".", &game, map[string]string{"pace": "0"})
}
