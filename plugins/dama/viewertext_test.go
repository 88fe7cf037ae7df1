package main

import (
	"maps"
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/internal/test/long"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

var shownNames = [2]string{"Ada", "Bruno"}

// shownEnds has the texts of the viewer for the reasons of a result that name no player.
var shownEnds = map[string]string{
	"draw: the same position three times":                               "The same position came for the third time",
	"draw: 2 moves of each side by kings alone without a capture":       "Only kings moved for 2 moves, and nothing was captured",
	"draw: 1 moves of each side by kings alone without a capture":       "Only kings moved for 1 move, and nothing was captured",
	"nothing was taken and no chip but damas moved for long":            "Only damas moved for a long time, and nothing was captured",
	"the players agreed to end the match":                               "Both players agreed to end the match",
	"draw: 5 moves of each side with at most two pieces against a king": "No win within 5 moves of this ending",
	"draw: the players agreed":                                          "Both players agreed to a draw",
	"the time of the game is up":                                        "The time of the match is up",
}

// show returns a match for CheckViewer, and the kind of its end.
func show(t *testing.T, rules, fen string, args map[string]string, a, b gametest.Player) (gamefixture.Shown, string) {
	t.Helper()
	got := matchFrom(t, rules, fen, args, a, b)
	params := map[string]string{"rules": rules, "chips": "whole", "dama_left": "1"}
	maps.Copy(params, args)
	reason := got.Result.Reason
	why := strings.NewReplacer("the first player", shownNames[0], "the second player", shownNames[1], "white", shownNames[0], "black", shownNames[1], "forfeits: resigned", "resigned").Replace(reason)
	kind := strings.NewReplacer(shownNames[0], "", shownNames[1], "").Replace(why)
	if text, ok := shownEnds[reason]; ok {
		why, kind = text, reason
	}
	if strings.Contains(why, "forfeits") {
		why = ""
	}
	s := gamefixture.Show(got, shownNames, params, why)
	for seat, r := range got.Result.Seats {
		switch {
		case why != "" || r.Ended == driver.EndedFinished || rules == "damath":
		case strings.Contains(string(r.Ended), "timeout"):
			s.Ends[seat] = shownNames[seat] + " was too late"
		default:
			s.Ends[seat] = shownNames[seat] + " forfeited"
		}
	}
	return s, strings.TrimSpace(kind)
}

func checkShown(t *testing.T, shown []gamefixture.Shown, ends map[string]int, kinds ...string) {
	t.Helper()
	for _, kind := range kinds {
		if ends[kind] == 0 {
			t.Errorf("got the ends %v, want %q too", ends, kind)
		}
	}
	gamefixture.CheckViewer(t, shown)
}

func TestViewerSaysWhyTheMatchEnded(t *testing.T) {
	t.Parallel()
	var shown []gamefixture.Shown
	ends := map[string]int{}
	add := func(rules, fen string, args map[string]string, a, b gametest.Player) {
		s, kind := show(t, rules, fen, args, a, b)
		ends[kind]++
		s.Drawn = ends[kind] == 1 && len(s.Streams[2]) < 20000
		shown = append(shown, s)
	}
	few := "W:Wa1,e1,c3,e5,Kh8:Bb8,f8,d6,h4,Ka3"
	for _, r := range allRules {
		if r == &damath {
			continue
		}
		add(r.Name, "", map[string]string{"draw_after": "2"}, gametest.Random(0), gametest.Unruly(1000))
		add(r.Name, few, map[string]string{"draw_after": "1"}, gametest.Random(0), gametest.Unruly(1000))
		if !long.Run() && r.Name != "italian" && r.Name != "international" {
			continue // all rules have the same lines for forfeits and offers
		}
		add(r.Name, "", nil, gametest.Leaving(2, gametest.Random(1)), gametest.Random(2))
		add(r.Name, "", nil, gametest.Then(gametest.Late, "6A 5B"), gametest.Random(2))
		add(r.Name, "", nil, gametest.Endless("nonsense"), gametest.Random(2))
		if r.Offers {
			first := "6A 5B"
			if r.Board == board10 {
				first = "7B 6A"
			}
			add(r.Name, "", nil, gametest.Script(first, "resign"), gametest.Random(2))
			add(r.Name, "", nil, gametest.Script("draw", "draw", first), gametest.Script("draw"))
		}
	}
	for seed := uint64(0); ends["has no moves left"] == 0; seed++ { // rare
		if s, kind := show(t, "english", "", map[string]string{"draw_after": "5"}, gametest.Random(seed), gametest.Random(seed+1000)); kind == "has no moves left" {
			shown = append(shown, s)
			ends[kind]++
		}
	}
	add("italian", "W:WKa1:BKh8", nil, gametest.Script(strings.Split("8A 7B,7B 8A,8A 7B,7B 8A,8A 7B,7B 8A", ",")...), gametest.Script(strings.Split("1H 2G,2G 1H,1H 2G,2G 1H,1H 2G,2G 1H", ",")...))
	add("international", "W:WKc1,Ka1:BKb10", nil, gametest.Script(strings.Split("10C 9D,9D 10E,10E 9F,9F 10G,10G 9F", ",")...), gametest.Script(strings.Split("1B 2A,2A 1B,1B 2A,2A 1B,1B 2A", ",")...))
	checkShown(t, shown, ends, "has no pieces left", "has no moves left", "forfeits: timeout", "forfeits: disconnected",
		"draw: the same position three times", "draw: 2 moves of each side by kings alone without a capture", "resigned", "draw: the players agreed", "draw: 5 moves of each side with at most two pieces against a king")
}

func TestViewerOfDamathSaysWhyTheMatchEnded(t *testing.T) {
	t.Parallel()
	var shown []gamefixture.Shown
	ends := map[string]int{}
	add := func(args map[string]string, a, b gametest.Player) {
		s, kind := show(t, "damath", "", args, a, b)
		ends[kind]++
		s.Drawn = ends[kind] == 1
		shown = append(shown, s)
	}
	for _, set := range chipSets {
		for seed := range uint64(2) {
			add(map[string]string{"chips": set.name, "repeat": "1"}, gametest.Random(seed), gametest.Random(seed+1000))
			add(map[string]string{"chips": set.name, lateRule: toOpponent}, gametest.Random(seed), careless(seed))
		}
	}
	const noMoves, quiet = "has no moves left", "nothing was taken and no chip but damas moved for long" // rare
	for seed := uint64(0); ends[noMoves] == 0 || ends[quiet] == 0; seed++ {
		s, kind := show(t, "damath", "", map[string]string{"repeat": "0", "draw_after": "1"}, gametest.Random(seed), gametest.Random(seed+1000))
		if ends[kind] == 0 {
			shown = append(shown, s)
		}
		ends[kind]++
	}
	random := gametest.Random(1)
	add(nil, gametest.Script("b3a4", "resign"), random)
	add(nil, gametest.Script("draw"), gametest.Script("draw"))
	add(nil, gametest.Script("draw"), gametest.Late)
	add(nil, gametest.Then(random, "draw"), gametest.Then(gametest.Late, "no"))
	add(map[string]string{"game_time": "10"}, gametest.Script("b3a4"), gametest.Late)
	add(map[string]string{"game_time": "10"}, gametest.Script("draw"), gametest.Late)
	add(map[string]string{lateRule: toOpponent, "game_time": "50"}, gametest.Late, gametest.Late)
	add(map[string]string{lateRule: toOpponent}, gametest.Late, func(gametest.Question) (string, error) { return "", sdk.ErrDisconnected })
	checkShown(t, shown, ends, "has no chips left", noMoves, quiet, "repeated the moves of the last chip", "resigned", "the time of the game is up",
		"the players agreed to end the match", "forfeits: timeout", "forfeits: disconnected")
}
