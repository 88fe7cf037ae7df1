package gametest

import (
	"testing"

	"colosseum/internal/playerprocess"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// RunPlayer runs a player's program, which uses standard input and output, in
// matches against random players on every seat, against itself, against a server
// bot, and against players who leave at once or later. The test fails if the
// program forfeits or does not exit by itself, with status 0, at the end of a
// match. It is skipped if the command is not installed. The args are the
// parameters of the matches. In a game with ticks the program must write one line in each.
func RunPlayer(t testing.TB, game *sdk.Game, args map[string]string, command ...string) {
	t.Helper()
	runPlayer(t, game, args, func() program { return playerprocess.Start(t, command...) })
}

// program is a running [playerprocess.Process].
type program interface {
	Answer(stream string) (string, error)
	Finish(stream string)
}

func runPlayer(t testing.TB, game *sdk.Game, args map[string]string, start func() program) {
	t.Helper()
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

// playerMatch is a match of a program.
type playerMatch struct {
	against string
	start   func() program
	other   func(seat int) Player // the player of another seat; nil: the program plays them too
}

func (pm playerMatch) play(t testing.TB, game *sdk.Game, args map[string]string, seat int) {
	t.Helper()
	programs := map[int]program{}
	m := Match{Game: game, Args: args, Seed: uint64(seat)}
	for s := range game.MinPlayers {
		if s != seat && pm.other != nil {
			m.Players = append(m.Players, pm.other(s))
			continue
		}
		p := pm.start()
		programs[s] = p
		m.Players = append(m.Players, func(q Question) (string, error) { return p.Answer(q.Stream) })
	}
	got := MustPlay(t, m)
	for s, p := range programs {
		p.Finish(got.Seats[s])
		if ended := got.Result.Seats[s].Ended; ended != driver.EndedFinished {
			t.Errorf("against %s, the program on seat %d ended as %q, want %q:\n%s", pm.against, s, ended, driver.EndedFinished, got.Seats[s])
		}
	}
}

func randomly(seat int) Player { return Random(uint64(seat)) }

// botsAmong returns a function that returns a server bot as often as the game
// allows bots in a match, and then other players.
func botsAmong(game *sdk.Game, other func(seat int) Player) func(seat int) Player {
	bots := 0
	return func(seat int) Player {
		if bots++; bots <= game.MaxBots {
			return nil
		}
		return other(seat)
	}
}
