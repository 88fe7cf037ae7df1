// Package gamefixture has helpers for the tests of this repository's games, in
// addition to package gametest, which is for every author.
package gamefixture

import (
	"testing"

	"colosseum/internal/playerprocess"
	"colosseum/internal/test/long"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// Program is a player that runs as a process. Its method Answer is a
// [gametest.Player].
type Program struct{ process *playerprocess.Process }

// StartProgram starts a player that uses its standard input and output.
func StartProgram(t testing.TB, command ...string) Program {
	t.Helper()
	return Program{playerprocess.Start(t, command...)}
}

// StartProgramOnPipes starts a player that uses the named pipes of coco.
func StartProgramOnPipes(t testing.TB, command ...string) Program {
	t.Helper()
	return Program{playerprocess.StartOnPipes(t, command...)}
}

// Answer sends the program its stream and returns the line that it writes.
func (p Program) Answer(q gametest.Question) (string, error) { return p.process.Answer(q.Stream) }

// Finish sends the program the rest of its stream. The test fails unless it then
// exits with status 0 and writes at most one further line.
func (p Program) Finish(stream string) { p.process.Finish(stream) }

// RunPlayer runs the program of an example player in matches of two. The test fails if the
// program forfeits, or does not exit by itself at the end. In the short run it plays once from
// each seat: with standard input and output against a player who leaves, and with the named
// pipes of coco against a bot, or a random player if the game has none. In depth it plays all
// matches of [gametest.RunPlayer], and more on named pipes.
func RunPlayer(t testing.TB, game *sdk.Game, args map[string]string, command ...string) {
	t.Helper()
	if !long.Run() {
		playOnce(t, game, args, 0, gametest.Leaving(2, gametest.Random(0)), StartProgram(t, command...))
		opponent := gametest.Random(1)
		if game.MaxBots > 0 {
			opponent = nil
		}
		playOnce(t, game, args, 1, opponent, StartProgramOnPipes(t, command...))
		return
	}
	gametest.RunPlayer(t, game, args, command...)
	for seat, other := range []gametest.Player{gametest.Random(1), gametest.Gone} {
		playOnce(t, game, args, seat, other, StartProgramOnPipes(t, command...))
	}
}

// playOnce plays a match of two with a program on one seat.
func playOnce(t testing.TB, game *sdk.Game, args map[string]string, seat int, opponent gametest.Player, p Program) {
	t.Helper()
	players := []gametest.Player{opponent, opponent}
	players[seat] = p.Answer
	got := gametest.MustPlay(t, gametest.Match{Game: game, Args: args, Seed: uint64(seat), Players: players})
	p.Finish(got.Seats[seat])
	if ended := got.Result.Seats[seat].Ended; ended != driver.EndedFinished {
		t.Errorf("the program on seat %d ended as %q, want %q:\n%s", seat, ended, driver.EndedFinished, got.Seats[seat])
	}
}
