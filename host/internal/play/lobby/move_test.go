package lobby

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// versions is a catalog of one game whose version can be replaced.
type versions struct {
	mu   sync.Mutex   // guards the fields below
	last *fakeVersion // nil: the game is gone
	all  []*fakeVersion
}

// serve gives the lobby a catalog of one game in one version.
func (l *testLobby) serve(first *fakeVersion) *versions {
	games := &versions{last: first, all: []*fakeVersion{first}}
	l.games = games
	return games
}

func (v *versions) Find(name string) (*catalog.Offer, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.last == nil {
		return nil, errors.New("Game not found") //nolint:staticcheck // the wire's text
	}
	o := *v.last.offer
	o.Name = name
	return &o, nil
}

// offer replaces the version that is offered; nil: the game is gone. Like the
// catalog, it then calls the holders of the old version.
func (v *versions) offer(next *fakeVersion) {
	v.mu.Lock()
	last := v.last
	v.last = next
	if next != nil {
		v.all = append(v.all, next)
	}
	v.mu.Unlock()
	if last != nil {
		last.retire()
	}
}

// fakeVersion implements catalog.Life.
type fakeVersion struct {
	offer *catalog.Offer

	mu      sync.Mutex // guards the fields below
	retired bool
	next    int
	holders map[int]func()
}

func newVersion(version string, e catalog.Engine) *fakeVersion {
	v := &fakeVersion{holders: map[int]func(){}}
	v.offer = &catalog.Offer{Plugin: "duel", Version: version, Engine: e, Life: v}
	return v
}

func (v *fakeVersion) Hold(replaced func()) (func(), bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.retired {
		return nil, false
	}
	v.next++
	n := v.next
	v.holders[n] = replaced
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.holders, n)
	}, true
}

func (v *fakeVersion) Stuck() {}

func (v *fakeVersion) retire() {
	v.mu.Lock()
	v.retired = true
	all := slices.Collect(maps.Values(v.holders))
	v.mu.Unlock()
	for _, replaced := range all {
		replaced()
	}
}

func (v *fakeVersion) held() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.holders)
}

func (v *fakeVersion) end() { v.offer.Engine.(*fakeEngine).end() }

func duelOf(rounds int) *fakeEngine {
	return &fakeEngine{game: sdk.Game{
		Name: "duel", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 30,
		Params: []sdk.Param{sdk.Int("rounds", "number of rounds", rounds, 1, rounds)},
	}}
}

// blockingEngine prepares no match until the channel gate is closed.
type blockingEngine struct {
	*fakeEngine
	gate chan struct{}
}

func (e *blockingEngine) Prepare(ctx context.Context, r driver.Request) (driver.Settings, error) {
	select {
	case <-e.gate:
		return e.fakeEngine.Prepare(ctx, r)
	case <-ctx.Done():
		return driver.Settings{}, ctx.Err()
	}
}

// expectVersion checks which version a match is on.
func (l *testLobby) expectVersion(t *testing.T, id, want string) {
	t.Helper()
	synctest.Wait()
	if e := l.entries[id]; e == nil || e.offer.Version != want {
		t.Errorf("got %+v, want it on %s", e, want)
	}
}

// expectHeld checks how many matches hold each version.
func (v *versions) expectHeld(t *testing.T, want ...int) {
	t.Helper()
	synctest.Wait()
	var got []int
	for _, v := range v.all {
		got = append(got, v.held())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the versions are held %d times, want %d", got, want)
	}
}

func TestWaitingMatchMovesToANewVersion(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		one, two := newVersion("v1", duelOf(5)), newVersion("v2", duelOf(7))
		games := l.serve(one)
		id := l.create(t, nil)
		l.mustJoin(t, l.client("alice"), id)
		running := l.create(t, withBot)
		l.mustJoin(t, l.client("carol"), running)
		l.log.take()
		games.offer(two)
		l.expect(t) // clients see no difference
		games.expectHeld(t, 1, 1)
		l.mustJoin(t, l.client("bob"), id)
		l.expectVersion(t, id, "v2")
		l.expectVersion(t, running, "v1")
		if got := l.entries[id].settings.Params["rounds"]; got != "7" {
			t.Errorf("it is played with %s rounds, want 7", got)
		}
		one.end()
		two.end()
		games.expectHeld(t, 0, 0)
	})
}

