package lobby

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"colosseum/host/internal/catalog"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// versions is a shelf with one game, whose versions follow each other.
type versions struct {
	mu   sync.Mutex // guards the field below
	last *life
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

// offer makes a version the one that is offered; nil: none is. The one before
// is told, as the catalog does.
func (v *versions) offer(next *life) {
	v.mu.Lock()
	last := v.last
	v.last = next
	v.mu.Unlock()
	if last != nil {
		last.retire()
	}
}

// life is one version.
type life struct {
	offer *catalog.Offer

	mu      sync.Mutex // guards the fields below
	retired bool
	next    int
	holders map[int]func()
}

func newLife(version string, e catalog.Engine) *life {
	l := &life{holders: map[int]func(){}}
	l.offer = &catalog.Offer{Plugin: "duel", Version: version, Engine: e, Life: l}
	return l
}

func (l *life) Hold(replaced func()) (func(), bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.retired {
		return nil, false
	}
	l.next++
	n := l.next
	l.holders[n] = replaced
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.holders, n)
	}, true
}

func (l *life) Stuck() {}

func (l *life) retire() {
	l.mu.Lock()
	l.retired = true
	var all []func()
	for _, replaced := range l.holders {
		all = append(all, replaced)
	}
	l.mu.Unlock()
	for _, replaced := range all {
		replaced()
	}
}

func (l *life) held() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.holders)
}

func duelOf(rounds int) *engineStandIn {
	return newEngine(sdk.Game{
		Name: "duel", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 30,
		Params: []sdk.Param{sdk.Int("rounds", "number of rounds", rounds, 1, rounds)},
	})
}

// slowEngine answers when it is let.
type slowEngine struct {
	*engineStandIn
	gate chan struct{}
}

func (e *slowEngine) Prepare(ctx context.Context, r driver.Request) (driver.Settings, error) {
	select {
	case <-e.gate:
		return e.engineStandIn.Prepare(ctx, r)
	case <-ctx.Done():
		return driver.Settings{}, ctx.Err()
	}
}

// newMoving returns a house with one game, of which there is one version.
func newMoving(first *life) (*house, *versions) {
	h := newHouse(10)
	games := &versions{last: first}
	h.games = games
	return h, games
}

func TestMatchThatWaitsMovesToANewVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := newLife("v1", duelOf(5)), newLife("v2", duelOf(7))
		h, games := newMoving(one)
		defer h.shut()
		id := h.open(t, nil)
		alice := h.person("alice")
		h.mustJoin(t, alice, id)
		running := h.open(t, func(r *protocol.GameNew) { r.Params.Bots = 1 })
		h.mustJoin(t, h.person("carol"), running)
		h.log.take()
		games.offer(two)
		h.told(t) // nothing: the match is what it was
		if one.held() != 1 || two.held() != 1 {
			t.Errorf("the old version is held by %d matches, the new one by %d; want 1 and 1", one.held(), two.held())
		}
		h.mustJoin(t, h.person("bob"), id)
		synctest.Wait()
		e := h.entries[id]
		if e.offer.Version != "v2" || e.settings.Params["rounds"] != "7" || len(two.offer.Engine.(*engineStandIn).seats) != 2 {
			t.Errorf("it is played on %s with %v", e.offer.Version, e.settings.Params)
		}
		if old := h.entries[running]; old.offer.Version != "v1" {
			t.Errorf("the running match is on %s", old.offer.Version)
		}
		one.offer.Engine.(*engineStandIn).end()
		two.offer.Engine.(*engineStandIn).end()
		synctest.Wait()
		if one.held() != 0 || two.held() != 0 {
			t.Errorf("after the matches the versions are held %d and %d times", one.held(), two.held())
		}
	})
}

func TestMatchThatANewVersionRefusesEndsWithAReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := newLife("v1", duelOf(9)), newLife("v2", duelOf(3))
		h, games := newMoving(one)
		defer h.shut()
		id := h.open(t, func(r *protocol.GameNew) { r.Args = map[string]string{"rounds": "9"} })
		h.mustJoin(t, h.person("alice"), id)
		h.mustWatch(t, h.person("eve"), id)
		subscriber := h.person("lobby")
		h.Subscribe(subscriber, h.Generation)
		h.log.take()
		games.offer(two)
		const reason = `the game has a new version, which refuses this match: Invalid number of rounds: rounds="9" is not a whole number from 1 to 3`
		h.told(t, "alice: expired"+reason, "eve: expired"+reason, "lobby: LobbyDelete")
		if _, ok := h.Info(id); ok {
			t.Error("it is still in the lobby")
		}
		if one.held()+two.held() != 0 {
			t.Errorf("the versions are held %d and %d times", one.held(), two.held())
		}
	})
}

func TestMatchFollowsToTheLastOfManyVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &slowEngine{duelOf(6), make(chan struct{})}
		one, two, three := newLife("v1", duelOf(5)), newLife("v2", slow), newLife("v3", duelOf(7))
		h, games := newMoving(one)
		defer h.shut()
		id := h.open(t, nil)
		games.offer(two)
		synctest.Wait()
		games.offer(three)
		synctest.Wait()
		close(slow.gate)
		synctest.Wait()
		if e := h.entries[id]; e.offer.Version != "v3" || one.held() != 0 || two.held() != 0 || three.held() != 1 {
			t.Errorf("it is on %s, and the versions are held %d, %d, %d times", e.offer.Version, one.held(), two.held(), three.held())
		}
	})
}

func TestMatchThatBeginsDuringItsMoveStaysWhereItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &slowEngine{duelOf(6), make(chan struct{})}
		one, two := newLife("v1", duelOf(5)), newLife("v2", slow)
		h, games := newMoving(one)
		defer h.shut()
		id := h.open(t, func(r *protocol.GameNew) { r.Params.Bots = 1 })
		games.offer(two)
		synctest.Wait()
		h.mustJoin(t, h.person("alice"), id)
		close(slow.gate)
		synctest.Wait()
		if e := h.entries[id]; e.offer.Version != "v1" || one.held() != 1 || two.held() != 0 {
			t.Errorf("it is on %s, and the versions are held %d and %d times", e.offer.Version, one.held(), two.held())
		}
	})
}

func TestMatchOfAGameThatIsGoneKeepsItsVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := newLife("v1", duelOf(5))
		h, games := newMoving(one)
		defer h.shut()
		id := h.open(t, nil)
		games.offer(nil)
		synctest.Wait()
		if _, ok := h.Info(id); !ok || one.held() != 1 {
			t.Errorf("in the lobby: %v, held %d times", ok, one.held())
		}
	})
}

func TestMatchIsCreatedOnTheVersionThatCameMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &slowEngine{duelOf(5), make(chan struct{})}
		one, two := newLife("v1", slow), newLife("v2", duelOf(7))
		h, games := newMoving(one)
		defer h.shut()
		created := make(chan string)
		go func() { // ends with the match's creation
			id, err := h.Create(context.Background(), "", protocol.GameNew{Name: "T", Game: "duel"})
			if err != nil {
				t.Error(err)
			}
			created <- id
		}()
		synctest.Wait()
		games.offer(two)
		close(slow.gate)
		id := <-created
		synctest.Wait()
		if e := h.entries[id]; e == nil || e.offer.Version != "v2" || one.held() != 0 || two.held() != 1 {
			t.Errorf("it is %+v, and the versions are held %d and %d times", e, one.held(), two.held())
		}
	})
}
