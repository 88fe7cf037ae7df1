package gametest

import (
	"strings"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// Script answers with the given lines in turn and is disconnected after the last.
func Script(lines ...string) Player { return Then(Gone, lines...) }

// Then answers with the given lines in turn, and after the last like next.
func Then(next Player, lines ...string) Player {
	return func(q Question) (string, error) {
		if q.Number >= len(lines) {
			return next(q)
		}
		return lines[q.Number], nil
	}
}

// Leaving answers like p until it has given that many answers, and then is
// disconnected.
func Leaving(answers int, p Player) Player {
	return func(q Question) (string, error) {
		if q.Number >= answers {
			return Gone(q)
		}
		return p(q)
	}
}

// Random picks among the legal answers, each with the same chance. It is
// disconnected at a question without legal answers.
func Random(seed uint64) Player {
	r := driver.NewRand(seed, 0)
	return func(q Question) (string, error) {
		if len(q.Legal) == 0 {
			return Gone(q)
		}
		return q.Legal[r.Intn(len(q.Legal))], nil
	}
}

// Slow answers like p, and each answer takes it the given number of seconds. It
// times out at a question with less time.
func Slow(seconds float64, p Player) Player {
	return func(q Question) (string, error) {
		q.take(time.Duration(seconds * float64(time.Second)))
		return p(q)
	}
}

// Missing answers like p, but times out at every n-th question, the first of which is
// number n-1.
func Missing(n int, p Player) Player {
	return func(q Question) (string, error) {
		if q.Number%n == n-1 {
			return Late(q)
		}
		return p(q)
	}
}

// Flooding answers like p, and in a tick sends the given number of nonsensical lines before
// each answer.
func Flooding(lines int, p Player) Player {
	return func(q Question) (string, error) {
		line, err := p(q)
		if q.Tick && err == nil {
			line = strings.Repeat(garbage+"\n", lines) + line
		}
		return line, err
	}
}

// Endless gives the same answer to every question.
func Endless(line string) Player {
	return func(Question) (string, error) { return line, nil }
}

// Late times out at every question.
func Late(Question) (string, error) { return "", sdk.ErrTimeout }

// Gone is disconnected at every question.
func Gone(Question) (string, error) { return "", sdk.ErrDisconnected }

// Unruly answers like Random, except that one answer in a hundred is a timeout, a
// disconnection, an illegal line or an empty one.
func Unruly(seed uint64) Player {
	legal, r := Random(seed), driver.NewRand(seed, 1)
	return func(q Question) (string, error) {
		if r.Intn(100) > 0 {
			return legal(q)
		}
		switch r.Intn(4) {
		case 0:
			return Late(q)
		case 1:
			return Gone(q)
		case 2:
			return "", nil
		default:
			return "unruly 7 -1 ä", nil
		}
	}
}

// Fewer returns n, or a fifth of it under the race detector. It is for tests that
// play or search hundreds of times.
func Fewer(n int) int {
	if race {
		return (n + 4) / 5
	}
	return n
}
