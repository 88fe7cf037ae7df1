package main

import (
	"maps"
	"strings"
	"testing"

	"colosseum/internal/gamefixture"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

func startPlayer(t *testing.T, game string) gamefixture.Program {
	return gamefixture.StartProgram(t, "python3", "../../examples/"+game+"/player.py")
}

// damathToTheEnd lets a match end by captures or words alone. If a count ends it
// after the opponent's move, a program that does not count has already sent its
// next move: a host drops that line, but for [gamefixture.Program.Finish] it is an
// error.
var damathToTheEnd = map[string]string{"rules": "damath", "repeat": "0", "game_time": "0"}

func TestExamplePlayers(t *testing.T) {
	for example, args := range map[string]map[string]string{
		"dama":   {"rules": "classic", "draw_after": "10"},
		"damath": damathToTheEnd,
	} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			gamefixture.RunPlayer(t, &game, args, "python3", "../../examples/"+example+"/player.py")
		})
	}
}

func TestExamplePlayerKnowsAllRules(t *testing.T) {
	for _, r := range allRules {
		if r == &classic || r == &damath {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			a, b := startPlayer(t, "dama"), startPlayer(t, "dama")
			got := gametest.MustPlay(t, gametest.Match{
				Game: &game, Players: []gametest.Player{a.Answer, b.Answer}, Seed: 1,
				Args: map[string]string{"rules": r.Name, "draw_after": "10"},
			})
			a.Finish(got.Seats[0])
			b.Finish(got.Seats[1])
			for seat, result := range got.Result.Seats {
				if result.Ended != driver.EndedFinished {
					t.Errorf("seat %d ended as %q, want %q:\n%s", seat, result.Ended, driver.EndedFinished, got.Seats[seat])
				}
			}
		})
	}
}

func TestDamathExampleMovesForAPlayerWhoIsLate(t *testing.T) {
	args := maps.Clone(damathToTheEnd)
	args["late"] = "opponent"
	for seed := range uint64(4) {
		p, opponent := startPlayer(t, "damath"), careless(seed)
		lateAtFirst := func(q gametest.Question) (string, error) {
			if q.Number == 0 { // the example draws lots, so a match can end before the opponent is late by chance
				return "", sdk.ErrTimeout
			}
			return opponent(q)
		}
		got := gametest.MustPlay(t, gametest.Match{
			Game: &game, Players: []gametest.Player{p.Answer, lateAtFirst}, Seed: seed,
			Args: args,
		})
		p.Finish(got.Seats[0])
		if !strings.Contains(got.Seats[0], "LATE 1\n>") || got.Result.Seats[0].Ended != driver.EndedFinished {
			t.Errorf("seed %d: got %+v, want the program to finish after a move for the opponent\n%s", seed, got.Result, got.Seats[0])
		}
	}
}
