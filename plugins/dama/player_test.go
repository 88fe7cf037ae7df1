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

func TestExamplePlayersPlayToTheEnd(t *testing.T) {
	for _, r := range allRules {
		example := "dama"
		if r == &damath {
			example = "damath"
		}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(2) {
				a, b := startPlayer(t, example), startPlayer(t, example)
				got := gametest.MustPlay(t, gametest.Match{
					Game: &game, Players: []gametest.Player{a.Answer, b.Answer}, Seed: seed,
					Args: map[string]string{"rules": r.Name, "draw_after": "10"},
				})
				a.Finish(got.Seats[0])
				b.Finish(got.Seats[1])
				for seat, result := range got.Result.Seats {
					if result.Ended != sdk.EndedFinished {
						t.Errorf("seed %d: seat %d ended as %q:\n%s", seed, seat, result.Ended, got.Seats[seat])
					}
				}
			}
		})
	}
}

func TestExamplePlayersLeaveWhenTheOpponentRetires(t *testing.T) {
	for rules, example := range map[string]string{"classic": "dama", "damath": "damath"} {
		for seat := range 2 {
			p := startPlayer(t, example)
			players := []gametest.Player{gametest.Gone, gametest.Gone}
			players[seat] = p.Answer
			got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: players, Args: map[string]string{"rules": rules}})
			p.Finish(got.Seats[seat])
			if got.Result.Seats[seat].Ended != sdk.EndedFinished {
				t.Errorf("%s: the player ended as %q", rules, got.Result.Seats[seat].Ended)
			}
		}
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
