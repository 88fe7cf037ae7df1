package lobby

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"colosseum/protocol"
)

func TestJoinRefusesWithTheTextsOfTheProtocol(t *testing.T) {
	const badUser = "is not a valid username: use 1 to 16 printable ASCII characters without spaces and $"
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		open := l.create(t, nil)
		l.mustJoin(t, l.client("alice"), open)
		locked := l.create(t, func(r *protocol.GameNew) { r.Password = new("hunter2") })
		lockedEmpty := l.create(t, func(r *protocol.GameNew) { r.Password = new("") })
		running := l.create(t, withBot)
		l.mustJoin(t, l.client("carol"), running)
		tests := []struct {
			name, id, user string
			password       *string
			want           string
		}{
			{"unknown", "0123456789abc", "bob", nil, `Game "0123456789abc" does not exists`},
			{"not an ID", "nonsense", "bob", nil, `Invalid ID: "nonsense" is not 13 characters of 0-9 and a-v`},
			{"upper case", strings.ToUpper(open[:12]) + "Z", "bob", nil, "Invalid ID: "},
			{"running", running, "bob", nil, fmt.Sprintf("Game %q is already running", running)},
			{"space", open, "al ice", nil, `"al ice" ` + badUser},
			{"empty", open, "", nil, `"" ` + badUser},
			{"long", open, "12345678901234567", nil, `"12345678901234567" ` + badUser},
			{"bot's name", open, "ServerBot$0", nil, `"ServerBot$0" ` + badUser},
			{"line feed", open, "bob\n", nil, `"bob\n" ` + badUser},
			{"taken", open, "alice", nil, `Username "alice" already taken`},
			{"no password", locked, "bob", nil, "Wrong password"},
			{"empty password", locked, "bob", new(""), "Wrong password"},
			{"wrong password", locked, "bob", new("hunter3"), "Wrong password"},
			{"password where the right one is empty", lockedEmpty, "bob", new("x"), "Wrong password"},
		}
		l.log.take()
		for _, tt := range tests {
			err := l.Join(l.client("bob"), Client{}, protocol.LobbyJoinMatch{ID: tt.id, Name: tt.user, Password: tt.password})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
			}
		}
		l.expect(t) // no client sees a refused join
		for id, password := range map[string]*string{open: new("not needed"), locked: new("hunter2"), lockedEmpty: new("")} {
			if err := l.Join(l.client("bob"), Client{}, protocol.LobbyJoinMatch{ID: id, Name: "sixteencharacter", Password: password}); err != nil {
				t.Errorf("joining %s: got %v, want no error", id, err)
			}
		}
	})
}

// TestNothingBeginsWhileItCouldNotBeRecorded has a host that can have been fenced.
func TestNothingBeginsWhileItCouldNotBeRecorded(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		available := true
		l.NeedRecords(func() bool { return available })
		id := l.create(t, nil)
		l.mustJoin(t, l.client("alice"), id)
		l.mustFind(t, "carol", nil)
		available = false
		if err := l.Join(unlogged("bob"), Client{}, protocol.LobbyJoinMatch{ID: id, Name: "bob"}); err != ErrRecords {
			t.Errorf("a join: got %v, want %v", err, ErrRecords)
		}
		if _, err := l.find("bob", nil); err != ErrRecords {
			t.Errorf("a search for a match: got %v, want %v", err, ErrRecords)
		}
		if _, err := l.Create(t.Context(), Client{}, protocol.GameNew{Name: "T", Game: "duel"}); err != ErrRecords {
			t.Errorf("a new match: got %v, want %v", err, ErrRecords)
		}
		for _, info := range l.List() {
			if info.Running || len(info.Connected) != 1 {
				t.Errorf("got the match %+v, want it to wait with one player", info)
			}
		}
		available = true
		l.mustJoin(t, l.client("bob"), id)
		l.mustFind(t, "dave", nil)
	})
}

func TestLeaverIsReplaced(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := l.create(t, nil)
		alice, bob, carol := l.client("alice"), l.client("bob"), l.client("carol")
		l.mustJoin(t, alice, id)
		l.mustWatch(t, carol, id)
		l.log.take()
		if l.Leave(bob, id) || l.Leave(alice, "0123456789abc") {
			t.Error("Leave of a client without a seat: got true, want false")
		}
		if !l.Leave(alice, id) {
			t.Error("Leave of alice: got false, want true")
		}
		l.expect(t, "carol: LobbyUpdate waits watched by 1 []")
		l.mustJoin(t, bob, id)
		l.mustJoin(t, alice, id)
		l.log.take()
		if l.Leave(bob, id) {
			t.Error("Leave of a running match: got true, want false")
		}
		if got, want := l.List()[0].Connected, []string{"bob", "alice"}; !slices.Equal(got, want) {
			t.Errorf("connected are %v, want %v", got, want)
		}
	})
}
