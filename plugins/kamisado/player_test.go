package main

import (
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

func startPlayer(t *testing.T) *gametest.Program {
	return gametest.StartProgram(t, "python3", "../../examples/kamisado/player.py")
}

func TestExamplePlayerPlaysToTheEnd(t *testing.T) {
	for seed := range uint64(4) {
		a, b := startPlayer(t), startPlayer(t)
		got := gametest.MustPlay(t, gametest.Match{
			Game: &game, Players: []gametest.Player{a.Answer, b.Answer}, Seed: seed,
		})
		a.Finish(got.Seats[0])
		b.Finish(got.Seats[1])
		for seat, r := range got.Result.Seats {
			if r.Ended != sdk.EndedFinished {
				t.Errorf("seed %d: seat %d ended as %q", seed, seat, r.Ended)
			}
		}
	}
}

func TestExamplePlayerLeavesWhenTheOpponentRetires(t *testing.T) {
	p := startPlayer(t)
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Gone, p.Answer}, Seed: 1})
	p.Finish(got.Seats[1])
	if got.Result.Seats[1].Score != 1 {
		t.Errorf("ended as %+v, want a win", got.Result.Seats[1])
	}
}
