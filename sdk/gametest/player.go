package gametest

import (
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// RunPlayer puts a program that plays a game on its standard input and output
// through what it will meet: random players on every seat, itself, a server bot,
// and players who leave at once or later. It must never forfeit, and must end by
// itself, with success, when the match has ended. The args are those of the
// matches.
func RunPlayer(t testing.TB, game *sdk.Game, args map[string]string, command ...string) {
	t.Helper()
	start := func() *Program { return StartProgram(t, command...) }
	for seat := range game.MinPlayers {
		playerMatch{"random players", start, randomly}.play(t, game, args, seat)
	}
	last := game.MinPlayers - 1
	for _, m := range []playerMatch{
		{"itself", start, nil},
		{"a bot", start, botsAmong(game, randomly)},
		{"players who are gone", start, func(int) Player { return Gone }},
	} {
		m.play(t, game, args, last)
	}
	playerMatch{"players who leave", start, func(seat int) Player { return Leaving(2, randomly(seat)) }}.play(t, game, args, 0)
}

// RunPlayerOnPipes lets a program play that can also use the named pipes of coco:
// see [StartProgramOnPipes].
func RunPlayerOnPipes(t testing.TB, game *sdk.Game, args map[string]string, command ...string) {
	t.Helper()
	start := func() *Program { return StartProgramOnPipes(t, command...) }
	playerMatch{"random players", start, randomly}.play(t, game, args, 0)
	playerMatch{"players who are gone", start, func(int) Player { return Gone }}.play(t, game, args, game.MinPlayers-1)
}

// playerMatch is a match of a program.
type playerMatch struct {
	against string
	start   func() *Program
	other   func(seat int) Player // who plays on another seat; nil: the program, too
}

func (pm playerMatch) play(t testing.TB, game *sdk.Game, args map[string]string, seat int) {
	t.Helper()
	programs := map[int]*Program{}
	m := Match{Game: game, Args: args, Seed: uint64(seat)}
	for s := range game.MinPlayers {
		if s == seat || pm.other == nil {
			programs[s] = pm.start()
			m.Players = append(m.Players, programs[s].Answer)
		} else {
			m.Players = append(m.Players, pm.other(s))
		}
	}
	got := MustPlay(t, m)
	for s, p := range programs {
		p.Finish(got.Seats[s])
		if ended := got.Result.Seats[s].Ended; ended != driver.EndedFinished {
			t.Errorf("against %s, the program on seat %d ended as %q:\n%s", pm.against, s, ended, got.Seats[s])
		}
	}
}

func randomly(seat int) Player { return Random(uint64(seat)) }

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
