package main

import (
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestViewerSaysWhyTheMatchEnded(t *testing.T) {
	t.Parallel()
	var shown []gamefixture.Shown
	drawn := map[string]bool{}
	for seed := range uint64(40) {
		args := map[string]string{"width": "10", "height": "9", "bot": "newcomer", "teams": "no"}
		players := make([]gametest.Player, 2+seed%3)
		players[0] = gametest.Random(seed)
		if seed%6 == 2 {
			args["teams"] = "yes"
		}
		if seed%5 == 0 {
			players[1] = gametest.Random(seed + 100)
		}
		got := gametest.MustPlay(t, gametest.Match{Game: &game, Args: args, Players: players, Seed: seed})
		s := gamefixture.Shown{Params: args, Streams: append(got.Seats, got.Spectators)}
		why := "All others crashed"
		switch {
		case strings.Contains(got.Result.Reason, "same tick"):
			why = "The last cycles crashed in the same tick"
		case args["teams"] == "yes":
			why = "Both cycles of the other team crashed"
		case len(players) == 2:
			why = "Player1 crashed"
			if got.Result.Seats[1].Rank == 1 {
				why = "Player0 crashed"
			}
		}
		for seat := range players {
			s.Names = append(s.Names, "Player"+string(rune('0'+seat)))
		}
		for range s.Streams {
			s.Ends = append(s.Ends, why)
		}
		kind := strings.TrimLeft(why, "Player01")
		s.Drawn = !drawn[kind]
		drawn[kind] = true
		shown = append(shown, s)
	}
	if len(drawn) < 4 {
		t.Errorf("got the ends %v, want four kinds", drawn)
	}
	gamefixture.CheckViewer(t, shown)
}
