package lobby

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// find looks for a duel.
func (l *testLobby) find(name string, change func(*protocol.LobbyFindMatch, *Client)) (*fakeClient, error) {
	return l.findWith(name, change, nil)
}

func (l *testLobby) findWith(name string, change func(*protocol.LobbyFindMatch, *Client), changed func(Change)) (*fakeClient, error) {
	c, r, client := unlogged(name), protocol.LobbyFindMatch{New: protocol.GameNew{Name: "T", Game: "duel"}, Name: name}, Client{}
	if change != nil {
		change(&r, &client)
	}
	return c, l.Find(context.Background(), c, client, r, changed)
}

func (l *testLobby) mustFind(t *testing.T, name string, change func(*protocol.LobbyFindMatch, *Client)) *fakeClient {
	t.Helper()
	c, err := l.find(name, change)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFindMeetsTheOldestMatchWithEqualSettings(t *testing.T) {
	rounds := func(n string) func(*protocol.LobbyFindMatch, *Client) {
		return func(r *protocol.LobbyFindMatch, _ *Client) { r.New.Args = map[string]string{"rounds": n} }
	}
	timeout := 30.0
	tests := []struct {
		name          string
		first, second func(*protocol.LobbyFindMatch, *Client)
		meet          bool
	}{
		{"defaults", nil, nil, true},
		{"a default given", nil, rounds("10"), true},
		{"a default written differently", rounds("10"), rounds("010"), true},
		{"the default timeout given", nil, func(r *protocol.LobbyFindMatch, _ *Client) { r.New.Params.Timeout = &timeout }, true},
		{"other arguments", nil, rounds("11"), false},
		{"a clock", nil, func(r *protocol.LobbyFindMatch, _ *Client) { r.New.Params.Clock = &protocol.Clock{Bank: 60} }, false},
		{"the same player", as("ann"), as("ann"), false},
		{"two players", as("ann"), as("bob"), true},
		{"a player and nobody", as("ann"), nil, true},
		{"the same name", nil, func(r *protocol.LobbyFindMatch, _ *Client) { r.Name = "first" }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inLobby(t, 10, func(t *testing.T, l *testLobby) {
				l.mustFind(t, "first", tt.first)
				time.Sleep(time.Second)
				second := l.mustFind(t, "second", tt.second)
				if got := second.match != nil; got != tt.meet {
					t.Errorf("the second meets the first: got %v, want %v", got, tt.meet)
				}
			})
		})
	}
}

func as(player string) func(*protocol.LobbyFindMatch, *Client) {
	return func(_ *protocol.LobbyFindMatch, c *Client) { c.Player = player }
}

func TestFindTakesTheOldestMatch(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		first := l.mustFind(t, "ann", as("ann"))
		second := l.mustFind(t, "ann2", as("ann"))
		l.mustFind(t, "bob", as("bob"))
		if first.match == nil || second.match != nil {
			t.Errorf("got matches %v and %v that run, want only the first", first.match, second.match)
		}
	})
}

func TestFindDoesNotTakeMatchesOfOthers(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.mustJoin(t, unlogged("ann"), l.create(t, nil))
		if bob := l.mustFind(t, "bob", nil); bob.match != nil {
			t.Error("got a match that Find did not create, want a new one")
		}
		l.expectMatches(t, 2)
	})
}

func TestFindRefusesWhatOthersCannotMeet(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		text := "x"
		for name, change := range map[string]func(*protocol.LobbyFindMatch, *Client){
			"password":     func(r *protocol.LobbyFindMatch, _ *Client) { r.New.Password = &text },
			"verification": func(r *protocol.LobbyFindMatch, _ *Client) { r.New.Verification = &text },
			"opponents":    func(r *protocol.LobbyFindMatch, _ *Client) { r.New.Opponents = []string{"bob"} },
			"username":     func(r *protocol.LobbyFindMatch, _ *Client) { r.Name = "a b" },
			"game":         func(r *protocol.LobbyFindMatch, _ *Client) { r.New.Game = "x" },
			"argument":     func(r *protocol.LobbyFindMatch, _ *Client) { r.New.Args = map[string]string{"rounds": "x"} },
		} {
			if _, err := l.find("ann", change); err == nil {
				t.Errorf("%s: got no error, want one", name)
			}
		}
		l.expectMatches(t, 0)
	})
}

func TestLimitOfNewMatchesAppliesOnlyToANewOne(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		limit := errors.New("too many")
		none := func(_ *protocol.LobbyFindMatch, c *Client) { c.AllowNew = func() error { return limit } }
		if _, err := l.find("ann", none); err != limit {
			t.Errorf("a new match: got %v, want %v", err, limit)
		}
		l.mustFind(t, "bob", nil)
		if _, err := l.find("ann", none); err != nil {
			t.Errorf("a match that waits: got %v, want a seat", err)
		}
	})
}

