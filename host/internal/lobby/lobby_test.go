package lobby

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/catalog"
	"colosseum/host/internal/engine"
	"colosseum/host/internal/match"
	"colosseum/host/internal/store"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// house is a lobby with stand-ins for all that it deals with. The game "duel"
// is for two people and at most one bot, "solo" for one to three of either.
type house struct {
	*Lobby
	duel *engineStandIn
	log  *story
}

const secret = "open sesame"

func newHouse(matches int) *house {
	h := &house{log: &story{}}
	h.duel = newEngine(sdk.Game{
		Name: "duel", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 30,
		Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 10, 1, 99)},
	})
	solo := newEngine(sdk.Game{Name: "solo", MinPlayers: 1, MaxPlayers: 3, MaxBots: 3, Timeout: 30})
	games := shelf{
		"duel": {Name: "duel", Plugin: "duels", Version: "v1", Engine: h.duel},
		"solo": {Name: "solo", Plugin: "solo", Version: "v1", Engine: solo},
		"sick": {Name: "sick", Engine: sickEngine{}},
	}
	h.Lobby = New(games, &recorder{h.log}, Limits{Matches: matches, Expiry: 600 * time.Second, Stall: 30 * time.Second}, secret,
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	return h
}

type shelf map[string]*catalog.Offer

func (s shelf) Find(name string) (*catalog.Offer, error) {
	if o, ok := s[name]; ok {
		return o, nil
	}
	return nil, errors.New("Game not found") //nolint:staticcheck // the wire's text
}

// story is what was told to whom, in order: "alice: joined [alice]".
type story struct {
	mu    sync.Mutex // guards the field below
	lines []string
}

func (s *story) add(who, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, who+": "+fmt.Sprintf(format, args...))
}

// take returns what was told since the last take, without the lobby's feed
// unless it is asked for by name.
func (s *story) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	return lines
}

// engineStandIn prepares matches as a game does; what its referees say is up
// to the test.
type engineStandIn struct {
	game  sdk.Game
	mu    sync.Mutex // guards the fields below
	seats []*wire.Seat
	match engine.Receiver // of the last match
}

func newEngine(g sdk.Game) *engineStandIn {
	return &engineStandIn{game: g}
}

func (e *engineStandIn) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return e.game.Prepare(r)
}

func (e *engineStandIn) Open(start *wire.Start, r engine.Receiver) (engine.Table, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.match, e.seats = r, start.Seats
	return table{}, nil
}

// end ends the last match.
func (e *engineStandIn) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	end := &wire.End{}
	for range e.seats {
		end.Seats = append(end.Seats, &wire.SeatResult{Rank: 1, Ended: "finished"})
	}
	e.match.Frame(&wire.GameFrame{End: end})
}

// show lets the spectators of the last match see a text.
func (e *engineStandIn) show(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.match.Frame(&wire.GameFrame{Texts: []*wire.Text{{To: wire.Text_SPECTATORS, Lines: []byte(text)}}})
}

type table struct{}

func (table) Answer([]*wire.Answer) {}
func (table) Stop()                 {}

// sickEngine is a process that does not answer.
type sickEngine struct{}

func (sickEngine) Prepare(context.Context, driver.Request) (driver.Settings, error) {
	return driver.Settings{}, errors.New("sick does not answer")
}

func (sickEngine) Open(*wire.Start, engine.Receiver) (engine.Table, error) {
	return nil, engine.ErrGone
}

type recorder struct{ log *story }

func (r *recorder) Begin(*store.Record) {}

func (r *recorder) Finish(_ context.Context, rec *store.Record) error {
	r.log.add("record", "%s %s", rec.Name, rec.State)
	return nil
}

// person is a client: a player, a spectator or a subscriber.
type person struct {
	name string
	log  *story

	match *match.Match
	seat  int
}

func (h *house) person(name string) *person { return &person{name: name, log: h.log} }

func describe(i protocol.MatchInfo) string {
	state := "waits"
	if i.Running {
		state = "runs"
	}
	if i.Spectators > 0 {
		state += fmt.Sprintf(" before %d", i.Spectators)
	}
	return fmt.Sprintf("%s %v", state, i.Connected)
}

