package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/arrival"
	"colosseum/host/internal/catalog"
	"colosseum/host/internal/engine"
	"colosseum/host/internal/lobby"
	"colosseum/host/internal/store"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// house is a server on a loopback socket with a real lobby, games in memory,
// and records in memory.
type house struct {
	*Server
	t       *testing.T
	lobby   *lobby.Lobby
	log     *archive
	http    *httptest.Server
	network *network // nil: the connections are sockets
}

var usual = Limits{Connections: 100, Handshake: 10 * time.Second, Ping: 25 * time.Second, Backlog: 1 << 20, Line: 4096}

// open starts a house, and closes it at the end of the test, when no goroutine
// may be left.
func open(t *testing.T, change func(*Limits)) *house {
	t.Helper()
	before := runtime.NumGoroutine()
	h := build(t, change)
	h.http = httptest.NewUnstartedServer(h.Server)
	h.http.Listener = arrival.Listener{Listener: h.http.Listener}
	h.http.Start()
	t.Cleanup(func() {
		h.close()
		eventually(t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= before })
	})
	return h
}

// build makes a house that nobody can connect to yet.
func build(t *testing.T, change func(*Limits)) *house {
	limits := usual
	if change != nil {
		change(&limits)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	h := &house{t: t, log: &archive{records: map[string]*store.Record{}}}
	h.lobby = lobby.New(shelf, h.log, lobby.Limits{Matches: 1000, Expiry: 600 * time.Second, Stall: time.Hour}, "open sesame", log)
	h.Server = New(shelf, h.lobby, h.log, limits, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, log)
	return h
}

func (h *house) close() {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	h.lobby.Close(over)
	h.Server.Close()
	h.http.Close()
}

// eventually waits for something that can only be polled. A slow machine is no
// fault: go test's own timeout ends what never happens, and shows all goroutines.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	t.Logf("waiting until %s", what)
	for !ok() {
		<-tick.C
	}
}

// count is the number of sessions.
func (h *house) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sessions)
}

// only returns the one session there is.
func (h *house) only() *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sessions) != 1 {
		h.t.Fatalf("%d sessions", len(h.sessions))
	}
	for s := range h.sessions {
		return s
	}
	return nil
}

// archive keeps records in memory.
type archive struct {
	mu      sync.Mutex // guards the fields below
	records map[string]*store.Record
	ids     []string
	failure error     // of Get and List
	due     time.Time // by when the last Get had to be done
}

func (a *archive) Begin(*store.Record) {}

func (a *archive) Finish(_ context.Context, r *store.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.records[r.ID] = r
	a.ids = append([]string{r.ID}, a.ids...)
	return nil
}

func (a *archive) Get(ctx context.Context, id string) (*store.Record, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.due, _ = ctx.Deadline()
	if r, ok := a.records[id]; ok || a.failure != nil {
		return r, a.failure
	}
	return nil, store.ErrNotFound
}

func (a *archive) Generation() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return uint64(len(a.ids))
}

func (a *archive) List(_ context.Context, limit int) ([]string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ids[:min(limit, len(a.ids))], a.failure
}

// games offers what it holds.
type games []*catalog.Offer

func (g games) List() []*catalog.Offer { return g }

func (g games) Generation() uint64 { return 1 }

func (g games) Find(name string) (*catalog.Offer, error) {
	for _, o := range g {
		if o.Name == name {
			return o, nil
		}
	}
	return nil, errors.New("Game not found") //nolint:staticcheck // the wire's text
}

// shelf holds the games of all tests.
var shelf = games{
	{
		Name: "duel", Title: "A duel", Rules: "# duel\n", Plugin: "duel", Version: "1", Engine: memory{&duel},
		Params: duel.Params,
	},
	{
		Name: "echo", Title: "Says what you say", Rules: strings.Repeat("Say it again.\n", 1000), // an answer of 14 kB
		Unavailable: "it is on holiday", Plugin: "echo", Version: "1", Engine: memory{&echo},
	},
}

