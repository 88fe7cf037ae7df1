package gametest

import "colosseum/sdk"

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

// Random picks among the legal answers, each with the same chance.
func Random(seed uint64) Player {
	r := sdk.NewRand(seed, 0)
	return func(q Question) (string, error) {
		if len(q.Legal) == 0 {
			return "", sdk.ErrDisconnected
		}
		return q.Legal[r.Intn(len(q.Legal))], nil
	}
}

// Late never answers in time.
func Late(Question) (string, error) { return "", sdk.ErrTimeout }

// Gone has lost its connection.
func Gone(Question) (string, error) { return "", sdk.ErrDisconnected }

// Unruly answers as Random does, but for one answer in a hundred: it may be
// late, gone, nonsense, or nothing at all.
func Unruly(seed uint64) Player {
	legal, r := Random(seed), sdk.NewRand(seed, 1)
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

// Fewer returns n, or a fifth of it under the race detector: for tests that play
// or search by the hundred.
func Fewer(n int) int {
	if Race {
		return (n + 4) / 5
	}
	return n
}
