package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
)

func TestExamplePlayers(t *testing.T) {
	gamefixture.RunExamples(t, &game, map[string]string{"rounds": "100"}, "players")
}

// In the short run the other test, and that of every other game, leaves Java out.
func TestExamplePlayerInJava(t *testing.T) {
	t.Parallel()
	gamefixture.RunPlayer(t, &game, map[string]string{"rounds": "100"}, gamefixture.Java(t, "players/Player.java")...)
}
