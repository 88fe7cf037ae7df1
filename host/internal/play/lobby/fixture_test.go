package lobby

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// testLobby is a lobby with fakes for everything around it. The game "duel" has two
// players, at most one of them a bot; "solo" has one to three of either kind.
type testLobby struct {
	*Lobby
	duel *fakeEngine
	solo *fakeEngine // also of "cards", which spectators see later
	log  *eventLog
}

const secret = "open sesame"

func newTestLobby(matches int) *testLobby {
	l := &testLobby{log: &eventLog{}}
	l.duel = &fakeEngine{game: sdk.Game{
		Name: "duel", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 30,
		Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 10, 1, 99)},
	}}
	l.solo = &fakeEngine{game: sdk.Game{Name: "solo", MinPlayers: 1, MaxPlayers: 3, MaxBots: 3, Timeout: 30}}
	games := fakeCatalog{
		"duel":   {Name: "duel", Plugin: "duels", Version: "v1", Timeout: 30, Engine: l.duel},
		"solo":   {Name: "solo", Plugin: "solo", Version: "v1", Engine: l.solo},
		"cards":  {Name: "cards", Plugin: "solo", Version: "v1", Engine: l.solo, Delay: 20},
		"silent": {Name: "silent", Engine: silentEngine{}},
	}
	l.Lobby = New(games, &fakeRecorder{log: l.log}, Limits{Matches: matches, Expiry: 600 * time.Second, Stall: 30 * time.Second}, secret,
		slog.New(slog.DiscardHandler))
	return l
}

// inLobby runs a test in a synctest bubble, with a lobby for the given number of
// matches.
func inLobby(t *testing.T, matches int, test func(t *testing.T, l *testLobby)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := newTestLobby(matches)
		defer l.shut()
		test(t, l)
	})
}

// shut closes the lobby and aborts the running matches.
func (l *testLobby) shut() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	l.Close(ended)
}

// create creates a match of the duel and returns its ID.
func (l *testLobby) create(t *testing.T, change func(*protocol.GameNew)) string {
	t.Helper()
	r := protocol.GameNew{Name: "T", Game: "duel"}
	if change != nil {
		change(&r)
	}
	id, err := l.Create(context.Background(), Client{}, r)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// withBot adds a bot to a request, so that one player can start the match.
func withBot(r *protocol.GameNew) { r.Params.Bots = 1 }

func (l *testLobby) mustJoin(t *testing.T, c *fakeClient, id string) {
	t.Helper()
	if err := l.Join(c, Client{}, protocol.LobbyJoinMatch{ID: id, Name: c.name}); err != nil {
		t.Fatal(err)
	}
}

func (l *testLobby) mustWatch(t *testing.T, c *fakeClient, id string) {
	t.Helper()
	if err := l.Spectate(c, id); err != nil {
		t.Fatal(err)
	}
}

// expect checks the events since the last take, and their order.
func (l *testLobby) expect(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	if got := l.log.take(); !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// expectMatches checks how many matches the lobby has.
func (l *testLobby) expectMatches(t *testing.T, want int) {
	t.Helper()
	synctest.Wait()
	if got := l.List(); len(got) != want {
		t.Errorf("got the matches %+v, want %d of them", got, want)
	}
}

// eventLog holds what clients received, in order, as in "alice: joined [alice]".
type eventLog struct {
	mu    sync.Mutex // guards the field below
	lines []string
}

func (e *eventLog) add(client, format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines = append(e.lines, client+": "+fmt.Sprintf(format, args...))
}

// take returns the events since the last take.
func (e *eventLog) take() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	lines := e.lines
	e.lines = nil
	return lines
}

type fakeCatalog map[string]*catalog.Offer

func (f fakeCatalog) Find(name string) (*catalog.Offer, error) {
	if o, ok := f[name]; ok {
		return o, nil
	}
	return nil, errors.New("Game not found") //nolint:staticcheck // the wire's text
}

// fakeEngine prepares matches as a game does; the test plays the referee.
type fakeEngine struct {
	game  sdk.Game
	mu    sync.Mutex      // guards the fields below
	setup *driver.Setup   // of the last match
	match engine.Receiver // of that match
}

func (e *fakeEngine) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return driver.Of(&e.game).Prepare(r)
}

func (e *fakeEngine) Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.match, e.setup = in, setup
	return fakeMatch{}, nil
}

