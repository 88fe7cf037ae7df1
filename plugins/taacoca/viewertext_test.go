package main

import (
	"os"
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestViewerSaysWhyTheMatchEnded(t *testing.T) {
	t.Parallel()
	names := [2]string{"Player0", "Player1"}
	ends := map[string]int{}
	var shown []gamefixture.Shown
	for seed := range uint64(gametest.Fewer(60)) {
		got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Unruly(seed), gametest.Unruly(seed + 1000)}, Seed: seed})
		why := strings.NewReplacer("white", names[White], "black", names[Black], "has reached", "reached").Replace(got.Result.Reason)
		kind := got.Result.Reason
		if strings.Contains(why, "forfeits") {
			why, kind = "", "retired"
		}
		ends[kind]++
		s := gamefixture.Show(got, names, nil, why)
		s.Drawn = ends[kind] == 1
		shown = append(shown, s)
	}
	if ends["white has reached row I"] == 0 || ends["black has reached row A"] == 0 || ends["retired"] == 0 {
		t.Errorf("got the ends %v, want each of three", ends)
	}
	for name, why := range map[string]string{ // these ends are rare
		"white-no-moves": "Player0 has no moves left", "black-no-moves": "Player1 has no moves left",
		"white-no-stones": "Player0 has no stones left", "black-no-stones": "Player1 has no stones left",
	} {
		golden, err := os.ReadFile("testdata/" + name + ".golden")
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(string(golden), "-- ")
		s := gamefixture.Shown{Names: names[:], Params: map[string]string{}, Ends: []string{why, why, why}}
		for i := range s.Ends {
			_, stream, _ := strings.Cut(parts[i+1], " --\n")
			s.Streams = append(s.Streams, stream)
		}
		shown = append(shown, s)
	}
	gamefixture.CheckViewer(t, shown)
}
