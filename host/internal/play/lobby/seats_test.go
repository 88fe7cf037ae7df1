package lobby

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk"
)

// changes collects the changes of a match, as in "reserved [bob], waits [alice]".
type changes struct{ lines []string }

func (c *changes) add(x Change) {
	line := fmt.Sprintf("kept for %v, %s", x.Info.Reserved, describe(x.Info))
	if x.Default {
		line += ", default"
	}
	if x.Gone {
		line += ", gone"
	}
	if x.Absent != nil {
		line += fmt.Sprintf(", absent %v", x.Absent)
	}
	if x.Reason != "" {
		line += ", because " + x.Reason
	}
	c.lines = append(c.lines, line)
}

func (c *changes) expect(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(c.lines, want) {
		t.Errorf("got the changes\n\t%s\nwant\n\t%s", strings.Join(c.lines, "\n\t"), strings.Join(want, "\n\t"))
	}
	c.lines = nil
}

// keep creates a duel with seats for the given players.
func (l *testLobby) keep(t *testing.T, change func(*protocol.GameNew), seats Seats) string {
	t.Helper()
	r := protocol.GameNew{Name: "T", Game: "duel"}
	if change != nil {
		change(&r)
	}
	if seats.Within == 0 {
		seats.Within = 15 * time.Second
	}
	info, err := l.CreateFor(context.Background(), Client{}, r, &seats)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(info.Reserved, seats.Players) {
		t.Errorf("new match: got seats kept for %v, want %v", info.Reserved, seats.Players)
	}
	return info.ID
}

func (l *testLobby) joinAs(id, name, player string) (*fakeClient, error) {
	c := unlogged(name)
	return c, l.Join(c, Client{Player: player}, protocol.LobbyJoinMatch{ID: id, Name: name})
}

func (l *testLobby) mustJoinAs(t *testing.T, id, name, player string) *fakeClient {
	t.Helper()
	c, err := l.joinAs(id, name, player)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (l *testLobby) expectReserved(t *testing.T, id string, want ...string) {
	t.Helper()
	info, err := l.Match(id)
	if err != nil || !slices.Equal(info.Reserved, want) {
		t.Errorf("got seats kept for %v and error %v, want %v", info.Reserved, err, want)
	}
}

func TestSeatIsKeptForItsPlayer(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		secret := "x"
		id := l.keep(t, func(r *protocol.GameNew) { r.Password = &secret }, Seats{Players: []string{"bob"}, Open: 1})
		if _, err := l.joinAs(id, "eve", "eve"); err == nil || err.Error() != "Wrong password" {
			t.Errorf("a player without a seat and password: got %v, want it refused", err)
		}
		c := unlogged("ann")
		if err := l.Join(c, Client{}, protocol.LobbyJoinMatch{ID: id, Name: "ann", Password: &secret}); err != nil {
			t.Fatal(err)
		}
		want := "the seats left in game \"" + id + "\" are kept for bob: join another match"
		err := l.Join(c, Client{Player: "eve"}, protocol.LobbyJoinMatch{ID: id, Name: "eve", Password: &secret})
		if err == nil || err.Error() != want {
			t.Errorf("joining when the last seat is kept: got %v, want %q", err, want)
		}
		l.mustJoinAs(t, id, "bob's", "bob") // without the password
		if info, _ := l.Info(id); !info.Running || len(info.Reserved) > 0 {
			t.Errorf("got %+v, want it running and no seat kept", info)
		}
	})
}

func TestLeavingKeepsTheSeatAgain(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := l.keep(t, nil, Seats{Players: []string{"ann", "bob"}})
		ann := l.mustJoinAs(t, id, "ann", "ann")
		l.expectReserved(t, id, "bob")
		if _, err := l.joinAs(id, "ann2", "ann"); err == nil {
			t.Error("a second seat for ann: got no error, want one")
		}
		l.Leave(ann, id)
		l.expectReserved(t, id, "bob", "ann")
		l.mustJoinAs(t, id, "ann", "ann")
		l.mustJoinAs(t, id, "bob", "bob")
	})
}

func TestLeavingAnOpenSeatKeepsNothing(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := l.keep(t, nil, Seats{Players: []string{"bob"}, Open: 1})
		eve := l.mustJoinAs(t, id, "eve", "eve")
		l.Leave(eve, id)
		l.expectReserved(t, id, "bob")
	})
}