// heard turns a message of the lobby into a few words.
func heard(message []byte) string {
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

func (p *person) Joined(i protocol.MatchInfo) { p.log.add(p.name, "joined %s", describe(i)) }
func (p *person) Update(m []byte)             { p.log.add(p.name, "%s", heard(m)) }
func (p *person) Feed(m []byte)               { p.log.add(p.name, "%s", heard(m)) }
func (p *person) Expired(_, reason string)    { p.log.add(p.name, "expired%s", reason) }
func (p *person) Send([]byte)                 {}
func (p *person) Written() (time.Time, bool)  { return time.Time{}, true }
func (p *person) Unread(time.Time) bool       { return false }
func (p *person) Cut()                        {}

func (p *person) Started(m *match.Match, seat int) {
	p.match, p.seat = m, seat
	p.log.add(p.name, "started")
}

func (p *person) Ended(r protocol.MatchResult) {
	p.log.add(p.name, "ended %v %q", r.Aborted, r.Reason)
}

func (p *person) Watching(i protocol.MatchInfo, s *match.Stream) {
	p.log.add(p.name, "watching %s %v", describe(i), s != nil)
}

func (p *person) Playing(s *match.Stream) {
	p.log.add(p.name, "playing %d", s.Len())
	s.Watch(watcher{p, s})
}

// watcher is a spectator's place in a stream.
type watcher struct {
	p *person
	s *match.Stream
}

func (w watcher) Wake() {
	part, result := w.s.Read(0, 100)
	if _, result2 := w.s.Read(len(part), 100); result2 != nil {
		result = result2
	}
	w.p.log.add(w.p.name, "sees %q, over: %v", part, result != nil)
}

// open makes a match of the duel and returns its ID.
func (h *house) open(t *testing.T, change func(*protocol.GameNew)) string {
	t.Helper()
	r := protocol.GameNew{Name: "T", Game: "duel"}
	if change != nil {
		change(&r)
	}
	id, err := h.Create(context.Background(), "", r)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func (h *house) mustJoin(t *testing.T, p *person, id string) {
	t.Helper()
	if err := h.Join(p, "", protocol.LobbyJoinMatch{ID: id, Name: p.name}); err != nil {
		t.Fatal(err)
	}
}

func (h *house) mustWatch(t *testing.T, p *person, id string) {
	t.Helper()
	if err := h.Spectate(p, id); err != nil {
		t.Fatal(err)
	}
}

// told checks what was told since the last time, in order.
func (h *house) told(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	if got := h.log.take(); !slices.Equal(got, want) {
		t.Errorf("told\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// shut ends the lobby at once.
func (h *house) shut() {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	h.Close(over)
}

func ptr[T any](v T) *T { return &v }

func TestCreateRefusesWithTheTextsOfTheProtocol(t *testing.T) {
	const badName = `is not a valid game name: use 1 to 24 printable ASCII characters`
	tests := []struct {
		name   string
		change func(*protocol.GameNew)
		want   string
	}{
		{"unknown game", func(r *protocol.GameNew) { r.Game = "chess" }, "Game not found"},
		{"no name", func(r *protocol.GameNew) { r.Name = "" }, `"" ` + badName},
		{"long name", func(r *protocol.GameNew) { r.Name = strings.Repeat("x", 25) }, `"xxxxxxxxxxxxxxxxxxxxxxxxx" ` + badName},
		{"very long name", func(r *protocol.GameNew) { r.Name = strings.Repeat("x", 1000) }, `"` + strings.Repeat("x", 64) + `…" ` + badName},
		{"name with a line feed", func(r *protocol.GameNew) { r.Name = "a\nb" }, `"a\nb" ` + badName},
		{"name that is not ASCII", func(r *protocol.GameNew) { r.Name = "é" }, `"é" ` + badName},
		{"wrong verification", func(r *protocol.GameNew) { r.Verification = ptr("hunter2") }, `"***" is the wrong verification password`},
		{"empty verification", func(r *protocol.GameNew) { r.Verification = ptr("") }, `"***" is the wrong verification password`},
		{"long password", func(r *protocol.GameNew) { r.Password = ptr(strings.Repeat("p", 33)) }, `"***" is not a valid password: use 0 to 32 printable ASCII characters without spaces`},
		{"password with a space", func(r *protocol.GameNew) { r.Password = ptr("hunter 2") }, `"***" is not a valid password: use 0 to 32 printable ASCII characters without spaces`},
		{"long timeout", func(r *protocol.GameNew) { r.Params.Timeout = ptr(1000.0) }, "Timeout 1000 out of allowed range [0.1; 600]"},
		{"short timeout", func(r *protocol.GameNew) { r.Params.Timeout = ptr(0.05) }, "Timeout 0.05 out of allowed range [0.1; 600]"},
		{"no timeout", func(r *protocol.GameNew) { r.Params.Timeout = ptr(0.0) }, "Timeout 0 out of allowed range [0.1; 600]"},
		{"timeout that is no number", func(r *protocol.GameNew) { r.Params.Timeout = ptr(math.NaN()) }, "Timeout NaN out of allowed range [0.1; 600]"},
		{"all bots", func(r *protocol.GameNew) { r.Params.Players, r.Params.Bots = ptr(2), 2 }, "Cannot have all server bots"},
		{"all bots of the default players", func(r *protocol.GameNew) { r.Game, r.Params.Bots = "solo", 1 }, "Cannot have all server bots"},
		{"too many bots", func(r *protocol.GameNew) { r.Game, r.Params.Players, r.Params.Bots = "solo", ptr(3), 4 }, "Cannot have all server bots"},
		{"all bots of the default players, too many", func(r *protocol.GameNew) { r.Params.Bots = 2 }, "Cannot have all server bots"},
		{"negative bots", func(r *protocol.GameNew) { r.Params.Bots = -1 }, "Cannot create game: Cannot create game with -1 bots: a match has from 0 to 99 bots"},
		{"101 bots", func(r *protocol.GameNew) { r.Params.Bots = 101 }, "Cannot create game: Cannot create game with 101 bots: a match has from 0 to 99 bots"},
		{"a negative timeout", func(r *protocol.GameNew) { r.Params.Timeout = ptr(-1.0) }, "Timeout -1 out of allowed range [0.1; 600]"},
		{"three players", func(r *protocol.GameNew) { r.Params.Players = ptr(3) }, "Cannot create game: Cannot create game with 3 players: duel is played by exactly 2 players"},
		{"no players", func(r *protocol.GameNew) { r.Params.Players = ptr(0) }, "Cannot create game: Cannot create game with 0 players: duel is played by exactly 2 players"},
		{"negative players", func(r *protocol.GameNew) { r.Params.Players = ptr(-2) }, "Cannot create game: Cannot create game with -2 players: a match has from 1 to 100 players"},
		{"101 players", func(r *protocol.GameNew) { r.Params.Players = ptr(101) }, "Cannot create game: Cannot create game with 101 players: a match has from 1 to 100 players"},
		{"number of rounds", func(r *protocol.GameNew) { r.Args = map[string]string{"rounds": "0"} }, `Cannot create game: Invalid number of rounds: rounds="0" is not a whole number from 1 to 99`},
		{"unknown parameter", func(r *protocol.GameNew) { r.Args = map[string]string{"round": "1"} }, `Cannot create game: unknown parameter "round" (have rounds)`},
		{"game that does not answer", func(r *protocol.GameNew) { r.Game = "sick" }, "Cannot create game: sick does not answer"},
	}
	h := newHouse(10)
	defer h.shut()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := protocol.GameNew{Name: "T", Game: "duel"}
			tt.change(&r)
			id, err := h.Create(context.Background(), "", r)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %q, %v, want %s", id, err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter") {
				t.Errorf("%q repeats a secret", err)
			}
		})
	}
	if n := len(h.List()); n != 0 {
		t.Errorf("%d matches were made", n)
	}
}

func TestCreatedMatchIsInTheLobbyAsItsCreatorWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		expiry := time.Now().Add(600 * time.Second).Unix()
		plain := h.open(t, nil)
		full := h.open(t, func(r *protocol.GameNew) {
			r.Name = "a name with spaces and $~!"
			r.Name = r.Name[:24]
			r.Params = protocol.GameParams{Players: ptr(2), Bots: 1, Timeout: ptr(0.1)}
			r.Args = map[string]string{"rounds": "5"}
			r.Password, r.Verification = ptr(""), ptr(secret)
		})
		if !ValidID(plain) || !ValidID(full) || plain == full {
			t.Errorf("the IDs are %q and %q", plain, full)
		}
		want := map[string]protocol.MatchInfo{
			plain: {Players: 2, Timeout: 30, Args: map[string]string{}, ID: plain, Name: "T", Game: "duel", Time: expiry, Connected: []string{}},
			full: {
				Players: 2, Bots: 1, Timeout: 0.1, Args: map[string]string{"rounds": "5"}, ID: full, Name: "a name with spaces and $", Game: "duel",
				Time: expiry, Connected: []string{}, Password: true, Verified: true,
			},
		}
		list := h.List()
		if len(list) != 2 {
			t.Fatalf("the lobby has %d matches", len(list))
		}
		for _, got := range list {
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want[got.ID]) {
				t.Errorf("got  %+v\nwant %+v", got, want[got.ID])
			}
		}
	})
}

func TestCapacityCountsMatchesThatWaitOrRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(2)
		defer h.shut()
		id := h.open(t, func(r *protocol.GameNew) { r.Params.Bots = 1 })
		h.open(t, nil)
		h.mustJoin(t, h.person("alice"), id)
		synctest.Wait()
		full := func() error {
			_, err := h.Create(context.Background(), "", protocol.GameNew{Name: "T", Game: "duel"})
			return err
		}
		if err := full(); err == nil || err.Error() != "Server is at maximum capacity" {
			t.Errorf("got %v", err)
		}
		h.duel.end()
		synctest.Wait()
		if err := full(); err != nil {
			t.Errorf("there is room again: %v", err)
		}
	})
}

func TestJoinRefusesWithTheTextsOfTheProtocol(t *testing.T) {
	const badUser = "is not a valid username: use 1 to 16 printable ASCII characters without spaces and $"
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		open := h.open(t, nil)
		h.mustJoin(t, h.person("alice"), open)
		locked := h.open(t, func(r *protocol.GameNew) { r.Password = ptr("hunter2") })
		lockedEmpty := h.open(t, func(r *protocol.GameNew) { r.Password = ptr("") })
		running := h.open(t, func(r *protocol.GameNew) { r.Params.Bots = 1 })
		h.mustJoin(t, h.person("carol"), running)
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
			{"empty password", locked, "bob", ptr(""), "Wrong password"},
			{"wrong password", locked, "bob", ptr("hunter3"), "Wrong password"},
			{"password is the empty one", lockedEmpty, "bob", ptr("x"), "Wrong password"},
		}
		before := len(h.log.take())
		for _, tt := range tests {
			err := h.Join(h.person("bob"), "", protocol.LobbyJoinMatch{ID: tt.id, Name: tt.user, Password: tt.password})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
			}
		}
		h.told(t) // nobody
		if before == 0 {
			t.Error("the players who joined were told nothing")
		}
		for id, password := range map[string]*string{open: ptr("not needed"), locked: ptr("hunter2"), lockedEmpty: ptr("")} {
			if err := h.Join(h.person("bob"), "", protocol.LobbyJoinMatch{ID: id, Name: "sixteencharacter", Password: password}); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestPlayersAreToldInTheOrderOfTheProtocol(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		id := h.open(t, nil)
		alice, bob := h.person("alice"), h.person("bob")
		h.mustJoin(t, alice, id)
		h.told(t, "alice: joined waits [alice]", "alice: LobbyUpdate waits [alice]")
		h.mustJoin(t, bob, id)
		h.told(t,
			"bob: joined waits [alice bob]",
			"alice: LobbyUpdate waits [alice bob]", "bob: LobbyUpdate waits [alice bob]",
			"alice: LobbyUpdate runs [alice bob]", "bob: LobbyUpdate runs [alice bob]",
			"alice: started", "bob: started")
		if alice.match == nil || alice.match != bob.match || alice.seat+bob.seat != 1 {
			t.Errorf("alice sits on %d, bob on %d", alice.seat, bob.seat)
		}
		if info := h.List()[0]; !info.Running || info.Time != time.Now().Unix() {
			t.Errorf("the lobby has %+v", info)
		}
		h.duel.end()
		synctest.Wait()
		lines := h.log.take()
		slices.Sort(lines[1:]) // players are told in the order of their seats
		if !slices.Equal(lines, []string{"record: T finished", `alice: ended false ""`, `bob: ended false ""`}) {
			t.Errorf("told %q", lines)
		}
		if list := h.List(); len(list) != 0 {
			t.Errorf("the lobby has %+v", list)
		}
	})
}

func TestBotsFillTheLastSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		id := h.open(t, func(r *protocol.GameNew) { r.Params.Bots = 1 })
		alice := h.person("alice")
		h.mustJoin(t, alice, id)
		h.told(t, "alice: joined waits [alice]", "alice: LobbyUpdate waits [alice]", "alice: LobbyUpdate runs [alice]", "alice: started")
		seats := h.duel.seats
		if me, bot := seats[alice.seat], seats[1-alice.seat]; me.Name != "alice" || me.Bot || bot.Name != "ServerBot$0" || !bot.Bot {
			t.Errorf("the seats are %v", seats)
		}
	})
}

func TestLeaverIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		id := h.open(t, nil)
		alice, bob, carol := h.person("alice"), h.person("bob"), h.person("carol")
		h.mustJoin(t, alice, id)
		h.mustWatch(t, carol, id)
		h.log.take()
		if h.Leave(bob, id) || h.Leave(alice, "0123456789abc") {
			t.Error("somebody left who was not there")
		}
		if !h.Leave(alice, id) {
			t.Error("alice had a seat")
		}
		h.told(t, "carol: LobbyUpdate waits before 1 []")
		h.mustJoin(t, bob, id)
		h.mustJoin(t, &person{name: "alice", log: h.log}, id)
		h.log.take()
		if h.Leave(bob, id) {
			t.Error("bob left a match that runs")
		}
		if got := h.List()[0].Connected; !slices.Equal(got, []string{"bob", "alice"}) {
			t.Errorf("connected are %v", got)
		}
	})
}

