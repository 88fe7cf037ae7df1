package lobby

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/match"
	"colosseum/protocol"
)

func TestCreateRefusesWithTheTextsOfTheProtocol(t *testing.T) {
	const badName = `is not a valid game name: use 1 to 24 printable ASCII characters`
	tests := []struct {
		name   string
		change func(*protocol.GameNew)
		want   string
	}{
		{"unknown game", func(r *protocol.GameNew) { r.Game = "chess" }, "Game not found"},
		{"no name", func(r *protocol.GameNew) { r.Name = "" }, `"" ` + badName},
		{"long name", func(r *protocol.GameNew) { r.Name = strings.Repeat("x", 25) }, `"xxxxxxxxxxxxxxxxxxxxxxxxx" ` + badName},
		{"very long name", func(r *protocol.GameNew) { r.Name = strings.Repeat("x", 1000) }, `"` + strings.Repeat("x", 64) + `…" ` + badName},
		{"name with a line feed", func(r *protocol.GameNew) { r.Name = "a\nb" }, `"a\nb" ` + badName},
		{"name that is not ASCII", func(r *protocol.GameNew) { r.Name = "é" }, `"é" ` + badName},
		{"wrong verification", func(r *protocol.GameNew) { r.Verification = new("hunter2") }, `"***" is the wrong verification password`},
		{"empty verification", func(r *protocol.GameNew) { r.Verification = new("") }, `"***" is the wrong verification password`},
		{"long password", func(r *protocol.GameNew) { r.Password = new(strings.Repeat("p", 33)) }, `"***" is not a valid password: use 0 to 32 printable ASCII characters without spaces`},
		{"password with a space", func(r *protocol.GameNew) { r.Password = new("hunter 2") }, `"***" is not a valid password: use 0 to 32 printable ASCII characters without spaces`},
		{"long timeout", func(r *protocol.GameNew) { r.Params.Timeout = new(1000.0) }, "Timeout 1000 out of allowed range [0.1; 600]"},
		{"short timeout", func(r *protocol.GameNew) { r.Params.Timeout = new(0.05) }, "Timeout 0.05 out of allowed range [0.1; 600]"},
		{"no timeout", func(r *protocol.GameNew) { r.Params.Timeout = new(0.0) }, "Timeout 0 out of allowed range [0.1; 600]"},
		{"timeout that is not a number", func(r *protocol.GameNew) { r.Params.Timeout = new(math.NaN()) }, "Timeout NaN out of allowed range [0.1; 600]"},
		{"no bank", func(r *protocol.GameNew) { r.Params.Clock = &protocol.Clock{Increment: 1} }, "Clock 0+1 out of allowed range: the bank is from 1 to 86400 seconds, the increment from 0 to 600"},
		{"all bots", func(r *protocol.GameNew) { r.Params.Players, r.Params.Bots = new(2), 2 }, "Cannot have all server bots"},
		{"as many bots as default players", func(r *protocol.GameNew) { r.Game, r.Params.Bots = "solo", 1 }, "Cannot have all server bots"},
		{"too many bots", func(r *protocol.GameNew) { r.Game, r.Params.Players, r.Params.Bots = "solo", new(3), 4 }, "Cannot have all server bots"},
		{"as many bots as default players, too many", func(r *protocol.GameNew) { r.Params.Bots = 2 }, "Cannot have all server bots"},
		{"negative bots", func(r *protocol.GameNew) { r.Params.Bots = -1 }, "Cannot create game: Cannot create game with -1 bots: a match has from 0 to 100 bots"},
		{"101 bots", func(r *protocol.GameNew) { r.Params.Bots = 101 }, "Cannot create game: Cannot create game with 101 bots: a match has from 0 to 100 bots"},
		{"a negative timeout", func(r *protocol.GameNew) { r.Params.Timeout = new(-1.0) }, "Timeout -1 out of allowed range [0.1; 600]"},
		{"three players", func(r *protocol.GameNew) { r.Params.Players = new(3) }, "Cannot create game: Cannot create game with 3 players: duel is played by exactly 2 players"},
		{"no players", func(r *protocol.GameNew) { r.Params.Players = new(0) }, "Cannot create game: Cannot create game with 0 players: duel is played by exactly 2 players"},
		{"negative players", func(r *protocol.GameNew) { r.Params.Players = new(-2) }, "Cannot create game: Cannot create game with -2 players: a match has from 1 to 100 players"},
		{"101 players", func(r *protocol.GameNew) { r.Params.Players = new(101) }, "Cannot create game: Cannot create game with 101 players: a match has from 1 to 100 players"},
		{"number of rounds", func(r *protocol.GameNew) { r.Args = map[string]string{"rounds": "0"} }, `Cannot create game: Invalid number of rounds: rounds="0" is not a whole number from 1 to 99`},
		{"unknown parameter", func(r *protocol.GameNew) { r.Args = map[string]string{"round": "1"} }, `Cannot create game: unknown parameter "round" (have rounds)`},
		{"game that does not answer", func(r *protocol.GameNew) { r.Game = "silent" }, "Cannot create game: silent does not answer"},
	}
	l := newTestLobby(10)
	defer l.shut()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := protocol.GameNew{Name: "T", Game: "duel"}
			tt.change(&r)
			id, err := l.Create(context.Background(), Client{}, r)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %q, %v, want %s", id, err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter") {
				t.Errorf("got %q, want an error without the secret", err)
			}
		})
	}
	if n := len(l.List()); n != 0 {
		t.Errorf("%d matches were created, want none", n)
	}
}

