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
	for seed := range uint64(60) {
		s := gamefixture.Shown{Params: map[string]string{}}
		m := gametest.Match{Game: &game, Seed: seed, Args: map[string]string{"dice": "2", "wild": []string{"yes", "no"}[seed%2]}}
		for seat := range 2 + seed%5 {
			s.Names = append(s.Names, fmt.Sprint("Player", seat))
			player := patient(seed*10 + seat)
			if seed%3 == 0 && seat > 0 {
				player = gametest.Leaving(int(seed+seat)%4, player)
			}
			m.Players = append(m.Players, player)
		}
		got := gametest.MustPlay(t, m)
		why, kind := got.Result.Reason, "dice"
		if !strings.HasSuffix(why, "is the last player with dice") {
			_, last, _ := strings.Cut(got.Spectators[strings.LastIndex(got.Spectators, "RETIRE"):], " ")
			why, kind = fmt.Sprintf("Player%c forfeited", last[0]), "retired"
		}
		s.Streams = append(got.Seats, got.Spectators)
		for range s.Streams {
			s.Ends = append(s.Ends, why)
		}
		ends[kind]++
		s.Drawn = ends[kind] <= 2
		shown = append(shown, s)
	}
	if ends["dice"] == 0 || ends["retired"] == 0 {
		t.Errorf("got the ends %v, want each of two", ends)
	}
	gamefixture.CheckViewer(t, shown)
}
