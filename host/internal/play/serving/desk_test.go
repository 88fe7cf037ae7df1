package serving

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/protocol"
)

func concurrency(n int) func(*protocol.Serve) {
	return func(r *protocol.Serve) { r.Concurrency = n }
}

func TestTwoPlayersOfOneGameArePaired(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.serve("ann", nil)
		w.expect()
		w.serve("eve", func(r *protocol.Serve) { r.Games = []string{"trio"} })
		w.serve("bob", func(r *protocol.Serve) { r.Games = []string{"trio", "duel"} })
		id := w.expect("duel: ann bob")[0]
		info, err := w.lobby.Match(id)
		if want := []string{"ann", "bob"}; err != nil || !slices.Equal(info.Reserved, want) {
			t.Errorf("got seats kept for %v and error %v, want them for %v", info.Reserved, err, want)
		}
		w.mustJoin(id, "ann", "bob")
		if info, _ := w.lobby.Info(id); !info.Running {
			t.Error("got the match waiting, want it running")
		}
	})
}

func TestGameForThreeGetsThreePlayers(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			w.serve(name, func(r *protocol.Serve) { r.Games = []string{"trio"} })
			time.Sleep(time.Second)
		}
		w.expect("trio: a b c")
		w.serve("f", func(r *protocol.Serve) { r.Games = []string{"trio"} })
		w.expect("trio: d e f")
	})
}

func TestServeIsRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(*protocol.Serve)
		want   string
	}{
		{"no games", func(r *protocol.Serve) { r.Games = nil }, "a player serves 1 to 32 games, not 0"},
		{"too many games", func(r *protocol.Serve) {
			for i := range 33 {
				r.Games = append(r.Games, fmt.Sprint(i))
			}
		}, "a player serves 1 to 32 games, not 34"},
		{"unknown game", func(r *protocol.Serve) { r.Games = []string{"duel", "x"} }, `unknown game "x": coco list shows the games`},
		{"negative concurrency", concurrency(-1), "a concurrency of -1 is not from 0 to 100"},
		{"large concurrency", concurrency(101), "a concurrency of 101 is not from 0 to 100"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withDesk(t, func(t *testing.T, w *testDesk) {
				b := &bot{w: w, player: "ann"}
				if err := w.offer(b, tt.change); err == nil || err.Error() != tt.want {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				if got := b.take(); len(got) > 0 || len(w.List()) > 0 || len(w.queues) > 0 {
					t.Errorf("got events %q and players %v, want none", got, w.List())
				}
			})
		})
	}
}

func TestNumberOfPlayersIsBounded(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.limits.Players = 2
		w.serve("ann", nil)
		bob := w.serve("bob", nil)
		eve := &bot{w: w, player: "eve"}
		if err := w.offer(eve, nil); err == nil || err.Error() != "too many players serve: try again later" {
			t.Errorf("third player: got %v, want it refused", err)
		}
		w.serve("bob", nil) // replaces its own connection
		w.Leave(bob, "bob") // late
		if got := w.Stats(); got.Serving != 2 || got.Full != 1 {
			t.Errorf("got %+v, want 2 players and 1 refused", got)
		}
		for i := range 10 { // players that have left are forgotten
			name := fmt.Sprint(i)
			w.Leave(w.lastOf("bob"), "bob")
			w.Leave(w.serve(name, nil), name)
		}
		if n := len(w.players); n > 4 {
			t.Errorf("got %d players in memory, want at most 4", n)
		}
	})
}

// lastOf returns the connection of a player that serves.
func (w *testDesk) lastOf(player string) Conn {
	w.Desk.mu.Lock()
	defer w.Desk.mu.Unlock()
	if p := w.players[player]; p != nil {
		return p.conn
	}
	return nil
}

func TestLaterConnectionReplacesTheEarlierOne(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		first := w.serve("ann", nil)
		second := w.serve("ANN", nil) // one player, whatever the case
		if got, want := second.take(), []string{"serving ANN instead of duel"}; !slices.Equal(got, want) {
			t.Errorf("second connection: got %q, want %q", got, want)
		}
		if got, want := first.take(), []string{"serving ann", "replaced"}; !slices.Equal(got, want) {
			t.Errorf("first connection: got %q, want %q", got, want)
		}
		w.Leave(first, "ann")
		w.serve("bob", nil)
		w.expect("duel: ANN bob")
		if got := first.take(); len(got) > 0 {
			t.Errorf("replaced connection: got %q, want nothing", got)
		}
	})
}

func TestPlayerThatLeavesIsNotPaired(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.Leave(w.serve("ann", nil), "ann")
		w.serve("bob", nil)
		w.expect()
		if n := len(w.List()); n != 1 {
			t.Errorf("got %d players, want 1", n)
		}
	})
}

