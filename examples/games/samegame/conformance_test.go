package main

import (
	"testing"

	"colosseum/sdk/gametest"
)

func TestGame(t *testing.T) {
	t.Parallel()
	gametest.Run(t, &game,
		gametest.Twice{Matches: 10},
		gametest.Twice{Matches: 40, Args: map[string]string{"width": "5", "height": "4", "colours": "3", "pace": "0.5"}},
		gametest.Twice{Matches: 4, Args: map[string]string{"pace": "31"}}, // both refuse
	)
}
