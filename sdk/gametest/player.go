package gametest

import (
	"testing"

	"colosseum/sdk"
)

// RunPlayer puts a program that plays a game through what it will meet: random
// players on every seat, itself, a server bot, named pipes, and players who leave
// at once or later. It must never forfeit, and must end by itself, with success,
// when the match has ended. The args are those of the matches.
func RunPlayer(t testing.TB, game *sdk.Game, args map[string]string, command ...string) {
	t.Helper()
	random := func(seat int) Player { return Random(uint64(seat)) }
	tests := []struct {
		against string
		start   func(testing.TB, ...string) *Program
		other   func(seat int) Player // who plays on another seat; nil: the program, too
	}{
		{"random players", StartProgram, random},
		{"itself", StartProgram, nil},
		{"random players, on named pipes", StartProgramOnPipes, random},
		{"players who are gone", StartProgram, func(int) Player { return Gone }},
		{"players who leave", StartProgram, func(seat int) Player { return Leaving(2, random(seat)) }},
		{"a bot", StartProgram, botsAmong(game, random)},
	}
	for i, tt := range tests {
		for seat := range game.MinPlayers {
			if i > 0 && seat != i%game.MinPlayers {
				continue // every seat once is enough
			}
			programs := map[int]*Program{}
			m := Match{Game: game, Args: args, Seed: uint64(i)}
			for s := range game.MinPlayers {
				if s == seat || tt.other == nil {
					programs[s] = tt.start(t, command...)
					m.Players = append(m.Players, programs[s].Answer)
				} else {
					m.Players = append(m.Players, tt.other(s))
				}
			}
			got := MustPlay(t, m)
			for s, p := range programs {
				p.Finish(got.Seats[s])
				if ended := got.Result.Seats[s].Ended; ended != sdk.EndedFinished {
					t.Errorf("against %s, the program on seat %d ended as %q:\n%s", tt.against, s, ended, got.Seats[s])
				}
			}
		}
	}
}

// botsAmong returns as many server bots as a game allows, and then others.
func botsAmong(game *sdk.Game, other func(seat int) Player) func(seat int) Player {
	bots := 0
	return func(seat int) Player {
		if bots++; bots <= game.MaxBots {
			return nil
		}
		return other(seat)
	}
}
