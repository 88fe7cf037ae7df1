package main

import (
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

func startPlayer(t *testing.T, game string) *gametest.Program {
	return gametest.StartProgram(t, "python3", "../../examples/"+game+"/player.py")
}

func TestExamplePlayers(t *testing.T) {
	for rules, example := range map[string]string{"classic": "dama", "damath": "damath"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			args := map[string]string{"rules": rules, "draw_after": "10"}
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
				if result.Ended != sdk.EndedFinished {
					t.Errorf("seat %d ended as %q:\n%s", seat, result.Ended, got.Seats[seat])
				}
			}
		})
	}
}

func TestDamathExampleMovesForAPlayerWhoIsLate(t *testing.T) {
	for seed := range uint64(4) {
		p := startPlayer(t, "damath")
		got := gametest.MustPlay(t, gametest.Match{
			Game: &game, Players: []gametest.Player{p.Answer, careless(seed)}, Seed: seed,
			Args: map[string]string{"rules": "damath", "late": "opponent", "draw_after": "10", "game_time": "0"},
		})
		p.Finish(got.Seats[0])
		if !strings.Contains(got.Seats[0], "LATE 1\n>") || got.Result.Seats[0].Ended != sdk.EndedFinished {
			t.Errorf("seed %d: %+v\n%s", seed, got.Result, got.Seats[0])
		}
	}
}