func TestPlayerWithConcurrency0IsNotPaired(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		ann := w.serve("ann", nil)
		if err := w.offer(ann, concurrency(0)); err != nil {
			t.Fatal(err)
		}
		w.serve("bob", nil)
		w.expect()
		if got, want := ann.take(), []string{"serving ann", "serving ann"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestSameGroupIsPairedOnceInTheTimeOfARematch(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.serve("ann", concurrency(3))
		w.serve("bob", concurrency(3))
		w.mustJoin(w.expect("duel: ann bob")[0], "ann", "bob")
		time.Sleep(29 * time.Second)
		w.expect()
		time.Sleep(time.Second)
		w.expect("duel: ann bob")
	})
}

func TestSameGroupIsPairedAgainAtOnceWithoutTimeOfARematch(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.limits.Rematch = 0
		w.serve("ann", concurrency(2))
		w.serve("bob", concurrency(2))
		w.expect("duel: ann bob", "duel: ann bob")
	})
}

func TestPlayerPrefersOpponentsItHasNotMet(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		meet := func(names ...string) {
			now := time.Now()
			for _, n := range names {
				w.players["ann"].meetLocked(n, now)
			}
			time.Sleep(time.Minute)
		}
		w.Leave(w.serve("ann", nil), "ann")
		meet("carol")
		meet("bob", "dave")
		others := []string{"bob", "carol", "dave"}
		w.EngageFor("duel", others) // not paired with each other
		q := &queue{free: map[*player]struct{}{}, size: size{players: 2}}
		for _, name := range others {
			w.serve(name, nil)
			q.free[w.players[name]] = struct{}{}
			time.Sleep(time.Second)
		}
		for _, want := range []string{"carol", "bob", "dave"} {
			w.Desk.mu.Lock()
			got := names(w.groupLocked(q, w.players["ann"]))
			delete(q.free, w.players[want])
			w.Desk.mu.Unlock()
			if want := []string{"ann", want}; !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		}
	})
}

func TestPlayerGetsAsManyMatchesAsItTakes(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.serve("ann", concurrency(2))
		for _, name := range []string{"bob", "carol", "dave"} {
			w.serve(name, func(r *protocol.Serve) { r.Games = []string{"duel"} })
			time.Sleep(time.Millisecond)
		}
		w.expect("duel: ann bob", "duel: ann carol")
		w.expectMatches("ann", 2)
	})
}

func TestMatchCountsUntilItLeavesTheLobby(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.games.lasts = time.Minute
		ann := w.serve("ann", nil)
		w.serve("bob", nil)
		id := w.expect("duel: ann bob")[0]
		w.mustJoin(id, "ann", "bob")
		w.Leave(ann, "ann")
		w.serve("ann", nil) // the match runs on, whatever the connection
		w.serve("carol", nil)
		time.Sleep(59 * time.Second)
		w.expect()
		w.expectMatches("ann", 1)
		time.Sleep(2 * time.Second)
		w.expect("duel: ann carol") // she has not met carol
		w.expectMatches("bob", 0)
	})
}

func TestNewConnectionGetsTheSeatsThatWereNotTaken(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("ann", nil)
		w.serve("bob", nil)
		id := w.expect("duel: ann bob")[0]
		time.Sleep(5 * time.Second)
		again := w.serve("ann", nil)
		if got, want := again.take(), []string{"serving ann instead of duel", "duel within 10"}; !slices.Equal(got, want) {
			t.Errorf("before ann joins: got %q, want %q", got, want)
		}
		w.mustJoin(id, "ann")
		third := w.serve("ann", nil)
		if got, want := third.take(), []string{"serving ann instead of duel"}; !slices.Equal(got, want) {
			t.Errorf("after ann joined: got %q, want %q", got, want)
		}
	})
}

func TestPlayerThatDoesNotJoinIsBlocked(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("ann", nil)
		w.serve("bob", nil)
		block := time.Minute
		for range 9 {
			id := w.expect("duel: ann bob")[0]
			w.mustJoin(id, "ann")
			time.Sleep(15 * time.Second)
			synctest.Wait()
			if _, err := w.lobby.Match(id); err == nil {
				t.Error("got the match after 15 s, want it removed")
			}
			w.expectMatches("ann", 0)
			time.Sleep(block - time.Second)
			w.expect()
			time.Sleep(time.Second)
			block = min(2*block, time.Hour)
		}
		w.mustJoin(w.expect("duel: ann bob")[0], "bob") // resets the misses of bob
		time.Sleep(15 * time.Second)
		synctest.Wait()
		if got := w.Stats(); got.NotJoined != 10 || got.Assigned != 20 {
			t.Errorf("got %+v, want 20 seats assigned and 10 of them not taken", got)
		}
		if p := w.players["bob"]; p.misses != 0 {
			t.Errorf("bob has joined: got %d misses, want 0", p.misses)
		}
	})
}

