package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/host/internal/base/arrival"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/serving"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// testServer is a server with a real lobby, and games and records in memory.
type testServer struct {
	*Server
	t       testing.TB
	lobby   *lobby.Lobby
	desk    *serving.Desk
	records *fakeRecords
	http    *httptest.Server
	network *network               // nil: connections are sockets
	removed atomic.Pointer[string] // the token of a player that was removed
	renamed atomic.Pointer[string] // the name that zoe has now; nil: that
}

var testLimits = Limits{Connections: 100, Handshake: 10 * time.Second, Ping: 25 * time.Second, Backlog: 1 << 20, Line: 4096}

// Servers must leave no goroutine.
func TestMain(m *testing.M) {
	waits.Together()
	os.Exit(waits.RunToEnd(m))
}

// startServer starts a server on a loopback socket. At the end of the test it
// closes the server.
func startServer(t testing.TB, change func(*Limits)) *testServer {
	t.Helper()
	srv := newTestServer(t, change)
	srv.http = httptest.NewUnstartedServer(srv.Server)
	srv.http.Listener = arrival.Listener{Listener: srv.http.Listener}
	srv.http.Start()
	t.Cleanup(srv.close)
	return srv
}

// newTestServer returns a server without connections.
func newTestServer(t testing.TB, change func(*Limits)) *testServer {
	limits := testLimits
	if change != nil {
		change(&limits)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	srv := &testServer{t: t, records: &fakeRecords{byID: map[string]*record.Match{}}}
	srv.lobby = lobby.New(testGames, srv.records, lobby.Limits{Matches: 1000, Expiry: 600 * time.Second, Stall: time.Hour}, "open sesame", log)
	srv.desk = serving.New(srv.lobby, testGames, serving.Limits{Players: 1000, Rematch: 30 * time.Second, Accept: 15 * time.Second}, log)
	srv.Server = New(Parts{Games: testGames, Lobby: srv.lobby, Desk: srv.desk, History: srv.records, Players: fakePlayers{&srv.removed, &srv.renamed}, Hints: fakeHints{}}, limits, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, log)
	return srv
}

// fakeHints finds that the best line is the number of answers so far.
type fakeHints struct{}

func (fakeHints) Hint(_ context.Context, rec *record.Match) (string, error) {
	return strconv.Itoa(len(rec.Answers)), nil
}

func (srv *testServer) close() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	srv.desk.Close()
	srv.lobby.Close(ended)
	srv.Server.Close()
	srv.http.Close()
}

func (srv *testServer) sessionCount() int {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	return len(srv.sessions)
}

// awaitSessions waits until n sessions are left.
func (srv *testServer) awaitSessions(n int) {
	srv.t.Helper()
	poll.Until(srv.t, fmt.Sprintf("%d sessions are left", n), func() bool { return srv.sessionCount() == n })
}

// onlySession returns the session of the only client.
func (srv *testServer) onlySession() *session {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if len(srv.sessions) != 1 {
		srv.t.Fatalf("got %d sessions, want 1", len(srv.sessions))
	}
	for s := range srv.sessions {
		return s
	}
	return nil
}

// session returns the session of a client.
func (srv *testServer) session(c *client) *session {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	for s := range srv.sessions {
		if s.conn.RemoteAddr().String() == c.conn.LocalAddr().String() {
			return s
		}
	}
	srv.t.Fatal("got no session of the client, want one")
	return nil
}

// wantLimited checks how many refusals by a limit are counted. A client can see its refusal
// before it is counted.
func wantLimited(t *testing.T, s *Server, name string, want uint64) {
	t.Helper()
	poll.Until(t, "refusals by "+name+" are counted", func() bool { return s.Stats().Limited[name] >= want })
	if got := s.Stats().Limited[name]; got != want {
		t.Errorf("counted %d refusals by %s, want %d", got, name, want)
	}
}

// fakeRecords is a store in memory.
type fakeRecords struct {
	mu       sync.Mutex // guards the fields below
	byID     map[string]*record.Match
	ids      []string
	failure  error     // of Get and List
	deadline time.Time // of the last Get
}

// put adds a record that List does not return.
func (f *fakeRecords) put(r *record.Match) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.byID[r.ID] = r
}

func (f *fakeRecords) Begin(*record.Match) {}

func (f *fakeRecords) Finish(_ context.Context, r *record.Match) error {
	f.put(r)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids = append([]string{r.ID}, f.ids...)
	return nil
}

func (f *fakeRecords) Get(ctx context.Context, id string) (*record.Match, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deadline, _ = ctx.Deadline()
	if r, ok := f.byID[id]; ok || f.failure != nil {
		return r, f.failure
	}
	return nil, store.ErrNotFound
}

func (f *fakeRecords) Generation() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return uint64(len(f.ids))
}

func (f *fakeRecords) List(_ context.Context, limit int) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ids[:min(limit, len(f.ids))], f.failure
}

// fakePlayers are the registered players. The token of each is its name in capitals.
type fakePlayers struct{ removed, renamed *atomic.Pointer[string] } // see testServer

