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
	if long.Run() {
		twice = append(twice, gametest.Twice{Matches: 50, Args: map[string]string{"bot": "random"}})
	}
	gametest.Run(t, &game, twice...)
}

func BenchmarkScript(b *testing.B) {
	gamefixture.BenchmarkScript(b, &game, nil, askEvery)
}
