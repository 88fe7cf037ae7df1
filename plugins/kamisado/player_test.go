package main

import (
	"testing"

	"colosseum/sdk/gametest"
)

func TestExamplePlayer(t *testing.T) {
	player := []string{"python3", "../../examples/kamisado/player.py"}
	gametest.RunPlayer(t, &game, nil, player...)
	gametest.RunPlayerOnPipes(t, &game, nil, player...)
}