func TestSpectatorsAreToldInTheOrderOfTheProtocol(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		id := h.open(t, func(r *protocol.GameNew) { r.Params.Bots, r.Password = 1, ptr("secret") })
		early, late, gone := h.person("early"), h.person("late"), h.person("gone")
		if err := h.Spectate(early, "0123456789abc"); err == nil || err.Error() != `Game "0123456789abc" does not exists` {
			t.Errorf("got %v", err)
		}
		h.mustWatch(t, early, id)
		h.told(t, "early: watching waits before 1 [] false", "early: LobbyUpdate waits before 1 []")
		h.mustWatch(t, gone, id)
		h.log.take()
		h.Unspectate(gone, id)
		h.Unspectate(gone, id) // once is enough
		h.told(t, "early: LobbyUpdate waits before 1 []")
		if err := h.Join(h.person("alice"), "", protocol.LobbyJoinMatch{ID: id, Name: "alice", Password: ptr("secret")}); err != nil {
			t.Fatal(err)
		}
		h.told(t,
			"alice: joined waits before 1 [alice]",
			"alice: LobbyUpdate waits before 1 [alice]", "early: LobbyUpdate waits before 1 [alice]",
			"alice: LobbyUpdate runs before 1 [alice]", "early: LobbyUpdate runs before 1 [alice]",
			"alice: started", "early: playing 0")
		h.duel.show("x\n")
		h.told(t, `early: sees "x\n", over: false`)
		h.mustWatch(t, late, id)
		h.told(t, "late: watching runs before 2 [alice] true")
		h.Unspectate(late, id)
		if n := h.List()[0].Spectators; n != 1 {
			t.Errorf("%d spectators", n)
		}
		h.duel.end()
		h.told(t, "record: T finished", `alice: ended false ""`, `early: sees "x\n", over: true`)
		if err := h.Spectate(late, id); err == nil {
			t.Error("a match that has ended can be watched")
		}
	})
}

