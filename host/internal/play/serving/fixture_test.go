package serving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// testDesk is a desk with a real lobby, and games that end by themselves after the
// time lasts. The game "duel" has two players, "trio" has three.
type testDesk struct {
	*Desk
	t     *testing.T
	lobby *lobby.Lobby
	games *fakeGames

	records recorder

	mu    sync.Mutex // guards the field below
	seats []given
}

// given is a seat that a player was assigned.
type given struct {
	player string
	protocol.ServeMatch
}

var testLimits = Limits{Players: 1000, Rematch: 30 * time.Second, Accept: 15 * time.Second}

// withDesk runs a test in a synctest bubble.
func withDesk(t *testing.T, test func(t *testing.T, w *testDesk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &testDesk{t: t, games: &fakeGames{lasts: time.Second, offers: map[string]*catalog.Offer{}}}
		w.games.add("duel", 2)
		w.games.add("trio", 3)
		log := slog.New(slog.DiscardHandler)
		w.lobby = lobby.New(w.games, &w.records, lobby.Limits{Matches: 1000, Expiry: 10 * time.Minute, Stall: time.Hour}, "", log)
		w.Desk = New(w.lobby, w.games, testLimits, log)
		defer func() {
			w.Desk.Close()
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			w.lobby.Close(ended)
		}()
		test(t, w)
	})
}

// bot is the connection of a player that serves.
type bot struct {
	w      *testDesk
	player string

	mu     sync.Mutex // guards the field below
	events []string
}

func (b *bot) add(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, fmt.Sprintf(format, args...))
}

func (b *bot) take() []string {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	events := b.events
	b.events = nil
	return events
}

func (b *bot) Serving(player string, replaced []string) {
	b.add("serving %s", strings.Join(append([]string{player}, replaced...), " instead of "))
}
func (b *bot) Replaced() { b.add("replaced") }
func (b *bot) Stopped()  { b.add("stopped") }

func (b *bot) Assign(m protocol.ServeMatch) {
	b.add("%s within %v", m.Info.Game, m.Seconds)
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	b.w.seats = append(b.w.seats, given{b.player, m})
}

// serve offers a player for one match of the duel at a time.
func (w *testDesk) serve(player string, change func(*protocol.Serve)) *bot {
	w.t.Helper()
	b := &bot{w: w, player: player}
	if err := w.offer(b, change); err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w *testDesk) offer(b *bot, change func(*protocol.Serve)) error {
	r := protocol.Serve{Games: []string{"duel"}, Concurrency: 1}
	if change != nil {
		change(&r)
	}
	return w.Desk.Serve(b, b.player, r)
}

// take returns the seats that players got since the last take.
func (w *testDesk) take() []given {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	seats := w.seats
	w.seats = nil
	return seats
}

// expect checks the matches that players were assigned to since the last take,
// as in "duel: ann bob", and returns their IDs.
func (w *testDesk) expect(want ...string) []string {
	w.t.Helper()
	groups := map[string][]string{} // by ID
	games := map[string]string{}
	var ids []string
	for _, g := range w.take() {
		id := g.Info.ID
		if groups[id] == nil {
			ids = append(ids, id)
		}
		groups[id] = append(groups[id], g.player)
		games[id] = g.Info.Game
	}
	var got []string
	for id, players := range groups {
		got = append(got, games[id]+": "+strings.Join(slices.Sorted(slices.Values(players)), " "))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		w.t.Errorf("got the matches %q, want %q", got, want)
	}
	return ids
}

// join takes a player's seat.
func (w *testDesk) join(id, player string) (*guest, error) {
	g := &guest{}
	return g, w.lobby.Join(g, lobby.Client{Player: player}, protocol.LobbyJoinMatch{ID: id, Name: player})
}

func (w *testDesk) mustJoin(id string, players ...string) *guest {
	w.t.Helper()
	var last *guest
	for _, p := range players {
		g, err := w.join(id, p)
		if err != nil {
			w.t.Fatal(err)
		}
		last = g
	}
	return last
}

