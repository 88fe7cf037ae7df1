package gametest

import (
	"testing"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// Script answers with the given lines in turn, and is gone after the last.
func Script(lines ...string) Player {
	return func(q Question) (string, error) {
		if q.Number >= len(lines) {
			return "", sdk.ErrDisconnected
		}
		return lines[q.Number], nil
	}
}

// Then answers with the given lines in turn, and from then on as another player.
func Then(next Player, lines ...string) Player {
	return func(q Question) (string, error) {
		if q.Number >= len(lines) {
			return next(q)
		}
		return lines[q.Number], nil
	}
}

// Leaving answers so many times as another player does, and then is gone.
func Leaving(answers int, p Player) Player {
	return func(q Question) (string, error) {
		if q.Number >= answers {
			return "", sdk.ErrDisconnected
		}
		return p(q)
	}
}

// Random picks among the legal answers, each with the same chance.
func Random(seed uint64) Player {
	r := driver.NewRand(seed, 0)
	return func(q Question) (string, error) {
		if len(q.Legal) == 0 {
			return "", sdk.ErrDisconnected
		}
		return q.Legal[r.Intn(len(q.Legal))], nil
	}
}

// Slow answers as another player does, and takes so many seconds for each answer.
// When it has less, it is late.
func Slow(seconds float64, p Player) Player {
	return func(q Question) (string, error) {
		q.take(time.Duration(seconds * float64(time.Second)))
		return p(q)
	}
}

// Endless answers with the same line for ever.
func Endless(line string) Player {
	return func(Question) (string, error) { return line, nil }
}

// Late never answers in time.
func Late(Question) (string, error) { return "", sdk.ErrTimeout }

// Gone has lost its connection.
func Gone(Question) (string, error) { return "", sdk.ErrDisconnected }

// Unruly answers as Random does, but for one answer in a hundred: it may be
// late, gone, nonsense, or nothing at all.
func Unruly(seed uint64) Player {
	legal, r := Random(seed), driver.NewRand(seed, 1)
	return func(q Question) (string, error) {
		if r.Intn(100) > 0 {
			return legal(q)
		}
		switch r.Intn(4) {
		case 0:
			return "", sdk.ErrTimeout
		case 1:
			return "", sdk.ErrDisconnected
		case 2:
			return "", nil
		default:
			return "unruly 7 -1 ä", nil
		}
	}
}

// BotAgainstRandom plays matches of two between the game's bot, which thinks as
// often for each line as is given, and a random player. They take the seats in
// turn. It returns the bot's points.
func BotAgainstRandom(t testing.TB, game *sdk.Game, matches, thoughts int) (points float64) {
	t.Helper()
	for seed := range uint64(matches) {
		bot := int(seed % 2)
		players := []Player{nil, nil}
		players[1-bot] = Random(seed)
		got := MustPlay(t, Match{Game: game, Players: players, Seed: seed, Thoughts: thoughts})
		if ended := got.Result.Seats[bot].Ended; ended != driver.EndedFinished {
			t.Fatalf("seed %d: the bot ended as %q\n%s", seed, ended, got)
		}
		points += got.Result.Seats[bot].Score
	}
	t.Logf("the bot made %v points in %d matches against random players", points, matches)
	return points
}

// Fewer returns n, or a fifth of it under the race detector: for tests that play
// or search by the hundred.
func Fewer(n int) int {
	if Race {
		return (n + 4) / 5
	}
	return n
}