func TestFoundMatchEndsWithItsLastPlayer(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		ann := l.mustFind(t, "ann", nil)
		id := l.List()[0].ID
		if err := l.Reserve(id, "bob"); err != nil {
			t.Fatal(err)
		}
		l.mustJoinAs(t, l.createSolo(t), "x", "")
		if !l.Leave(ann, id) {
			t.Error("leaving: got false, want true")
		}
		l.expectMatches(t, 1)
		if l.Leave(ann, id) {
			t.Error("leaving again: got true, want false")
		}
		if len(l.found) > 0 {
			t.Errorf("got %v waiting, want none", l.found)
		}
	})
}

func TestClientThatFindsAMatchForOnePlaysAtOnce(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		one := 1
		solo := func(r *protocol.LobbyFindMatch, _ *Client) { r.New.Game, r.New.Params.Players = "solo", &one }
		for _, name := range []string{"ann", "bob"} {
			if p := l.mustFind(t, name, solo); p.match == nil {
				t.Errorf("got %s waiting, want a match alone", name)
			}
		}
		l.expectMatches(t, 2)
	})
}

// createSolo creates a match that one player starts.
func (l *testLobby) createSolo(t *testing.T) string {
	one := 1
	return l.create(t, func(r *protocol.GameNew) { r.Game, r.Params.Players = "solo", &one })
}

// A found match of three: the seats of players that were assigned to it.
func TestAssignedPlayersAreLeftAloneWhenAllOthersLeave(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		three := 3
		solo := func(r *protocol.LobbyFindMatch, _ *Client) { r.New.Game, r.New.Params.Players = "solo", &three }
		ann := l.mustFind(t, "ann", solo)
		id := l.List()[0].ID
		if err := l.Reserve(id, "bob"); err != nil {
			t.Fatal(err)
		}
		l.mustJoinAs(t, id, "bob", "bob")
		l.mustFind(t, "carol", solo)
		l.Leave(ann, id)
		l.expectMatches(t, 1) // carol waits
	})
}

func TestClientThatFindsTakesTheSeatOfAPlayerThatHasNotJoined(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		var seen changes
		if _, err := l.findWith("ann", nil, seen.add); err != nil {
			t.Fatal(err)
		}
		if err := l.Reserve(l.List()[0].ID, "bob"); err != nil {
			t.Fatal(err)
		}
		if carol := l.mustFind(t, "carol", nil); carol.match == nil {
			t.Error("got carol waiting, want her to meet ann")
		}
		seen.expect(t, "kept for [], waits [ann], default", "kept for [bob], waits [ann], default", "kept for [], waits [ann], default",
			"kept for [], waits [ann carol], default", "kept for [], runs [ann carol], default")
	})
}

func TestFoundMatchWithOtherSettingsIsNotDefault(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		for args, want := range map[string]bool{"10": true, "11": false} {
			var got bool
			_, err := l.findWith("ann", func(r *protocol.LobbyFindMatch, _ *Client) { r.New.Args = map[string]string{"rounds": args} },
				func(c Change) { got = c.Default })
			if err != nil || got != want {
				t.Errorf("rounds %s: got default %v, error %v, want %v", args, got, err, want)
			}
		}
	})
}

// Each client that looks for a match leaves when it has waited for as long as the
// test, so with an even number nobody waits.
func TestConcurrentFindsAlwaysMeet(t *testing.T) {
	const clients = 200
	for _, replacing := range []bool{false, true} {
		t.Run(fmt.Sprintf("replacing %v", replacing), func(t *testing.T) {
			l := newTestLobby(clients)
			l.Lobby.log = slog.New(slog.NewTextHandler(io.Discard, nil))
			defer l.shut()
			games := l.serve(newVersion("v0", duelOf(10)))
			var all sync.WaitGroup
			for i := range clients {
				all.Go(func() {
					if replacing && i%4 == 0 {
						games.offer(newVersion(fmt.Sprintf("v%d", i+1), duelOf(10+i%8)))
					}
					if _, err := l.find(fmt.Sprintf("p%d", i), nil); err != nil {
						t.Errorf("client %d: got %v, want a seat", i, err)
					}
				})
			}
			all.Wait()
			for _, info := range l.List() {
				if !info.Running {
					t.Errorf("got %v waiting, want everybody to have met", info.Connected)
				}
			}
		})
	}
}

// The new version has another default, and could not take the match.
func TestFindMeetsAMatchThatStaysOnAnOldVersion(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		games := l.serve(newVersion("v1", duelOf(10)))
		ann := l.mustFind(t, "ann", nil)
		games.offer(newVersion("v2", &failsOnce{fakeEngine: duelOf(20)}))
		synctest.Wait()
		if v := l.entries[l.List()[0].ID].offer.Version; v != "v1" {
			t.Errorf("got the match on %s, want v1", v)
		}
		l.mustFind(t, "bob", nil)
		if ann.match == nil {
			t.Error("got ann waiting, want bob to meet her")
		}
	})
}

// failsOnce fails at the first Prepare.
type failsOnce struct {
	*fakeEngine
	failed atomic.Bool
}

func (e *failsOnce) Prepare(ctx context.Context, r driver.Request) (driver.Settings, error) {
	if e.failed.CompareAndSwap(false, true) {
		return driver.Settings{}, &engine.Fault{}
	}
	return e.fakeEngine.Prepare(ctx, r)
}