// find looks for a match for a client without a registered player.
func (w *testDesk) find(game, name string) *guest {
	w.t.Helper()
	g := &guest{}
	r := protocol.LobbyFindMatch{New: protocol.GameNew{Name: "T", Game: game}, Name: name}
	if err := w.Desk.Find(context.Background(), g, lobby.Client{}, r); err != nil {
		w.t.Fatal(err)
	}
	return g
}

// matches returns how many matches count for a player.
func (w *testDesk) matches(player string) int {
	synctest.Wait()
	w.Desk.mu.Lock()
	defer w.Desk.mu.Unlock()
	if p := w.Desk.players[key(player)]; p != nil {
		return len(p.matches)
	}
	return 0
}

func (w *testDesk) expectMatches(player string, want int) {
	w.t.Helper()
	if got := w.matches(player); got != want {
		w.t.Errorf("%s has %d matches, want %d", player, got, want)
	}
}

// guest is a player in the lobby.
type guest struct {
	id      string
	match   *match.Match
	seat    int
	expired string // the reason
}

func (g *guest) Joined(i protocol.MatchInfo)      { g.id = i.ID }
func (g *guest) Started(m *match.Match, seat int) { g.match, g.seat = m, seat }
func (*guest) Update([]byte)                      {}
func (g *guest) Expired(_, reason string)         { g.expired = reason }
func (*guest) Send([]byte)                        {}
func (*guest) Written() (time.Time, bool)         { return time.Time{}, true }
func (*guest) Lag() time.Duration                 { return 0 }
func (*guest) Probe()                             {}
func (*guest) Away(string, time.Time)             {}
func (*guest) Unread(time.Time) bool              { return false }
func (*guest) Cut()                               {}
func (*guest) Ended(protocol.MatchResult)         {}

// recorder keeps the records of matches that have ended.
type recorder struct{ records sync.Map }

func (*recorder) Begin(*record.Match) {}

func (r *recorder) Finish(_ context.Context, m *record.Match) error {
	r.records.Store(m.ID, m)
	return nil
}

// record returns the record of a match of a contest that has ended.
func (w *testDesk) record(id string) *record.Match {
	w.t.Helper()
	r, ok := w.records.records.Load(id)
	if !ok {
		w.t.Fatalf("match %s: got no record, want one", id)
	}
	return r.(*record.Match)
}

// fakeGames is a catalog whose games can vanish.
type fakeGames struct {
	mu     sync.Mutex // guards the fields below
	lasts  time.Duration
	offers map[string]*catalog.Offer
	asked  int // calls of Find
	loads  bool
}

func (f *fakeGames) add(name string, players int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	game := sdk.Game{
		Name: name, MinPlayers: 1, Players: players, MaxPlayers: 10, MaxBots: 2, Timeout: 30,
		Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 10, 1, 99)},
	}
	f.offers[name] = &catalog.Offer{Name: name, Plugin: name, Version: fmt.Sprintf("v%d", players), Engine: fakeEngine{game, f}}
}

func (f *fakeGames) remove(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.offers, name)
}

func (f *fakeGames) calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

func (f *fakeGames) Find(name string) (*catalog.Offer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if o := f.offers[name]; o != nil {
		return o, nil
	}
	if f.loads {
		return nil, errors.New("the games are being loaded")
	}
	return nil, catalog.ErrUnknown
}

type fakeEngine struct {
	game  sdk.Game
	games *fakeGames
}

func (e fakeEngine) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return driver.Of(&e.game).Prepare(r)
}

func (e fakeEngine) Open(start *driver.Setup, in engine.Receiver) (engine.Match, error) {
	end := &driver.Result{}
	for range start.Names {
		end.Seats = append(end.Seats, driver.SeatResult{Rank: 1, Ended: "finished"})
	}
	e.games.mu.Lock()
	defer e.games.mu.Unlock()
	time.AfterFunc(e.games.lasts, func() { in.Put(&driver.Frame{End: end}) })
	return fakeMatch{}, nil
}

type fakeMatch struct{}

func (fakeMatch) Answer([]driver.Answer) {}
func (fakeMatch) Stop()                  {}
