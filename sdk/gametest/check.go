package gametest

import (
	"fmt"
	"strings"
	"testing"

	"colosseum/sdk"
)

// Expect makes the test fail unless the spectators and each seat received these
// streams. The lines that a seat sent begin with >.
func (t *Transcript) Expect(tb testing.TB, spectators string, seats ...string) {
	tb.Helper()
	names := make([]string, len(seats))
	for seat := range names {
		names[seat] = fmt.Sprint("seat ", seat)
	}
	t.expect(tb, spectators, seats, names)
}

func (t *Transcript) expect(tb testing.TB, spectators string, seats, names []string) {
	tb.Helper()
	if len(seats) != len(t.Seats) {
		tb.Fatalf("%d seats, want %d", len(t.Seats), len(seats))
	}
	for seat, want := range seats {
		if got := t.Seats[seat]; got != want {
			tb.Errorf("%s receives\n%s\nwant\n%s", names[seat], got, want)
		}
	}
	if t.Spectators != spectators {
		tb.Errorf("the spectators receive\n%s\nwant\n%s", t.Spectators, spectators)
	}
}

// ExpectResult makes the test fail unless the match ended for this reason, and for
// each seat like "score 1, rank 1, finished" or "score 0, rank 2, forfeit: timeout", with
// ", team 1" after it for the seat of a team.
func (t *Transcript) ExpectResult(tb testing.TB, reason string, seats ...string) {
	tb.Helper()
	if t.Result.Reason != reason {
		tb.Errorf("the match ended by %q, want %q", t.Result.Reason, reason)
	}
	if len(seats) != len(t.Seats) {
		tb.Fatalf("%d seats, want %d", len(t.Seats), len(seats))
	}
	for seat, want := range seats {
		if got := t.ended(seat); got != want {
			tb.Errorf("seat %d ended with %q, want %q", seat, got, want)
		}
	}
}

// CheckParams makes the test fail unless the section "Game parameters" of a
// rules.md names every parameter of the game.
func CheckParams(t testing.TB, file string, game *sdk.Game) {
	t.Helper()
	_, section, _ := strings.Cut(readRules(t, file), "\n## Game parameters\n")
	for _, p := range game.Params {
		if !strings.Contains(section, "`"+p.Name+"`") {
			t.Errorf("%s: the section on game parameters has no `%s`, want every parameter", file, p.Name)
		}
	}
}

// CheckRefused makes the test fail unless the game refuses each value of a
// parameter with an error that contains want, such as "from 0 to 30".
func CheckRefused(t testing.TB, game *sdk.Game, param, want string, values ...string) {
	t.Helper()
	for _, value := range values {
		players := make([]Player, game.MinPlayers)
		for seat := range players {
			players[seat] = Gone
		}
		_, err := Play(Match{Game: game, Players: players, Args: map[string]string{param: value}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s=%s: got error %v, want one with %q", param, value, err, want)
		}
	}
}

// perftLimit bounds the counts that [Perft] compares under the race detector and
// with -short.
const perftLimit = 1_000_000

// Perft makes the test fail unless count returns these numbers for depth 1, 2 and
// so on. In a perft, count is the number of sequences of that many moves: it finds
// most errors of a move generator. Under the race detector and with -short, Perft
// leaves out the numbers above a million.
func Perft(t testing.TB, want []int, count func(depth int) int) {
	t.Helper()
	for i, want := range want {
		if (race || testing.Short()) && want > perftLimit {
			return
		}
		if got := count(i + 1); got != want {
			t.Errorf("perft(%d) = %d, want %d", i+1, got, want)
		}
	}
}