func TestMatchWithKeptSeatsMustStartInTime(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		var seen changes
		id := l.keep(t, nil, Seats{Players: []string{"ann", "bob"}, Changed: seen.add})
		l.Subscribe(l.client("feed"), l.Generation)
		time.Sleep(14 * time.Second)
		ann := l.client("ann")
		if err := l.Join(ann, Client{Player: "ann"}, protocol.LobbyJoinMatch{ID: id, Name: "ann"}); err != nil {
			t.Fatal(err)
		}
		l.log.take()
		time.Sleep(time.Second) // the join has not given it more time
		l.expect(t, "ann: expiredbob did not join in time", "feed: LobbyDelete")
		seen.expect(t, "kept for [bob], waits [ann]", "kept for [bob], waits [ann], gone, absent [bob], because bob did not join in time")
		if e := l.Stats().Games["duel"].Expired; e != 1 {
			t.Errorf("counted %d expired matches, want 1", e)
		}
	})
}

func TestChangesAreReportedUntilTheMatchIsGone(t *testing.T) {
	tests := []struct {
		name string
		end  func(t *testing.T, l *testLobby, id string)
		want []string
	}{
		{"ended", func(t *testing.T, l *testLobby, id string) {
			l.mustJoinAs(t, id, "bob", "bob")
			synctest.Wait()
			l.duel.end()
		}, []string{"kept for [], waits [ann bob]", "kept for [], runs [ann bob]", "kept for [], runs [ann bob], gone"}},
		{"removed", func(t *testing.T, l *testLobby, id string) {
			if !l.Remove(id, "x") || l.Remove(id, "x") {
				t.Error("want the match removed once")
			}
		}, []string{"kept for [bob], waits [ann], gone, because x"}},
		{"closed", func(_ *testing.T, l *testLobby, _ string) { l.shut() }, []string{"kept for [bob], waits [ann], gone"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inLobby(t, 10, func(t *testing.T, l *testLobby) {
				var seen changes
				id := l.keep(t, nil, Seats{Players: []string{"ann", "bob"}, Changed: seen.add})
				l.mustJoinAs(t, id, "ann", "ann")
				seen.expect(t, "kept for [bob], waits [ann]")
				tt.end(t, l, id)
				synctest.Wait()
				seen.expect(t, tt.want...)
			})
		})
	}
}

func TestRunningMatchIsNotRemoved(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := l.keep(t, withBot, Seats{Players: []string{"ann"}})
		l.mustJoinAs(t, id, "ann", "ann")
		if l.Remove(id, "x") {
			t.Error("got a running match removed, want it left")
		}
	})
}

func TestKeptSeatsMustFillTheMatch(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		for _, players := range [][]string{nil, {"a"}, {"a", "b", "c"}} {
			_, err := l.CreateFor(context.Background(), Client{}, protocol.GameNew{Name: "T", Game: "duel"}, &Seats{Players: players, Within: time.Second})
			want := fmt.Sprintf("Cannot create game: %d players do not fill the 2 seats: change the number of players or of bots", len(players))
			if err == nil || err.Error() != want {
				t.Errorf("%v: got %v, want %q", players, err, want)
			}
		}
		l.expectMatches(t, 0)
	})
}

// The order holds however the players join, also after a move to a new version.
func TestSeatsHaveTheGivenOrder(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		solo := func() *fakeEngine {
			return &fakeEngine{game: sdk.Game{Name: "solo", MinPlayers: 1, MaxPlayers: 5, MaxBots: 3, Timeout: 30}}
		}
		one, two := newVersion("v1", solo()), newVersion("v2", solo())
		games := l.serve(one)
		players, seed := 5, uint64(99)
		info, err := l.CreateFor(t.Context(), Client{}, protocol.GameNew{Name: "T", Game: "solo", Params: protocol.GameParams{Players: &players, Bots: 2}}, &Seats{
			Order: []string{"", "cy", "", "ann", "bob"}, Seed: &seed, Fixture: &record.Fixture{Contest: "cup", Entries: []int{4, 3, 4, 2, 1}}, Within: time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		if info.Contest != "cup" {
			t.Errorf("got a match of the contest %q, want cup", info.Contest)
		}
		l.expectReserved(t, info.ID, "cy", "ann", "bob")
		clients := map[string]*fakeClient{"bob": l.mustJoinAs(t, info.ID, "x", "bob"), "cy": l.mustJoinAs(t, info.ID, "y", "cy")}
		games.offer(two)
		l.expectVersion(t, info.ID, "v2")
		if *l.entries[info.ID].seed != 99 {
			t.Errorf("got the seed %d after the move, want 99", *l.entries[info.ID].seed)
		}
		clients["ann"] = l.mustJoinAs(t, info.ID, "z", "ann")
		synctest.Wait()
		names := two.offer.Engine.(*fakeEngine).setup.Names
		if want := []string{"ServerBot$0", "y", "ServerBot$1", "z", "x"}; !slices.Equal(names, want) {
			t.Errorf("got the seats %v, want %v", names, want)
		}
		for player, want := range map[string]int{"cy": 1, "ann": 3, "bob": 4} {
			if got := clients[player].seat; got != want {
				t.Errorf("%s has the seat %d, want %d", player, got, want)
			}
		}
	})
}

