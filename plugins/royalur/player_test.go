package main

import (
	"testing"

	"colosseum/sdk/gametest"
)

func TestExamplePlayer(t *testing.T) {
	gametest.RunPlayer(t, &game, nil, "python3", "../../examples/royalur/player.py")
}