// duel asks both players for one line each, which each then sees.
var duel = sdk.Game{
	Name: "duel", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 30,
	Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 10, 1, 99)},
	Play: func(m *sdk.Match) error {
		m.TellAll("go")
		answers, errs := m.AskAll([][]string{{"a", "b"}, {"a", "b"}})
		for seat := range answers {
			m.TellAll(answers[seat])
			if errs[seat] == nil && answers[seat] == "a" {
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

// echo does what its one player says, until "end".
var echo = sdk.Game{
	Name: "echo", MinPlayers: 1, MaxPlayers: 1, Timeout: 60,
	Play: func(m *sdk.Match) error {
		m.Tell(0, "hello")
		for {
			line, err := m.AskLine(0, nil)
			if err != nil {
				return nil
			}
			word, rest, _ := strings.Cut(line, " ")
			n, _ := strconv.Atoi(rest)
			switch word {
			case "end":
				m.Reason("said so")
				return nil
			case "show": // N KiB to the spectators, in lines of 1 KiB
				for i := range n {
					m.Show(fmt.Sprintf("%-1023d", i))
				}
			case "tell": // N KiB to the player
				for i := range n {
					m.Tell(0, fmt.Sprintf("%-1023d", i))
				}
			case "rest": // N ms
				m.Pace(float64(n) / 1000)
			default:
				m.TellAll("<" + line + ">")
			}
		}
	},
}

// memory plays a game in this process.
type memory struct{ game *sdk.Game }

func (m memory) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return m.game.Prepare(r)
}

func (m memory) Open(start *wire.Start, in *engine.Inbox) (engine.Match, error) {
	t := &table{match: in, answers: make(chan []*wire.Answer, 1), stopped: make(chan struct{})}
	setup := driver.Setup{Seed: start.Seed, Settings: driver.Settings{Players: len(start.Seats), Timeout: start.Timeout, Params: start.Params}}
	for _, s := range start.Seats {
		setup.Names, setup.Bots = append(setup.Names, s.Name), append(setup.Bots, s.Bot)
	}
	go m.game.Run(setup, t) // ends with the match
	return t, nil
}

type table struct {
	match   *engine.Inbox
	answers chan []*wire.Answer // 1: the match answers each question once
	stopped chan struct{}
	once    sync.Once
}

func (t *table) Answer(answers []*wire.Answer) { t.answers <- answers }
func (t *table) Stop()                         { t.once.Do(func() { close(t.stopped) }) }

func (t *table) Send(turn *driver.Turn) bool {
	select {
	case <-t.stopped:
		return false
	default:
	}
	t.match.Put(wire.EncodeTurn(1, turn))
	runtime.Gosched() // a real game has a socket in between
	return true
}

func (t *table) Wait() ([]driver.Answer, bool) {
	select {
	case answers := <-t.answers:
		return wire.DecodeAnswers(answers), true
	case <-t.stopped:
		return nil, false
	}
}

func (t *table) Pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.stopped:
		return false
	}
}

// client speaks the protocol by hand.
type client struct {
	t      *testing.T
	conn   *websocket.Conn
	stream string // bytes of a match that were not taken yet
	reader original
}

