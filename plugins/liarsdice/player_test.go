package main

import (
	"path/filepath"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

func TestExamplePlayers(t *testing.T) {
	gamefixture.RunExamples(t, &game, nil, "players")
}

// In the other test, matches have two seats and wild ones.
func TestExamplePlayersAtATableOfFour(t *testing.T) {
	for _, player := range gamefixture.Examples(t, "players") {
		t.Run(filepath.Base(player), func(t *testing.T) {
			t.Parallel()
			p := gamefixture.StartProgram(t, gamefixture.Command(t, player)...)
			got := gametest.MustPlay(t, gametest.Match{
				Game: &game, Args: map[string]string{"wild": "no", "bot": "easy"},
				Players: []gametest.Player{nil, p.Answer, nil, gametest.Leaving(3, patient(1))},
			})
			p.Finish(got.Seats[1])
			if ended := got.Result.Seats[1].Ended; ended != driver.EndedFinished {
				t.Errorf("the program ended as %q, want %q:\n%s", ended, driver.EndedFinished, got.Seats[1])
			}
		})
	}
}