func TestCreatedMatchIsInTheLobbyAsRequested(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		expiry := time.Now().Add(600 * time.Second).Unix()
		plain := l.create(t, nil)
		full := l.create(t, func(r *protocol.GameNew) {
			r.Name = "a name with spaces and $" // 24 characters
			r.Params = protocol.GameParams{Players: new(2), Bots: 1, Timeout: new(0.1)}
			r.Args = map[string]string{"rounds": "5"}
			r.Password, r.Verification = new(""), new(secret)
		})
		if !ValidID(plain) || !ValidID(full) || plain == full {
			t.Errorf("the IDs are %q and %q, want two valid ones", plain, full)
		}
		want := map[string]protocol.MatchInfo{
			plain: {Players: 2, Timeout: 30, Args: map[string]string{}, ID: plain, Name: "T", Game: "duel", Time: expiry, Connected: []string{}},
			full: {
				Players: 2, Bots: 1, Timeout: 0.1, Args: map[string]string{"rounds": "5"}, ID: full, Name: "a name with spaces and $", Game: "duel",
				Time: expiry, Connected: []string{}, Password: true, Verified: true,
			},
		}
		list := l.List()
		if len(list) != 2 {
			t.Fatalf("the lobby has %d matches, want 2", len(list))
		}
		for _, got := range list {
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want[got.ID]) {
				t.Errorf("got  %+v\nwant %+v", got, want[got.ID])
			}
		}
	})
}

func TestMatchWithAClockHasATimeoutThatLeavesTheLimitToTheClock(t *testing.T) {
	tests := []struct {
		name    string
		params  protocol.GameParams
		timeout float64
	}{
		{"a bank", protocol.GameParams{Clock: &protocol.Clock{Bank: 60, Increment: 1}}, 60},
		{"a bank below the game's timeout", protocol.GameParams{Clock: &protocol.Clock{Bank: 5}}, 30},
		{"a bank above all timeouts", protocol.GameParams{Clock: &protocol.Clock{Bank: 3600}}, 600},
		{"a bank and a timeout", protocol.GameParams{Clock: &protocol.Clock{Bank: 60}, Timeout: new(2.0)}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inLobby(t, 10, func(t *testing.T, l *testLobby) {
				id := l.create(t, func(r *protocol.GameNew) { r.Params, r.Params.Bots = tt.params, 1 })
				got := l.List()[0]
				if got.Timeout != tt.timeout || got.Clock == nil || *got.Clock != *tt.params.Clock {
					t.Errorf("got the timeout %v and the clock %v, want %v and %v", got.Timeout, got.Clock, tt.timeout, tt.params.Clock)
				}
				l.mustJoin(t, l.client("alice"), id)
				synctest.Wait()
				clocks, running := l.Clocks(id)
				want := match.Clock{Name: "alice", Timed: true, Bank: time.Duration(tt.params.Clock.Bank) * time.Second}
				if !running || len(clocks) != 1 || clocks[0] != want {
					t.Errorf("got the clocks %+v, want %+v", clocks, want)
				}
			})
		})
	}
}

func TestCapacityCountsMatchesThatWaitOrRun(t *testing.T) {
	inLobby(t, 2, func(t *testing.T, l *testLobby) {
		id := l.create(t, withBot)
		l.create(t, nil)
		l.mustJoin(t, l.client("alice"), id)
		synctest.Wait()
		const want = "Server is at maximum capacity"
		if _, err := l.Create(context.Background(), Client{}, protocol.GameNew{Name: "T", Game: "duel"}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		l.duel.end()
		synctest.Wait()
		l.create(t, nil)
	})
}
