package lobby

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/protocol"
)

func TestWaitingMatchesOfAnAddressAreLimited(t *testing.T) {
	inLobby(t, 100, func(t *testing.T, l *testLobby) {
		l.SetLimits(Limits{Matches: 100, Expiry: time.Minute, Waiting: 2, Stall: time.Minute})
		create := func(from string) (string, error) {
			return l.Create(context.Background(), Client{Address: from}, protocol.GameNew{Name: "T", Game: "duel", Params: protocol.GameParams{Bots: 1}})
		}
		try := func(from string, want error) (id string) {
			t.Helper()
			id, err := create(from)
			if !errors.Is(err, want) {
				t.Errorf("a match from %q: got %v, want %v", from, err, want)
			}
			return id
		}
		first := try("10.1.1.1", nil)
		try("10.1.1.1", nil)
		try("10.1.1.1", errWaiting)
		try("10.2.2.2", nil)
		for range 5 {
			try("", nil) // no address, no limit
		}
		l.mustJoin(t, l.client("alice"), first) // it begins
		try("10.1.1.1", nil)
		try("10.1.1.1", errWaiting)
		time.Sleep(time.Minute) // all that wait expire
		synctest.Wait()
		try("10.1.1.1", nil)
		if got := l.Stats().Refused[LimitWaiting]; got != 2 {
			t.Errorf("%d refusals were counted, want 2", got)
		}
		if n := len(l.waiting); n != 1 {
			t.Errorf("%d addresses are remembered, want 1", n)
		}
	})
}

func TestMatchesAreCountedByGameAndState(t *testing.T) {
	inLobby(t, 3, func(t *testing.T, l *testLobby) {
		watched := l.create(t, nil)
		l.mustWatch(t, l.client("zoe"), watched)
		id := l.create(t, withBot)
		l.mustJoin(t, l.client("alice"), id)
		synctest.Wait()
		l.create(t, func(r *protocol.GameNew) { r.Game = "solo" })
		if _, err := l.Create(context.Background(), Client{}, protocol.GameNew{Name: "T", Game: "duel"}); !errors.Is(err, ErrFull) {
			t.Errorf("a fourth match: got %v, want %v", err, ErrFull)
		}
		check := func(when, duel, solo string) {
			t.Helper()
			synctest.Wait()
			for game, want := range map[string]string{"duel": duel, "solo": solo} {
				g := l.Stats().Games[game]
				got := fmt.Sprintf("%d waiting, %d running, %d watching, %d created, %d expired, %d finished, aborted %v",
					g.Waiting, g.Running, g.Spectators, g.Created, g.Expired, g.Finished, g.Aborted)
				if got != want+" finished, aborted map[]" {
					t.Errorf("%s: %s has %s, want %s", when, game, got, want)
				}
			}
		}
		check("at first", "1 waiting, 1 running, 1 watching, 2 created, 0 expired, 0", "1 waiting, 0 running, 0 watching, 1 created, 0 expired, 0")
		l.duel.end()
		check("after a match ended", "1 waiting, 0 running, 1 watching, 2 created, 0 expired, 1", "1 waiting, 0 running, 0 watching, 1 created, 0 expired, 0")
		time.Sleep(time.Hour)
		check("after the others expired", "0 waiting, 0 running, 0 watching, 2 created, 1 expired, 1", "0 waiting, 0 running, 0 watching, 1 created, 1 expired, 0")
		if got := l.Stats().Refused[LimitMatches]; got != 1 {
			t.Errorf("%d refusals were counted, want 1", got)
		}
	})
}
