package lobby

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/play/match"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

func TestTheGenerationChangesWithTheList(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		last := l.Generation()
		changed := func(what string) {
			t.Helper()
			if now := l.Generation(); now == last {
				t.Errorf("%s: the generation is %d as before, want another", what, now)
			} else {
				last = now
			}
		}
		alice, eve := l.client("alice"), l.client("eve")
		id := l.create(t, nil)
		changed("a new match")
		l.mustWatch(t, eve, id)
		changed("a spectator")
		l.Unspectate(eve, id)
		changed("a spectator left")
		l.mustJoin(t, alice, id)
		changed("a player")
		l.Leave(alice, id)
		changed("a player left")
		time.Sleep(600 * time.Second)
		synctest.Wait()
		changed("it expired")
		id = l.create(t, withBot)
		l.mustJoin(t, alice, id)
		changed("it began")
		l.List()
		l.Info(id)
		if now := l.Generation(); now != last {
			t.Errorf("after reading the generation is %d, want %d", now, last)
		}
		synctest.Wait()
		l.duel.end()
		synctest.Wait()
		changed("it ended")
	})
}

func TestCloseRefusesNewMatchesAndWaitsForRunningOnes(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.mustJoin(t, l.client("alice"), l.create(t, nil))
		l.mustJoin(t, l.client("bob"), l.create(t, withBot))
		synctest.Wait()
		l.log.take()
		closed := make(chan struct{})
		go func() { // ends with the match
			l.Close(context.Background())
			close(closed)
		}()
		l.expect(t, "alice: expired")
		if _, err := l.Create(context.Background(), Client{}, protocol.GameNew{Name: "T", Game: "duel"}); !errors.Is(err, ErrClosed) {
			t.Errorf("creating a match: got %v, want %v", err, ErrClosed)
		}
		select {
		case <-closed:
			t.Fatal("Close returned while a match was running")
		default:
		}
		l.duel.end()
		l.expect(t, "record: T finished", `bob: ended false ""`)
		<-closed
	})
}

func TestCloseAbortsRunningMatchesWhenItsContextEnds(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.mustJoin(t, l.client("alice"), l.create(t, withBot))
		synctest.Wait()
		l.log.take()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		start := time.Now()
		l.Close(ctx)
		if d := time.Since(start); d != 10*time.Second {
			t.Errorf("Close took %v, want 10s", d)
		}
		l.expect(t, "record: T aborted", `alice: ended true "the host is shutting down"`)
	})
}

func TestAbortRunningSparesMatchesThatStartLater(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.mustJoin(t, l.client("alice"), l.create(t, withBot))
		waiting := l.create(t, withBot)
		synctest.Wait()
		l.log.take()
		l.AbortRunning()
		l.expect(t, "record: T aborted", `alice: ended true "the host is shutting down"`)
		l.mustJoin(t, l.client("bob"), waiting)
		synctest.Wait()
		l.log.take()
		l.duel.end()
		l.expect(t, "record: T finished", `bob: ended false ""`)
	})
}

// Many clients create, join, leave and watch matches while matches expire. Each
// client checks the order of its events.
func TestClientsSeeTheRightOrderWhenEverythingHappensAtOnce(t *testing.T) {
	l := newTestLobby(50)
	l.limits.Expiry = 300 * time.Microsecond
	l.Lobby.games = fakeCatalog{"duel": {Name: "duel", Engine: instantEngine{l.duel}}}
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			for round := range 100 {
				id, err := l.Create(context.Background(), Client{}, protocol.GameNew{Name: "T", Game: "duel", Params: protocol.GameParams{Bots: i % 2}})
				if err != nil && !errors.Is(err, ErrFull) {
					t.Error(err)
				}
				for n, info := range append([]protocol.MatchInfo{{ID: id}}, l.List()...) {
					c := &orderChecker{t: t}
					name := fmt.Sprintf("p%d-%d-%d", i, round, n)
					switch (i + round + n) % 4 {
					case 0, 1:
						if l.Join(c, Client{}, protocol.LobbyJoinMatch{ID: info.ID, Name: name}) == nil && n%3 == 0 {
							if l.Leave(c, info.ID) {
								c.left()
							}
						}
					case 2:
						if l.Spectate(c, info.ID) == nil && n%2 == 0 {
							l.Unspectate(c, info.ID)
						}
					case 3:
						l.Subscribe(c, l.Generation)
						l.Unsubscribe(c)
					}
					if n == 4 {
						break
					}
				}
			}
		})
	}
	wait.Wait()
	l.Close(context.Background())
	if list := l.List(); len(list) != 0 || len(l.subscribers) != 0 {
		t.Errorf("the matches %+v and %d subscribers are left, want none", list, len(l.subscribers))
	}
}

// instantEngine ends every match at once.
type instantEngine struct{ *fakeEngine }

func (e instantEngine) Open(start *driver.Setup, in engine.Receiver) (engine.Match, error) {
	in.Put(finished(len(start.Names)))
	return fakeMatch{}, nil
}

// orderChecker is a client that checks the order of its events.
type orderChecker struct {
	t     *testing.T
	mu    sync.Mutex // guards the field below
	state string
}

func (c *orderChecker) enter(to string, from ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(from, c.state) {
		c.t.Errorf("%q follows %q, want it after one of %q", to, c.state, from)
	}
	if to != "updated" {
		c.state = to
	}
}

func (c *orderChecker) left()                                          { c.enter("left", "joined") }
func (c *orderChecker) Joined(protocol.MatchInfo)                      { c.enter("joined", "") }
func (c *orderChecker) Update([]byte)                                  { c.enter("updated", "joined", "watching") }
func (c *orderChecker) Started(*match.Match, int)                      { c.enter("playing", "joined") }
func (c *orderChecker) Ended(protocol.MatchResult)                     { c.enter("ended", "playing") }
func (c *orderChecker) Expired(string, string)                         { c.enter("expired", "joined", "watching") }
func (c *orderChecker) Watching(_ protocol.MatchInfo, _ *match.Stream) { c.enter("watching", "") }
func (c *orderChecker) Playing(*match.Stream)                          { c.enter("seeing", "watching") }
func (c *orderChecker) Feed([]byte)                                    {}
func (c *orderChecker) Send([]byte)                                    {}
func (c *orderChecker) Written() (time.Time, bool)                     { return time.Time{}, true }
func (c *orderChecker) Lag() time.Duration                             { return 0 }
func (c *orderChecker) Probe()                                         {}
func (c *orderChecker) Away(string, time.Time)                         {}
func (c *orderChecker) Unread(time.Time) bool                          { return false }
func (c *orderChecker) Cut()                                           {}
