package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

func TestViewerSaysWhyTheMatchEnded(t *testing.T) {
	t.Parallel()
	var shown []gamefixture.Shown
	retired := 0
	names := [2]string{"Player0", "Player1"}
	for seed := range uint64(30) {
		got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Unruly(seed), gametest.Unruly(seed + 1000)}, Seed: seed})
		why := ""
		for seat, r := range got.Result.Seats {
			if got.Result.Seats[1-seat].Ended != driver.EndedFinished {
				retired++
			} else if r.Rank == 1 && r.Ended == driver.EndedFinished {
				why = "All seven tokens of " + names[seat] + " are home"
			}
		}
		s := gamefixture.Show(got, names, nil, why)
		s.Drawn = seed == 0 || seed == 7
		shown = append(shown, s)
	}
	if retired == 0 || retired == len(shown) {
		t.Errorf("in %d of %d matches a player retired, want some and some to the end", retired, len(shown))
	}
	gamefixture.CheckViewer(t, shown)
}
