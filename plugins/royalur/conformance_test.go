package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestGame(t *testing.T) {
	t.Parallel()
	gametest.Run(t, &game,
		gametest.Twice{Matches: 40, Args: map[string]string{"bot": "random"}},
		gametest.Twice{Matches: 2, Args: map[string]string{"bot": "strong"}},
		gametest.Twice{Matches: 4, Args: map[string]string{"bot": "medium"}},
		gametest.Twice{Matches: 4, Args: map[string]string{"bot": "easy"}},
	)
}

func BenchmarkScript(b *testing.B) {
	gamefixture.BenchmarkScript(b, &game, nil, 256)
}
