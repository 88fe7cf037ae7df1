package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestGame(t *testing.T) {
	t.Parallel()
	gametest.Run(t, &game,
		gametest.Twice{Matches: 100, Args: map[string]string{"bot": "random"}},
		gametest.Twice{Matches: 12, Args: map[string]string{"bot": "beginner", "width": "12", "height": "10"}},
		gametest.Twice{Matches: 4, Args: map[string]string{"bot": "easy", "width": "12", "height": "10"}},
		gametest.Twice{Matches: 4, Args: map[string]string{"bot": "strong", "width": "12", "height": "10"}},
		gametest.Twice{Matches: 6, Args: map[string]string{"bot": "newcomer", "teams": "yes"}}, // some refuse
	)
}

func BenchmarkScript(b *testing.B) {
	gamefixture.BenchmarkScript(b, &game, nil, 1)
}
