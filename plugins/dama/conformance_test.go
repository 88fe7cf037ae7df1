package main

import (
	"testing"

	"colosseum/sdk/gametest"
)

func TestGame(t *testing.T) { gametest.Run(t, &game) }
