package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/internal/test/long"
	"colosseum/sdk/gametest"
)

func TestGame(t *testing.T) {
	t.Parallel()
	twice := []gametest.Twice{
		{Matches: 20, Args: map[string]string{"bot": "random"}},
		{Matches: 2, Args: map[string]string{"bot": "strong"}},
	}
	if long.Run() { // the same search as that of strong, with many more positions
		twice = append(twice,
			gametest.Twice{Matches: 50, Args: map[string]string{"bot": "random"}},
			gametest.Twice{Matches: 4, Args: map[string]string{"bot": "medium"}},
			gametest.Twice{Matches: 4, Args: map[string]string{"bot": "easy"}},
		)
	}
	gametest.Run(t, &game, twice...)
}

func BenchmarkScript(b *testing.B) {
	gamefixture.BenchmarkScript(b, &game, nil, askEvery)
}