func TestSubscribersGetEveryChangeAfterTheirList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		first := h.open(t, nil)
		feed := h.person("feed")
		h.Subscribe(feed, func() uint64 {
			seed, generation := h.Snapshot()
			if len(seed) != 1 || seed[0].ID != first {
				t.Errorf("the list is %+v", seed)
			}
			return generation
		})
		// Only the feed is looked at, so everybody else stays silent.
		quiet := &story{}
		id := h.open(t, func(r *protocol.GameNew) { r.Params.Bots = 1 })
		h.told(t, "feed: LobbyNew waits []")
		h.mustWatch(t, &person{name: "eve", log: quiet}, id)
		h.told(t, "feed: LobbyUpdate waits before 1 []")
		h.mustJoin(t, &person{name: "alice", log: quiet}, id)
		h.told(t, "feed: LobbyUpdate waits before 1 [alice]", "feed: LobbyUpdate runs before 1 [alice]")
		h.mustWatch(t, &person{name: "mallory", log: quiet}, id)
		h.told(t, "feed: LobbyUpdate runs before 2 [alice]")
		h.duel.end()
		h.told(t, "record: T finished", "feed: LobbyDelete")
		time.Sleep(600 * time.Second)
		h.told(t, "feed: LobbyDelete") // the first one has expired
		h.Unsubscribe(feed)
		h.open(t, nil)
		h.told(t)
	})
}

func TestChangesWaitUntilASubscriberHasItsList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		feed := h.person("feed")
		var id string
		h.Subscribe(feed, func() uint64 {
			h.open(t, nil) // stands in the list: it is not fed again
			_, generation := h.Snapshot()
			id = h.open(t, func(r *protocol.GameNew) { r.Params.Bots = 1 })
			h.mustJoin(t, &person{name: "alice", log: &story{}}, id)
			h.told(t) // nothing comes before the list
			return generation
		})
		h.told(t, "feed: LobbyNew waits []", "feed: LobbyUpdate waits [alice]", "feed: LobbyUpdate runs [alice]")
		h.duel.end()
		h.told(t, "record: T finished", "feed: LobbyDelete")
		h.Subscribe(feed, func() uint64 {
			h.Unsubscribe(feed)
			h.open(t, nil)
			return h.Generation()
		})
		h.open(t, nil)
		h.told(t) // it has left while its list was made
	})
}

func TestTheGenerationChangesWithTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		last := h.Generation()
		changed := func(what string) {
			t.Helper()
			if now := h.Generation(); now == last {
				t.Errorf("%s: the generation is still %d", what, now)
			} else {
				last = now
			}
		}
		quiet := &story{}
		alice, eve := &person{name: "alice", log: quiet}, &person{name: "eve", log: quiet}
		id := h.open(t, nil)
		changed("a new match")
		h.mustWatch(t, eve, id)
		changed("a spectator")
		h.Unspectate(eve, id)
		changed("a spectator left")
		h.mustJoin(t, alice, id)
		changed("a player")
		h.Leave(alice, id)
		changed("a player left")
		time.Sleep(600 * time.Second)
		synctest.Wait()
		changed("it expired")
		id = h.open(t, func(r *protocol.GameNew) { r.Params.Bots = 1 })
		h.mustJoin(t, alice, id)
		changed("it began")
		h.List()
		h.Info(id)
		if now := h.Generation(); now != last {
			t.Errorf("reading changed the generation from %d to %d", last, now)
		}
		synctest.Wait()
		h.duel.end()
		synctest.Wait()
		changed("it ended")
	})
}

func TestMatchIsGoneFromTheLobbyWhenItsPlayersAreToldThatItEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		feed := h.person("feed")
		h.Subscribe(feed, h.Generation)
		id := h.open(t, func(r *protocol.GameNew) { r.Params.Bots = 1 })
		h.mustJoin(t, h.person("alice"), id)
		synctest.Wait()
		h.log.take()
		h.duel.end()
		h.told(t, "record: T finished", "feed: LobbyDelete", `alice: ended false ""`)
	})
}

