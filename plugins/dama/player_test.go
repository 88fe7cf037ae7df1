package main

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// Folders of the example players of the games that this plugin plays.
const (
	damaPlayers   = "players"
	damathPlayers = "players/damath"
)

// damathToTheEnd lets a match end by captures or words alone, so that it is long.
var damathToTheEnd = map[string]string{"rules": "damath", "repeat": "0", "game_time": "0"}

func TestExamplePlayers(t *testing.T) {
	inEachLanguage(t, damaPlayers, func(t *testing.T, command []string) {
		gamefixture.RunPlayer(t, &game, map[string]string{"rules": "classic", "draw_after": "10"}, command...)
		playOnBothBoards(t, command)
	})
}

func TestDamathExamplePlayers(t *testing.T) {
	inEachLanguage(t, damathPlayers, func(t *testing.T, command []string) {
		gamefixture.RunPlayer(t, &game, damathToTheEnd, command...)
		moveForAPlayerWhoIsLate(t, command)
	})
}

// inEachLanguage runs a test with the command of each example player in a folder.
func inEachLanguage(t *testing.T, folder string, test func(t *testing.T, command []string)) {
	for _, player := range gamefixture.Examples(t, folder) {
		t.Run(filepath.Base(player), func(t *testing.T) {
			t.Parallel()
			test(t, gamefixture.Command(t, player))
		})
	}
}

// playOnBothBoards has a program, which does not know the rules, play itself by those of
// one federation for each board.
func playOnBothBoards(t *testing.T, command []string) {
	for _, rules := range []string{"italian", "international"} {
		a, b := gamefixture.StartProgram(t, command...), gamefixture.StartProgram(t, command...)
		got := gametest.MustPlay(t, gametest.Match{
			Game: &game, Players: []gametest.Player{a.Answer, b.Answer}, Seed: 1,
			Args: map[string]string{"rules": rules, "draw_after": "10"},
		})
		a.Finish(got.Seats[0])
		b.Finish(got.Seats[1])
		for seat, result := range got.Result.Seats {
			if result.Ended != driver.EndedFinished {
				t.Errorf("%s: seat %d ended as %q, want %q:\n%s", rules, seat, result.Ended, driver.EndedFinished, got.Seats[seat])
			}
		}
	}
}

// moveForAPlayerWhoIsLate has a program play against one that is late.
func moveForAPlayerWhoIsLate(t *testing.T, command []string) {
	args := maps.Clone(damathToTheEnd)
	args["late"] = "opponent"
	p, opponent := gamefixture.StartProgram(t, command...), careless(0)
	lateAtFirst := func(q gametest.Question) (string, error) {
		if q.Number == 0 { // the example draws lots, so a match can end before the opponent is late by chance
			return "", sdk.ErrTimeout
		}
		return opponent(q)
	}
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{p.Answer, lateAtFirst}, Args: args})
	p.Finish(got.Seats[0])
	if !strings.Contains(got.Seats[0], "LATE 1\n>") || got.Result.Seats[0].Ended != driver.EndedFinished {
		t.Errorf("got %+v, want the program to finish after a move for the opponent\n%s", got.Result, got.Seats[0])
	}
}
