package main

import (
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

func TestExamplePlayerPlaysToTheEnd(t *testing.T) {
	command := []string{"python3", "../../examples/taacoca/player.py"}
	tests := []struct {
		name     string
		start    func(t testing.TB, command ...string) *gametest.Program
		seat     int
		opponent gametest.Player // nil: the server bot
		wins     bool            // for certain
	}{
		{"as white", gametest.StartProgram, 0, gametest.Random(1), false},
		{"as black", gametest.StartProgram, 1, gametest.Random(2), false},
		{"against the bot", gametest.StartProgram, 0, nil, false},
		{"against the bot as black", gametest.StartProgram, 1, nil, false},
		{"on named pipes", gametest.StartProgramOnPipes, 1, gametest.Random(3), false},
		{"against one that retires", gametest.StartProgram, 0, gametest.Then(gametest.Late, "G3 G4 G5 R"), true},
		{"on named pipes against one that is gone", gametest.StartProgramOnPipes, 0, gametest.Gone, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.start(t, command...)
			players := []gametest.Player{tt.opponent, tt.opponent}
			players[tt.seat] = p.Answer
			got := playMatch(t, gametest.Match{Players: players, Thoughts: 4})
			p.Finish(got.Seats[tt.seat])
			r := got.Result.Seats[tt.seat]
			if r.Ended != sdk.EndedFinished || tt.wins && r.Score != 1 {
				t.Errorf("the example ended as %+v\n%s", r, got)
			}
		})
	}
}