func (fakePlayers) Authenticate(_ context.Context, _, token string, _ players.Scope) (string, error) {
	switch token {
	case "ZOE", "MAX":
		return strings.ToLower(token), nil
	case "READER":
		return "", players.ErrScope
	}
	return "", players.ErrToken
}

func (f fakePlayers) Valid(_ context.Context, logins []players.Login) (map[players.Login]string, error) {
	valid := map[players.Login]string{}
	for _, l := range logins {
		name := "max"
		if l == players.LoginOf("ZOE") {
			name, _ = f.Owner(context.Background(), "zoe")
		}
		if t := f.removed.Load(); t == nil || l != players.LoginOf(*t) {
			valid[l] = name
		}
	}
	return valid, nil
}

func (fakePlayers) Register(_ context.Context, _, name, _ string) (string, error) {
	if name == "zoe" || name == "max" {
		return "", errors.New("the name is taken")
	}
	return strings.ToUpper(name), nil
}

func (f fakePlayers) Owner(_ context.Context, name string) (string, error) {
	name = strings.ToLower(name)
	if now := f.renamed.Load(); now != nil && (name == "zoe" || name == *now) {
		return *now, nil
	}
	if name == "zoe" || name == "max" {
		return name, nil
	}
	return "", nil
}

type fakeCatalog []*catalog.Offer

func (c fakeCatalog) List() []*catalog.Offer { return c }

func (c fakeCatalog) Generation() uint64 { return 1 }

func (c fakeCatalog) Find(name string) (*catalog.Offer, error) {
	for _, o := range c {
		if o.Name == name {
			return o, nil
		}
	}
	if name == "whisper" { // echo that spectators see later
		o, err := c.Find("echo")
		whisper := *o
		whisper.Name, whisper.Delay = name, driver.MaxDelay
		return &whisper, err
	}
	return nil, catalog.ErrUnknown
}

var testGames = fakeCatalog{
	{
		Name: "duel", Title: "A duel", Rules: "# duel\n", Plugin: "duel", Version: "1", Engine: fakeGame{&duel},
		Params: duel.Params,
	},
	{
		Name: "echo", Title: "Says what you say", Rules: strings.Repeat("Say it again.\n", 1000), // an answer of 14 kB
		Unavailable: "it is on holiday", Plugin: "echo", Version: "1", Engine: fakeGame{&echo},
	},
}

// duel asks both players for a line at once, and then sends both lines to both.
var duel = sdk.Game{
	Name: "duel", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 30,
	Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 10, 1, 99)},
	Play: func(m *sdk.Match) error {
		m.TellAll("go")
		for seat, a := range m.AskAll([][]string{{"a", "b"}, {"a", "b"}}) {
			m.TellAll(a.Line)
			if a.Err == nil && a.Line == "a" {
				m.Score(seat, 1)
			}
		}
		return nil
	},
	Bot: func(b *sdk.Bot) error {
		b.Write("b")
		return nil
	},
}

// echo does what its one player asks for, until "end".
var echo = sdk.Game{
	Name: "echo", MinPlayers: 1, MaxPlayers: 1, Timeout: 60,
	Play: func(m *sdk.Match) error {
		m.Tell(0, "hello")
		for {
			line, err := m.AskLine(0)
			if err != nil {
				return nil
			}
			word, rest, _ := strings.Cut(line, " ")
			n, _ := strconv.Atoi(rest)
			switch word {
			case "end":
				m.Reason("said so")
				return nil
			case "show": // N lines of 1 KiB to the spectators
				for i := range n {
					m.Show(fmt.Sprintf("%-1023d", i))
				}
			case "tell": // N lines of 1 KiB to the player
				for i := range n {
					m.Tell(0, fmt.Sprintf("%-1023d", i))
				}
			case "pause": // N ms
				m.Pace(float64(n) / 1000)
			default:
				m.TellAll("<" + line + ">")
			}
		}
	},
}

// fakeGame runs the matches of a game in this process.
type fakeGame struct{ game *sdk.Game }

func (g fakeGame) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return driver.Of(g.game).Prepare(r)
}

func (g fakeGame) Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error) {
	m := &fakeMatch{inbox: in, answers: make(chan []driver.Answer, 1), stopped: make(chan struct{})}
	go driver.Of(g.game).Run(setup, m) // ends with the match
	return m, nil
}

type fakeMatch struct {
	inbox   engine.Receiver
	answers chan []driver.Answer // 1: the match answers each question once
	stopped chan struct{}
	once    sync.Once
}

func (m *fakeMatch) Answer(answers []driver.Answer) { m.answers <- answers }
func (m *fakeMatch) Stop()                          { m.once.Do(func() { close(m.stopped) }) }

func (m *fakeMatch) Send(frame *driver.Frame) bool {
	select {
	case <-m.stopped:
		return false
	default:
	}
	m.inbox.Put(frame)
	runtime.Gosched() // a real game has a socket in between
	return true
}

func (m *fakeMatch) Wait() ([]driver.Answer, bool) {
	select {
	case answers := <-m.answers:
		return answers, true
	case <-m.stopped:
		return nil, false
	}
}

func (m *fakeMatch) Pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-m.stopped:
		return false
	}
}
