package main

import (
	"testing"

	"colosseum/internal/gamefixture"
)

func TestExamplePlayer(t *testing.T) {
	gamefixture.RunPlayer(t, &game, nil, "python3", "../../examples/royalur/player.py")
}
