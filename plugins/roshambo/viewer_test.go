package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestViewerSaysWhyTheMatchEnded(t *testing.T) {
	t.Parallel()
	var shown []gamefixture.Shown
	for _, tt := range []struct {
		a, b gametest.Player
		ends [2]string // of the players
		all  string    // of the spectators
	}{
		{gametest.Random(1), gametest.Random(2), [2]string{}, ""},
		{gametest.Then(gametest.Late, "ROCK"), gametest.Random(2), [2]string{"", "Player0 forfeited"}, "Player0 forfeited"},
		{gametest.Random(1), gametest.Script("ROCK", "nonsense"), [2]string{"Player1 forfeited", ""}, "Player1 forfeited"},
		{gametest.Script("ROCK"), gametest.Script("PAPER"), [2]string{}, "Both players forfeited"},
	} {
		got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{tt.a, tt.b}, Seed: 1})
		shown = append(shown, gamefixture.Shown{
			Names: []string{"Player0", "Player1"}, Params: map[string]string{"rounds": "10"},
			Streams: []string{got.Seats[0], got.Seats[1], got.Spectators}, Ends: []string{tt.ends[0], tt.ends[1], tt.all}, Drawn: true,
		})
	}
	gamefixture.CheckViewer(t, shown)
}