// end ends the last match.
func (e *fakeEngine) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.match.Put(finished(len(e.setup.Names)))
}

// show sends a text to the spectators of the last match.
func (e *fakeEngine) show(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.match.Put(&driver.Frame{Texts: []driver.Text{{To: driver.ToSpectators, Lines: []byte(text)}}})
}

// finished returns a frame that ends a match.
func finished(seats int) *driver.Frame {
	end := &driver.Result{}
	for range seats {
		end.Seats = append(end.Seats, driver.SeatResult{Rank: 1, Ended: "finished"})
	}
	return &driver.Frame{End: end}
}

type fakeMatch struct{}

func (fakeMatch) Answer([]driver.Answer) {}
func (fakeMatch) Stop()                  {}

// silentEngine is a process that does not answer.
type silentEngine struct{}

func (silentEngine) Prepare(context.Context, driver.Request) (driver.Settings, error) {
	return driver.Settings{}, errors.New("silent does not answer")
}

func (silentEngine) Open(*driver.Setup, engine.Receiver) (engine.Match, error) {
	return nil, engine.ErrGone
}

type fakeRecorder struct {
	log   *eventLog
	begun atomic.Pointer[record.Match] // the last one
}

func (r *fakeRecorder) Begin(rec *record.Match) {
	begun := *rec
	r.begun.Store(&begun)
}

func (r *fakeRecorder) Finish(_ context.Context, rec *record.Match) error {
	r.log.add("record", "%s %s", rec.Name, rec.State)
	return nil
}

// fakeClient is a player, a spectator or a subscriber.
type fakeClient struct {
	name string
	log  *eventLog

	match *match.Match
	seat  int
}

func (l *testLobby) client(name string) *fakeClient { return &fakeClient{name: name, log: l.log} }

// unlogged returns a client whose events the test ignores.
func unlogged(name string) *fakeClient { return &fakeClient{name: name, log: &eventLog{}} }

func describe(i protocol.MatchInfo) string {
	state := "waits"
	if i.Running {
		state = "runs"
	}
	if i.Spectators > 0 {
		state += fmt.Sprintf(" watched by %d", i.Spectators)
	}
	return fmt.Sprintf("%s %v", state, i.Connected)
}

// summary describes a message of the lobby.
func summary(message []byte) string {
	name, body, err := protocol.Split(message)
	var e protocol.LobbyEvent
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil {
		return err.Error()
	}
	if name == protocol.NameLobbyDelete {
		return name
	}
	return name + " " + describe(e.Info)
}

func (c *fakeClient) Joined(i protocol.MatchInfo) { c.log.add(c.name, "joined %s", describe(i)) }
func (c *fakeClient) Update(m []byte)             { c.log.add(c.name, "%s", summary(m)) }
func (c *fakeClient) Feed(m []byte)               { c.log.add(c.name, "%s", summary(m)) }
func (c *fakeClient) Expired(_, reason string)    { c.log.add(c.name, "expired%s", reason) }
func (c *fakeClient) Send([]byte)                 {}
func (c *fakeClient) Written() (time.Time, bool)  { return time.Time{}, true }
func (c *fakeClient) Lag() time.Duration          { return 0 }
func (c *fakeClient) Probe()                      {}
func (c *fakeClient) Away(string, time.Time)      {}
func (c *fakeClient) Unread(time.Time) bool       { return false }
func (c *fakeClient) Cut()                        {}

func (c *fakeClient) Started(m *match.Match, seat int) {
	c.match, c.seat = m, seat
	c.log.add(c.name, "started")
}

func (c *fakeClient) Ended(r protocol.MatchResult) {
	c.log.add(c.name, "ended %v %q", r.Aborted, r.Reason)
}

func (c *fakeClient) Watching(i protocol.MatchInfo, s *match.Stream) {
	c.log.add(c.name, "watching %s %v", describe(i), s != nil)
}

func (c *fakeClient) Playing(s *match.Stream) {
	c.log.add(c.name, "playing %d", s.Len())
	s.Watch(streamReader{c, s})
}

// streamReader logs a match's stream for a spectator.
type streamReader struct {
	c *fakeClient
	s *match.Stream
}

func (r streamReader) Wake() {
	part, result := r.s.Read(0, 100)
	if _, result2 := r.s.Read(len(part), 100); result2 != nil {
		result = result2
	}
	r.c.log.add(r.c.name, "sees %q, over: %v", part, result != nil)
}
