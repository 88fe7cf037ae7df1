package main

import (
	"testing"

	"colosseum/sdk/gametest"
)

func TestPlaysTheSameAsScript(t *testing.T) {
	gametest.PlaysTheSameAsScript(t, ".", &game, 300, map[string]string{"pace": "0"}, map[string]string{"rounds": "57", "pace": "0"}, map[string]string{"pace": "31"})
}

func BenchmarkRefereeAsScript(b *testing.B) {
	gametest.BenchmarkAsScript(b, ".", &game, map[string]string{"pace": "0"})
}