func TestMatchKeepsItsClockWhenItMoves(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		games := l.serve(newVersion("v1", duelOf(5)))
		id := l.create(t, func(r *protocol.GameNew) { r.Params = protocol.GameParams{Bots: 1, Clock: &protocol.Clock{Bank: 90}} })
		games.offer(newVersion("v2", duelOf(7)))
		l.expectVersion(t, id, "v2")
		l.mustJoin(t, l.client("alice"), id)
		if clocks, _ := l.Clocks(id); len(clocks) != 1 || clocks[0].Bank != 90*time.Second {
			t.Errorf("got the clocks %+v, want a bank of 90s", clocks)
		}
		if got := l.List()[0]; got.Clock == nil || got.Timeout != 90 {
			t.Errorf("got %+v, want the clock and its timeout of 90 seconds", got)
		}
	})
}

func TestWaitingMatchThatANewVersionRefusesIsRemovedWithAReason(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		games := l.serve(newVersion("v1", duelOf(9)))
		id := l.create(t, func(r *protocol.GameNew) { r.Args = map[string]string{"rounds": "9"} })
		l.mustJoin(t, l.client("alice"), id)
		l.mustWatch(t, l.client("eve"), id)
		l.Subscribe(l.client("lobby"), l.Generation)
		l.log.take()
		games.offer(newVersion("v2", duelOf(3)))
		const reason = `the game has a new version, which refuses this match: Invalid number of rounds: rounds="9" is not a whole number from 1 to 3`
		l.expect(t, "alice: expired"+reason, "eve: expired"+reason, "lobby: LobbyDelete")
		l.expectMatches(t, 0)
		games.expectHeld(t, 0, 0)
	})
}

func TestWaitingMatchMovesToTheLastOfManyVersions(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		blocking := &blockingEngine{duelOf(6), make(chan struct{})}
		games := l.serve(newVersion("v1", duelOf(5)))
		id := l.create(t, nil)
		games.offer(newVersion("v2", blocking))
		synctest.Wait()
		games.offer(newVersion("v3", duelOf(7)))
		synctest.Wait()
		close(blocking.gate)
		l.expectVersion(t, id, "v3")
		games.expectHeld(t, 0, 0, 1)
	})
}

func TestMatchThatBeginsDuringItsMoveKeepsItsVersion(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		blocking := &blockingEngine{duelOf(6), make(chan struct{})}
		games := l.serve(newVersion("v1", duelOf(5)))
		id := l.create(t, withBot)
		games.offer(newVersion("v2", blocking))
		synctest.Wait()
		l.mustJoin(t, l.client("alice"), id)
		close(blocking.gate)
		l.expectVersion(t, id, "v1")
		games.expectHeld(t, 1, 0)
	})
}

func TestMatchOfAGameThatIsGoneKeepsItsVersion(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		games := l.serve(newVersion("v1", duelOf(5)))
		id := l.create(t, nil)
		games.offer(nil)
		l.expectVersion(t, id, "v1")
		games.expectHeld(t, 1)
	})
}

func TestMatchWhoseVersionIsReplacedDuringItsCreationMoves(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		blocking := &blockingEngine{duelOf(5), make(chan struct{})}
		games := l.serve(newVersion("v1", blocking))
		created := make(chan string)
		go func() { // ends with the match's creation
			id, err := l.Create(context.Background(), Client{}, protocol.GameNew{Name: "T", Game: "duel"})
			if err != nil {
				t.Error(err)
			}
			created <- id
		}()
		synctest.Wait()
		games.offer(newVersion("v2", duelOf(7)))
		close(blocking.gate)
		l.expectVersion(t, <-created, "v2")
		games.expectHeld(t, 0, 1)
	})
}
