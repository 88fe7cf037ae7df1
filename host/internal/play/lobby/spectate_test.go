package lobby

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/match"
	"colosseum/protocol"
)

func TestSpectatorsGetMessagesInTheOrderOfTheProtocol(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := l.create(t, func(r *protocol.GameNew) { r.Params.Bots, r.Password = 1, new("secret") })
		early, late, gone := l.client("early"), l.client("late"), l.client("gone")
		const unknown = `Game "0123456789abc" does not exists`
		if err := l.Spectate(early, "0123456789abc"); err == nil || err.Error() != unknown {
			t.Errorf("got %v, want %s", err, unknown)
		}
		l.mustWatch(t, early, id)
		l.expect(t, "early: watching waits watched by 1 [] false", "early: LobbyUpdate waits watched by 1 []")
		l.mustWatch(t, gone, id)
		l.log.take()
		l.Unspectate(gone, id)
		l.Unspectate(gone, id) // does nothing
		l.expect(t, "early: LobbyUpdate waits watched by 1 []")
		if err := l.Join(l.client("alice"), Client{}, protocol.LobbyJoinMatch{ID: id, Name: "alice", Password: new("secret")}); err != nil {
			t.Fatal(err)
		}
		l.expect(t,
			"alice: joined waits watched by 1 [alice]",
			"alice: LobbyUpdate waits watched by 1 [alice]", "early: LobbyUpdate waits watched by 1 [alice]",
			"alice: LobbyUpdate runs watched by 1 [alice]", "early: LobbyUpdate runs watched by 1 [alice]",
			"alice: started", "early: playing 0")
		l.duel.show("x\n")
		l.expect(t, `early: sees "x\n", over: false`)
		l.mustWatch(t, late, id)
		l.expect(t, "late: watching runs watched by 2 [alice] true")
		l.Unspectate(late, id)
		if n := l.List()[0].Spectators; n != 1 {
			t.Errorf("%d spectators, want 1", n)
		}
		l.duel.end()
		l.expect(t, "record: T finished", `alice: ended false ""`, `early: sees "x\n", over: true`)
		if err := l.Spectate(late, id); err == nil {
			t.Error("watching an ended match: got no error, want one")
		}
	})
}

func TestSpectatorsOfAGameWithADelaySeeItLater(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := l.create(t, func(r *protocol.GameNew) { r.Game, r.Params.Clock = "cards", &protocol.Clock{Bank: 60} })
		early := l.client("early")
		l.mustWatch(t, early, id)
		l.mustJoin(t, unlogged("alice"), id)
		synctest.Wait()
		if info, _ := l.Info(id); info.Delay != 20 {
			t.Errorf("got a delay of %v s in the list of matches, want 20", info.Delay)
		}
		for player, want := range map[bool]match.Clock{true: {Name: "alice", Timed: true, Bank: time.Minute}, false: {Name: "alice"}} {
			if clocks, running := l.ClocksFor(id, player); !running || !slices.Equal(clocks, []match.Clock{want}) {
				t.Errorf("the clocks for a player (%t) are %+v, want %+v", player, clocks, want)
			}
		}
		l.log.take()
		l.solo.show("x\n")
		time.Sleep(19 * time.Second)
		l.expect(t)
		time.Sleep(2 * time.Second)
		l.expect(t, `early: sees "x\n", over: false`)
		l.solo.show("y\n")
		l.solo.end()
		l.expect(t, "record: T finished", `early: sees "x\ny\n", over: true`)
	})
}

func TestSpectatorCountsAsManyAsItWeighs(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := l.create(t, nil)
		host, one := l.client("host"), l.client("one")
		l.mustWatch(t, host, id)
		l.mustWatch(t, one, id)
		for _, step := range []struct {
			do   func()
			want int
		}{
			{func() { l.CountAs(host, id, 1000) }, 1001}, {func() { l.CountAs(host, id, 20) }, 21}, {func() { l.Unspectate(one, id) }, 20},
			{func() { l.CountAs(one, id, 5) }, 20}, {func() { l.Unspectate(host, id) }, 0},
		} {
			step.do()
			if n := l.List()[0].Spectators; n != step.want {
				t.Errorf("got %d spectators, want %d", n, step.want)
			}
		}
		l.CountAs(host, "0123456789abc", 5) // does nothing
	})
}
