package main

import (
	"testing"

	"colosseum/sdk/gametest"
)

func TestGame(t *testing.T) {
	t.Parallel()
	gametest.Run(t, &game, gametest.Twice{Matches: 4, Args: map[string]string{"bot": "random"}}) // the search is slow as a script
}
