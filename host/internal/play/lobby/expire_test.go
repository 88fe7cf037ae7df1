package lobby

import (
	"testing"
	"testing/synctest"
	"time"

	"colosseum/protocol"
)

func TestWaitingMatchExpires(t *testing.T) {
	tests := []struct {
		name string
		do   func(t *testing.T, l *testLobby, id string) // at minute 9 and again at 18
		want time.Duration                               // after its creation
	}{
		{"untouched", nil, 10 * time.Minute},
		{"joined", func(t *testing.T, l *testLobby, id string) {
			if l.entries[id].players == nil {
				l.mustJoin(t, l.client("alice"), id)
			}
		}, 19 * time.Minute},
		{"joined and left", func(t *testing.T, l *testLobby, id string) {
			if e := l.entries[id]; len(e.players) == 0 {
				l.mustJoin(t, l.client("alice"), id)
			} else {
				l.Leave(e.players[0], id)
			}
		}, 28 * time.Minute},
		{"watched", func(t *testing.T, l *testLobby, id string) { l.mustWatch(t, l.client("eve"), id) }, 10 * time.Minute},
		{"refused", func(_ *testing.T, l *testLobby, id string) {
			_ = l.Join(l.client("a b"), Client{}, protocol.LobbyJoinMatch{ID: id, Name: "a b"})
		}, 10 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inLobby(t, 10, func(t *testing.T, l *testLobby) {
				start := time.Now()
				id := l.create(t, nil)
				for minutes := 9; minutes <= 18; minutes += 9 {
					time.Sleep(time.Until(start.Add(time.Duration(minutes) * time.Minute)))
					synctest.Wait()
					if tt.do != nil && len(l.List()) > 0 {
						tt.do(t, l, id)
					}
				}
				if at := start.Add(tt.want).Add(-time.Second); time.Now().Before(at) {
					time.Sleep(time.Until(at))
					l.expectMatches(t, 1)
				}
				time.Sleep(time.Until(start.Add(tt.want)))
				l.expectMatches(t, 0)
			})
		})
	}
}

// The timer can fire while a join holds the lobby's lock.
func TestTimerThatFiredBeforeAJoinDoesNotRemoveTheMatch(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.limits.Expiry = 500 * time.Millisecond
		id := l.create(t, nil)
		e := l.entries[id]
		time.Sleep(100 * time.Millisecond)
		l.mustJoin(t, l.client("alice"), id)
		l.expire(e)
		l.expectMatches(t, 1)
		time.Sleep(500 * time.Millisecond)
		l.expectMatches(t, 0)
	})
}

func TestExpiryIsReportedToEverybody(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := l.create(t, nil)
		l.mustJoin(t, l.client("alice"), id)
		l.mustWatch(t, l.client("eve"), id)
		l.Subscribe(l.client("feed"), l.Generation)
		l.log.take()
		time.Sleep(600 * time.Second)
		l.expect(t, "alice: expired", "eve: expired", "feed: LobbyDelete")
		if err := l.Join(l.client("bob"), Client{}, protocol.LobbyJoinMatch{ID: id, Name: "bob"}); err == nil {
			t.Error("joining after the expiry: got no error, want one")
		}
	})
}

func TestRunningMatchDoesNotExpire(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.mustJoin(t, l.client("alice"), l.create(t, withBot))
		synctest.Wait()
		for range 100 { // texts, so that the referee does not count as silent
			time.Sleep(20 * time.Second)
			l.duel.show("x\n")
			synctest.Wait()
		}
		l.expectMatches(t, 1)
	})
}