func TestWaitingMatchExpires(t *testing.T) {
	const minute = time.Minute
	tests := []struct {
		name string
		do   func(t *testing.T, h *house, id string) // at minute 9 and again at 18
		want time.Duration                           // after its creation
	}{
		{"untouched", nil, 10 * minute},
		{"joined", func(t *testing.T, h *house, id string) {
			if h.entries[id].players == nil {
				h.mustJoin(t, h.person("alice"), id)
			}
		}, 19 * minute},
		{"joined and left", func(t *testing.T, h *house, id string) {
			if e := h.entries[id]; len(e.players) == 0 {
				h.mustJoin(t, h.person("alice"), id)
			} else {
				h.Leave(e.players[0], id)
			}
		}, 28 * minute},
		{"watched", func(t *testing.T, h *house, id string) { h.mustWatch(t, h.person("eve"), id) }, 10 * minute},
		{"refused", func(_ *testing.T, h *house, id string) {
			_ = h.Join(h.person("a b"), "", protocol.LobbyJoinMatch{ID: id, Name: "a b"})
		}, 10 * minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(10)
				defer h.shut()
				start := time.Now()
				id := h.open(t, nil)
				for minutes := 9; minutes <= 18; minutes += 9 {
					time.Sleep(time.Until(start.Add(time.Duration(minutes) * time.Minute)))
					synctest.Wait()
					if tt.do != nil && len(h.List()) > 0 {
						tt.do(t, h, id)
					}
				}
				if at := start.Add(tt.want).Add(-time.Second); time.Now().Before(at) {
					time.Sleep(time.Until(at))
					synctest.Wait()
					if len(h.List()) != 1 {
						t.Error("it has expired too early")
					}
				}
				time.Sleep(time.Until(start.Add(tt.want)))
				synctest.Wait()
				if len(h.List()) != 0 {
					t.Error("it has not expired")
				}
			})
		})
	}
}

// The timer may fire in the moment in which a join puts it off, and then wait
// for the lobby's lock.
func TestTimerThatFiredBeforeAJoinDoesNotRemoveTheMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		h.limits.Expiry = 500 * time.Millisecond
		id := h.open(t, nil)
		e := h.entries[id]
		time.Sleep(100 * time.Millisecond)
		h.mustJoin(t, h.person("alice"), id)
		h.expire(e)
		if len(h.List()) != 1 {
			t.Error("it has expired")
		}
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		if len(h.List()) != 0 {
			t.Error("it has not expired")
		}
	})
}

func TestExpiryIsToldToEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		id := h.open(t, nil)
		h.mustJoin(t, h.person("alice"), id)
		h.mustWatch(t, h.person("eve"), id)
		h.Subscribe(h.person("feed"), h.Generation)
		h.log.take()
		time.Sleep(600 * time.Second)
		h.told(t, "alice: expired", "eve: expired", "feed: LobbyDelete")
		if err := h.Join(h.person("bob"), "", protocol.LobbyJoinMatch{ID: id, Name: "bob"}); err == nil {
			t.Error("it can be joined after its expiry")
		}
	})
}

func TestRunningMatchDoesNotExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		defer h.shut()
		id := h.open(t, func(r *protocol.GameNew) { r.Params.Bots = 1 })
		h.mustJoin(t, h.person("alice"), id)
		synctest.Wait()
		for range 100 { // the referee is not silent
			time.Sleep(20 * time.Second)
			h.duel.show("x\n")
			synctest.Wait()
		}
		if len(h.List()) != 1 {
			t.Error("it has expired")
		}
	})
}

func TestCloseRefusesNewMatchesAndWaitsForThoseThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		waits := h.open(t, nil)
		h.mustJoin(t, h.person("alice"), waits)
		runs := h.open(t, func(r *protocol.GameNew) { r.Params.Bots, r.Name = 1, "R" })
		h.mustJoin(t, h.person("bob"), runs)
		synctest.Wait()
		h.log.take()
		closed := make(chan struct{})
		go func() { // ends with the match
			h.Close(context.Background())
			close(closed)
		}()
		h.told(t, "alice: expired")
		if _, err := h.Create(context.Background(), "", protocol.GameNew{Name: "T", Game: "duel"}); !errors.Is(err, errClosed) {
			t.Errorf("a match was made: %v", err)
		}
		select {
		case <-closed:
			t.Fatal("Close did not wait")
		default:
		}
		h.duel.end()
		h.told(t, "record: R finished", `bob: ended false ""`)
		<-closed
	})
}

func TestCloseAbortsWhatStillRunsWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(10)
		id := h.open(t, func(r *protocol.GameNew) { r.Params.Bots = 1 })
		h.mustJoin(t, h.person("alice"), id)
		synctest.Wait()
		h.log.take()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		start := time.Now()
		h.Close(ctx)
		if d := time.Since(start); d != 10*time.Second {
			t.Errorf("it took %v", d)
		}
		h.told(t, "record: T aborted", `alice: ended true "the host is shutting down"`)
	})
}