func TestBlockForOneMatchDoesNotHideTheOthers(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.serve("ann", nil)
		w.serve("bob", nil)
		w.mustJoin(w.expect("duel: ann bob")[0], "ann")
		w.serve("carol", nil)
		w.expect()
		time.Sleep(15 * time.Second) // bob is blocked
		w.expect("duel: ann carol")
	})
}

func TestLeavingBeforeTheStartDoesNotFreeTheSeat(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.serve("ann", nil)
		w.serve("bob", nil)
		id := w.expect("duel: ann bob")[0]
		w.lobby.Leave(w.mustJoin(id, "ann"), id)
		w.expectMatches("ann", 1)
		w.mustJoin(id, "ann", "bob")
		time.Sleep(2 * time.Second)
		w.expectMatches("ann", 0)
	})
}

func TestGameThatVanishesIsTriedAgain(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.games.remove("duel")
		w.games.add("duel", 2)
		w.serve("ann", nil)
		w.games.remove("duel")
		b := &bot{w: w, player: "bob"}
		if err := w.offer(b, nil); err == nil {
			t.Error("a game that does not exist: got no error, want one")
		}
		w.games.add("duel", 2)
		w.Leave(w.lastOf("ann"), "ann")
		w.games.lasts = 10 * time.Millisecond
		w.serve("ann", nil)
		w.serve("bob", nil)
		w.mustJoin(w.expect("duel: ann bob")[0], "ann", "bob")
		w.games.remove("duel")
		before := w.games.calls()
		time.Sleep(10 * time.Minute)
		w.expect()
		if n := w.games.calls() - before; n < 10 || n > 40 {
			t.Errorf("asked for the game %d times in 10 minutes, want 10 to 40", n)
		}
		w.games.add("duel", 2)
		time.Sleep(30 * time.Second)
		w.expect("duel: ann bob")
	})
}

// Players come back at once when a host has started again.
func TestGameThatIsBeingLoadedIsServed(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.games.remove("duel")
		w.games.loads = true
		w.serve("ann", nil)
		w.serve("bob", nil)
		w.expect()
		w.games.add("duel", 2)
		time.Sleep(2 * time.Second)
		w.expect("duel: ann bob")
	})
}

func TestNobodyServesWhereThatIsOff(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.limits.Players = 0
		if err := w.offer(&bot{w: w, player: "ann"}, nil); err == nil || err.Error() != "nobody can serve on this host" {
			t.Errorf("got %v, want it refused", err)
		}
	})
}

func TestNewVersionForMorePlayersCounts(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.serve("ann", nil)
		w.expect() // the desk has asked how many players the game has
		w.games.add("duel", 3)
		w.serve("bob", nil)
		w.expect()
		w.serve("carol", nil)
		w.expect("duel: ann bob carol")
	})
}

func TestPlayersWaitWhileTheLobbyIsFull(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.lobby.SetLimits(lobby.Limits{Matches: 1, Expiry: 5 * time.Second, Stall: time.Hour})
		if _, err := w.lobby.Create(context.Background(), lobby.Client{}, protocol.GameNew{Name: "T", Game: "trio"}); err != nil {
			t.Fatal(err)
		}
		w.serve("ann", nil)
		w.serve("bob", nil)
		time.Sleep(5 * time.Second)
		w.expect()
		w.expectMatches("ann", 0)
		time.Sleep(5 * time.Second)
		w.expect("duel: ann bob")
	})
}

func TestNothingIsAssignedAfterClose(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.serve("ann", concurrency(5))
		w.serve("bob", concurrency(5))
		w.mustJoin(w.expect("duel: ann bob")[0], "ann", "bob")
		w.Close()
		time.Sleep(time.Minute)
		w.find("duel", "x")
		w.expect()
		w.expectMatches("ann", 0)
		if err := w.offer(&bot{w: w, player: "carol"}, nil); err != lobby.ErrClosed {
			t.Errorf("a new player: got %v, want %v", err, lobby.ErrClosed)
		}
	})
}

func TestIdlePlayersCostNoWork(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		for i := range 500 {
			w.serve(fmt.Sprint("p", i), func(r *protocol.Serve) { r.Challenges = true })
		}
		w.serve("ann", nil)
		synctest.Wait()
		before := w.games.calls()
		time.Sleep(24 * time.Hour)
		if n := w.games.calls() - before; n > 0 {
			t.Errorf("asked for the game %d times in a day, want 0", n)
		}
	})
}

func TestListShowsPlayersThatServe(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("bob", nil)
		w.Leave(w.serve("carol", nil), "carol")
		w.serve("ann", func(r *protocol.Serve) { *r = protocol.Serve{Games: []string{"trio", "duel", "duel"}, Concurrency: 3} })
		synctest.Wait()
		got := strings.Trim(fmt.Sprintf("%+v", w.List()), "[]")
		want := "{Name:ann Games:[duel trio] Concurrency:3 Matches:1 Challenges:false} {Name:bob Games:[duel] Concurrency:1 Matches:1 Challenges:false}"
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
