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
		{Matches: 60, Args: map[string]string{"bot": "random"}},
		{Matches: 4, Args: map[string]string{"bot": "strong"}},
	}
	if long.Run() {
		twice = append(twice, gametest.Twice{Matches: 140, Args: map[string]string{"bot": "random"}})
	}
	gametest.Run(t, &game, twice...)
}

func BenchmarkScript(b *testing.B) {
	gamefixture.BenchmarkScript(b, &game, nil, 256)
}