func TestOrderMustFillTheMatch(t *testing.T) {
	fixture := func(entries ...int) *record.Fixture { return &record.Fixture{Contest: "cup", Entries: entries} }
	tests := []struct {
		name  string
		seats Seats
		want  string
	}{
		{"one seat", Seats{Order: []string{"ann"}}, "Cannot create game: 1 seats are given, but the match has 2"},
		{"a bot", Seats{Order: []string{"ann", ""}}, "Cannot create game: 1 players do not fill the 2 seats: change the number of players or of bots"},
		{"a player twice", Seats{Order: []string{"ann", "ann"}}, "Cannot create game: ann has two seats"},
		{"three entries", Seats{Order: []string{"ann", "bob"}, Fixture: fixture(1, 2, 3)}, "Cannot create game: 3 entries of cup do not fill the 2 seats"},
	}
	for _, tt := range tests {
		inLobby(t, 10, func(t *testing.T, l *testLobby) {
			tt.seats.Within = time.Second
			if _, err := l.CreateFor(t.Context(), Client{}, protocol.GameNew{Name: "T", Game: "duel"}, &tt.seats); err == nil || err.Error() != tt.want {
				t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
			}
			l.expectMatches(t, 0)
		})
	}
}

func TestReserveKeepsAFreeSeat(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := l.create(t, nil)
		l.mustJoinAs(t, id, "ann", "ann")
		for _, step := range []struct {
			player string
			want   error
		}{{"ann", errHasSeat}, {"bob", nil}, {"bob", errNoSeat}, {"carol", errNoSeat}} {
			if err := l.Reserve(id, step.player); err != step.want {
				t.Errorf("a seat for %s: got %v, want %v", step.player, err, step.want)
			}
		}
		if l.Unreserve(id, "carol") || !l.Unreserve(id, "bob") || l.Unreserve(id, "bob") {
			t.Error("want exactly bob's seat no longer kept")
		}
		want := "the seat of bob in game \"" + id + "\" is no longer kept: it did not join in time"
		if _, err := l.joinAs(id, "bob", "bob"); err == nil || err.Error() != want {
			t.Errorf("bob comes late: got %v, want %q", err, want)
		}
		if err := l.Reserve(id, "bob"); err != errHasSeat {
			t.Errorf("a seat for bob again: got %v, want %v", err, errHasSeat)
		}
		l.mustJoinAs(t, id, "eve", "")
		if err := l.Reserve(id, "bob"); err != errNotWaiting {
			t.Errorf("running match: got %v, want %v", err, errNotWaiting)
		}
	})
}

func TestOnlyPlayerAgainstBotsChoosesItsSeat(t *testing.T) {
	for seat, want := range map[int][]string{1: {"ann", "ServerBot$0", "ServerBot$1"}, 2: {"ServerBot$0", "ann", "ServerBot$1"}, 3: {"ServerBot$0", "ServerBot$1", "ann"}} {
		e := &entry{seat: seat, players: []Player{&fakeClient{name: "ann"}}, info: protocol.MatchInfo{Players: 3, Bots: 2, Connected: []string{"ann"}}}
		seats, of := e.seatedLocked()
		var names []string
		for _, s := range seats {
			names = append(names, s.Name)
		}
		if !slices.Equal(names, want) || of[0] != seat-1 {
			t.Errorf("seat %d: got %q with the player at %d, want %q", seat, names, of[0], want)
		}
	}
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		create := func(seat, players, bots int) error {
			_, err := l.Create(t.Context(), Client{}, protocol.GameNew{Name: "T", Game: "solo", Params: protocol.GameParams{Players: &players, Bots: bots, Seat: seat}})
			return err
		}
		if err := create(2, 2, 1); err != nil {
			t.Errorf("the second of two seats: got %v, want no error", err)
		}
		for name, err := range map[string]error{"a seat too many": create(3, 2, 1), "a negative one": create(-1, 2, 1), "against another player": create(1, 2, 0), "without players": create(1, 2, 2)} {
			if err == nil || !strings.HasPrefix(err.Error(), "Cannot create game: ") {
				t.Errorf("%s: got %v, want it refused", name, err)
			}
		}
	})
}
