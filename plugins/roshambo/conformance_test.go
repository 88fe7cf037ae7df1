package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestGame(t *testing.T) {
	t.Parallel()
	gametest.Run(t, &game,
		gametest.Twice{Matches: 40},
		gametest.Twice{Matches: 30, Args: map[string]string{"rounds": "57", "pace": "0"}},
		gametest.Twice{Matches: 4, Args: map[string]string{"pace": "31"}}, // both refuse
	)
}

func BenchmarkScript(b *testing.B) {
	gamefixture.BenchmarkScript(b, &game, map[string]string{"rounds": "100"}, 0)
}
