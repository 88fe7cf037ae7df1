package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
)

func TestExamplePlayers(t *testing.T) {
	gamefixture.RunExamples(t, &game, map[string]string{"bot": "beginner"}, "players")
}
