package main

import (
	"maps"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

func startPlayer(t *testing.T, game string) *gametest.Program {
	return gametest.StartProgram(t, "python3", "../../examples/"+game+"/player.py")
}

// damathToTheEnd lets a match end by captures or words alone. Where a count ends
// it after the opponent's move, a program that does not count has sent its next
// move already: a host drops that line, but [gametest.Program.Finish] objects.
var damathToTheEnd = map[string]string{"rules": "damath", "repeat": "0", "game_time": "0"}

func TestExamplePlayers(t *testing.T) {
	for example, args := range map[string]map[string]string{
		"dama":   {"rules": "classic", "draw_after": "10"},
		"damath": damathToTheEnd,
	} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			player := []string{"python3", "../../examples/" + example + "/player.py"}
			gametest.RunPlayer(t, &game, args, player...)
			gametest.RunPlayerOnPipes(t, &game, args, player...)
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
					t.Errorf("seat %d ended as %q:\n%s", seat, result.Ended, got.Seats[seat])
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
			if q.Number == 0 { // the example draws lots: a match may end before chance makes anyone late
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
			t.Errorf("seed %d: %+v\n%s", seed, got.Result, got.Seats[0])
		}
	}
}