// dial connects without a handshake.
func (h *house) dial() *client {
	h.t.Helper()
	var d websocket.Dialer
	if h.network != nil {
		d.NetDialContext = h.network.dial
	}
	conn, response, err := d.Dial("ws"+strings.TrimPrefix(h.http.URL, "http")+"/any/path", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	_ = response.Body.Close()
	c := &client{t: h.t, conn: conn}
	h.t.Cleanup(c.hangUp)
	return c
}

// enter connects and shakes hands.
func (h *house) enter() *client {
	h.t.Helper()
	c := h.dial()
	c.says(`{"Handshake":{"magic":"coco","version":2}}`)
	c.hears(`{"Handshake":{"magic":"coco","version":2}}`)
	return c
}

func (c *client) hangUp() { _ = c.conn.Close() }

func (c *client) says(text string) {
	c.t.Helper()
	if err := c.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// plays sends bytes of the player's program.
func (c *client) plays(bytes string) {
	c.t.Helper()
	if err := c.conn.WriteMessage(websocket.BinaryMessage, []byte(bytes)); err != nil {
		c.t.Fatal(err)
	}
}

// message returns the next message: a text, or "binary" and the bytes, or
// "close", the code and the reason, or "lost" when there is no close frame.
func (c *client) message() (kind, data string) {
	k, b, err := c.conn.ReadMessage()
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok && closed.Code != websocket.CloseAbnormalClosure {
		return "close", fmt.Sprintf("%d %s", closed.Code, closed.Text)
	}
	switch {
	case err != nil:
		return "lost", err.Error()
	case k == websocket.BinaryMessage:
		kind, err = "binary", c.reader.binary(b)
	default:
		kind, err = "text", c.reader.text(string(b))
	}
	if err != nil {
		c.t.Error(err)
	}
	return kind, string(b)
}

var variable = regexp.MustCompile(`"time":\d+`)

// hears expects texts, in which every time is T.
func (c *client) hears(want ...string) {
	c.t.Helper()
	for _, w := range want {
		kind, got := c.message()
		got = variable.ReplaceAllString(got, `"time":T`)
		if kind != "text" || got != w {
			c.t.Fatalf("got %s %s\nwant %s", kind, got, w)
		}
	}
}

// sees expects bytes of a match, in messages of any size.
func (c *client) sees(want string) {
	c.t.Helper()
	for len(c.stream) < len(want) {
		kind, data := c.message()
		if kind != "binary" {
			c.t.Fatalf("got %s %s\nwant %.80q", kind, data, want)
		}
		c.stream += data
	}
	if c.stream[:len(want)] != want {
		c.t.Fatalf("got %.80q\nwant %.80q", c.stream, want)
	}
	c.stream = c.stream[len(want):]
}

// closes expects a close frame, after anything else, and returns its reason.
func (c *client) closes(code int) string {
	c.t.Helper()
	for {
		_, _, err := c.conn.ReadMessage()
		if err == nil {
			continue
		}
		closed, ok := errors.AsType[*websocket.CloseError](err)
		if !ok || closed.Code != code {
			c.t.Fatalf("got %v, want it closed with %d", err, code)
		}
		if closed.Text == "" {
			c.t.Errorf("closed with %d without a reason", code)
		}
		return closed.Text
	}
}

// until reads to a message of the given name, and returns the bytes of the
// match on the way and the message.
func (c *client) until(name string) (stream, message string) {
	c.t.Helper()
	for {
		kind, data := c.message()
		switch {
		case kind == "binary":
			stream += data
		case kind != "text":
			c.t.Fatalf("got %s %s, want %s", kind, data, name)
		case strings.HasPrefix(data, `{"`+name+`":`):
			return stream, data
		}
	}
}

var identifier = regexp.MustCompile(`"Ok":"([0-9a-v]{13})"`)

// creates makes a match and returns its ID.
func (c *client) creates(game string) string {
	c.t.Helper()
	c.says(`{"GameNew":{"name":"T","game":"` + game + `","params":{"players":null,"bots":0,"timeout":null},"args":{},"password":null,"verification":null}}`)
	_, m := c.message()
	found := identifier.FindStringSubmatch(m)
	if found == nil {
		c.t.Fatalf("no match was made: %s", m)
	}
	return found[1]
}

// joins takes a seat and reads to its confirmation and the update.
func (c *client) joins(id, name string) {
	c.t.Helper()
	c.says(string(protocol.Encode(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: name})))
	_, m := c.until(protocol.NameLobbyJoinedMatch)
	if !strings.Contains(m, `"Ok"`) {
		c.t.Fatal(m)
	}
	c.until(protocol.NameLobbyUpdate)
}

// echoes begins a match of echo, and returns its ID.
func (c *client) echoes() string {
	c.t.Helper()
	id := c.creates("echo")
	c.joins(id, "alice")
	c.until(protocol.NameMatchStarted)
	c.sees("hello\n")
	return id
}
