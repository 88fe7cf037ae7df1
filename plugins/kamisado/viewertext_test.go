package main

import (
	"fmt"
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestViewerSaysWhyTheMatchEnded(t *testing.T) {
	t.Parallel()
	var shown []gamefixture.Shown
	ends := map[string]int{}
	names := [2]string{"Player0", "Player1"}
	for seed := range uint64(300) {
		got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Unruly(seed), gametest.Unruly(seed + 1000)}, Seed: seed})
		winner := 0
		if got.Result.Seats[1].Rank == 1 {
			winner = 1
		}
		why, kind := "", "retired"
		switch {
		case strings.Contains(got.Result.Reason, "reached"):
			why, kind = fmt.Sprintf("%s reached row %d", names[winner], 8-7*winner), "reached"
		case strings.Contains(got.Result.Reason, "deadlock"):
			why, kind = names[1-winner]+" made the last move before the deadlock", "deadlock"
		}
		ends[kind]++
		s := gamefixture.Show(got, names, nil, why)
		s.Drawn = ends[kind] == 1
		shown = append(shown, s)
	}
	if ends["reached"] == 0 || ends["deadlock"] == 0 || ends["retired"] == 0 {
		t.Errorf("got the ends %v, want each of three", ends)
	}
	gamefixture.CheckViewer(t, shown)
}