// TestEverythingAtOnce lets many clients do everything at the same time, with
// an expiry so short that it falls into the middle of it. Each client checks
// that what it is told makes sense.
func TestEverythingAtOnce(t *testing.T) {
	h := newHouse(50)
	h.limits.Expiry = 300 * time.Microsecond
	h.Lobby.games = shelf{"duel": {Name: "duel", Engine: quickEngine{h.duel}}}
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			for round := range 100 {
				id, err := h.Create(context.Background(), "", protocol.GameNew{Name: "T", Game: "duel", Params: protocol.GameParams{Bots: i % 2}})
				if err != nil && !errors.Is(err, errFull) {
					t.Error(err)
				}
				for n, info := range append([]protocol.MatchInfo{{ID: id}}, h.List()...) {
					c := &checker{t: t}
					name := fmt.Sprintf("p%d-%d-%d", i, round, n)
					switch (i + round + n) % 4 {
					case 0, 1:
						if h.Join(c, "", protocol.LobbyJoinMatch{ID: info.ID, Name: name}) == nil && n%3 == 0 {
							if h.Leave(c, info.ID) {
								c.left()
							}
						}
					case 2:
						if h.Spectate(c, info.ID) == nil && n%2 == 0 {
							h.Unspectate(c, info.ID)
						}
					case 3:
						h.Subscribe(c, h.Generation)
						h.Unsubscribe(c)
					}
					if n == 4 {
						break
					}
				}
			}
		})
	}
	wait.Wait()
	h.Close(context.Background())
	if list := h.List(); len(list) != 0 || len(h.subscribers) != 0 {
		t.Errorf("left in the lobby: %+v", list)
	}
}

// quickEngine ends every match at once.
type quickEngine struct{ *engineStandIn }

func (e quickEngine) Open(start *wire.Start, r engine.Receiver) (engine.Table, error) {
	end := &wire.End{}
	for range start.Seats {
		end.Seats = append(end.Seats, &wire.SeatResult{Rank: 1, Ended: "finished"})
	}
	r.Frame(&wire.GameFrame{End: end})
	return table{}, nil
}

// checker is a client that checks the order of what it is told.
type checker struct {
	t     *testing.T
	mu    sync.Mutex // guards the field below
	state string
}

func (c *checker) moves(to string, from ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(from, c.state) {
		c.t.Errorf("%q follows %q", to, c.state)
	}
	if to != "updated" {
		c.state = to
	}
}

func (c *checker) left()                                          { c.moves("left", "joined") }
func (c *checker) Joined(protocol.MatchInfo)                      { c.moves("joined", "") }
func (c *checker) Update([]byte)                                  { c.moves("updated", "joined", "watching") }
func (c *checker) Started(*match.Match, int)                      { c.moves("playing", "joined") }
func (c *checker) Ended(protocol.MatchResult)                     { c.moves("ended", "playing") }
func (c *checker) Expired(string, string)                         { c.moves("expired", "joined", "watching") }
func (c *checker) Watching(_ protocol.MatchInfo, _ *match.Stream) { c.moves("watching", "") }
func (c *checker) Playing(*match.Stream)                          { c.moves("seeing", "watching") }
func (c *checker) Feed([]byte)                                    {}
func (c *checker) Send([]byte)                                    {}
func (c *checker) Written() (time.Time, bool)                     { return time.Time{}, true }
func (c *checker) Unread(time.Time) bool                          { return false }
func (c *checker) Cut()                                           {}

func TestNewIDsAreValidAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := newID()
		if !ValidID(id) || seen[id] {
			t.Fatalf("%q", id)
		}
		seen[id] = true
	}
	for _, bad := range []string{"", "8gj5mqqjtokl", "8gj5mqqjtoklo0", "8gj5mqqjtoklw", "8GJ5MQQJTOKLO", "8gj5mqqjtokl ", "../../../../x"} {
		if ValidID(bad) {
			t.Errorf("%q is taken for an ID", bad)
		}
	}
}
