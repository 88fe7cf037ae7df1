package env

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// sums is a game whose seats name digits, which they score, and learn the sum.
func sums() *sdk.Game {
	legal := strings.Split("0123456789", "")
	return &sdk.Game{
		Name: "sums", Title: "Sums", MinPlayers: 2, MaxPlayers: 3, MaxBots: 2, Timeout: 10,
		Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 2, 1, 100), sdk.Choice("bot", "level", "three", "random")},
		Play: func(m *sdk.Match) error {
			for seat := range m.Players() {
				m.Tell(seat, "you are "+m.Name(seat))
			}
			for range m.Int("rounds") {
				lists := make([][]string, m.Players())
				for seat := range lists {
					lists[seat] = legal
				}
				sum := m.Rand(100) * 100
				for _, a := range m.AskAll(lists) {
					if a.Err != nil {
						return nil
					}
					m.Score(a.Seat, float64(a.Line[0]-'0'))
					sum += int(a.Line[0] - '0')
				}
				m.TellAll(fmt.Sprint(sum))
			}
			return nil
		},
		Bot: func(b *sdk.Bot) error {
			for b.Read(); ; b.Read() {
				if b.Choice("bot") == "three" {
					b.Write("3")
				} else {
					b.Write(fmt.Sprint(b.Rand(9)))
				}
			}
		},
	}
}

// process plays a game in this process. It implements Game.
type process struct{ game *sdk.Game }

func (p process) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return driver.Of(p.game).Prepare(r)
}

func (p process) Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error) {
	if len(setup.Names) > 0 && setup.Names[0] == "nobody" {
		return nil, engine.ErrGone
	}
	m := &played{in: in, answers: make(chan []driver.Answer, 1), stopped: make(chan struct{})}
	own := *setup
	own.Stall = 0                     // its stacks are not for synctest
	go driver.Of(p.game).Run(&own, m) // ends with the match
	return m, nil
}

// played is the driver of a match, and what the server has of it.
type played struct {
	in      engine.Receiver
	answers chan []driver.Answer
	once    sync.Once
	stopped chan struct{}
}

func (m *played) Send(f *driver.Frame) bool {
	select {
	case <-m.stopped:
		return false
	default:
		m.in.Put(f)
		return true
	}
}

func (m *played) Wait() ([]driver.Answer, bool) {
	select {
	case a := <-m.answers:
		return a, true
	case <-m.stopped:
		return nil, false
	}
}

func (m *played) Pause(time.Duration) bool       { return true }
func (m *played) Answer(answers []driver.Answer) { m.answers <- answers }
func (m *played) Stop()                          { m.once.Do(func() { close(m.stopped) }) }

// client is the other end of a connection.
type client struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// connect calls talk with a client of four matches.
func connect(t *testing.T, game *sdk.Game, talk func(t *testing.T, c *client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		own, other := net.Pipe()
		served := make(chan error, 1)
		go func() { // ends with the connection
			served <- Serve(t.Context(), other, Config{
				Game: process{game}, About: About{Protocol: Version, Game: "sums", Matches: 4}, MaxLine: 100, Thoughts: 5, Seed: 70, Stall: 30 * time.Second,
			})
		}()
		c := &client{t: t, conn: own, in: bufio.NewReader(own)}
		if hello := c.read(); !strings.HasPrefix(hello, `{"protocol":1,"game":"sums",`) {
			t.Errorf("the first line is %s, want the game", hello)
		}
		talk(t, c)
		_ = own.Close()
		if err := <-served; err != nil && !errors.Is(err, net.ErrClosed) {
			t.Errorf("the server ended with %v", err)
		}
	})
}

func (c *client) read() string {
	c.t.Helper()
	line, err := c.in.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

func (c *client) ask(request string) string {
	c.t.Helper()
	if _, err := c.conn.Write([]byte(request + "\n")); err != nil {
		c.t.Fatal(err)
	}
	return c.read()
}

// want sends a request, and compares the answer.
func (c *client) want(request, want string) {
	c.t.Helper()
	if got := c.ask(request); got != want {
		c.t.Errorf("%s\ngot  %s\nwant %s", request, got, want)
	}
}

const digits = `["0","1","2","3","4","5","6","7","8","9"]`

func TestMatchesAreSteppedTogether(t *testing.T) {
	connect(t, sums(), func(t *testing.T, c *client) {
		c.want(`{"reset":[{"match":2,"seed":18446744073709551615,"names":["ann","bob"],"spectators":true},{"match":0,"args":{"rounds":"1"}}]}`,
			`{"states":[{"match":2,"seed":18446744073709551615,"players":2,"texts":["you are ann\n","you are bob\n"],"spectators":"","ask":[0,1],"legal":[`+digits+`,`+digits+`]},`+
				`{"match":0,"seed":70,"players":2,"texts":["you are P0\n","you are P1\n"],"ask":[0,1],"legal":[`+digits+`,`+digits+`]}]}`)
		c.want(`{"step":{"matches":[0,2],"answers":[["1","2"],[" 3 ","4"]]}}`,
			`{"states":[{"match":0,"texts":["4003\n","4003\n"],"end":{"scores":[1,2],"ranks":[2,1],"ended":["finished","finished"],"reason":""}},`+
				`{"match":2,"texts":["8907\n","8907\n"],"spectators":"8907\n","ask":[0,1],"legal":[`+digits+`,`+digits+`]}]}`)
		c.want(`{"step":{"matches":[2],"answers":[["x",null]]}}`,
			`{"states":[{"match":2,"texts":["",""],"spectators":"","end":{"scores":[3,4],"ranks":[2,1],"ended":["forfeit: illegal","forfeit: timeout"],"reason":"ann forfeits: illegal; bob forfeits: timeout"}}]}`)
		c.want(`{"close":[0,1,2]}`, `{"states":[]}`)
	})
}

func TestBotsPlayTheOtherSeatsWithTheirLevels(t *testing.T) {
	connect(t, sums(), func(t *testing.T, c *client) {
		c.want(`{"reset":[{"match":0,"seed":1,"players":3,"args":{"rounds":"1"},"bots":{"0":"","2":"three"}}]}`,
			`{"states":[{"match":0,"seed":1,"players":3,"texts":["","you are P1\n",""],"ask":[1],"legal":[`+digits+`]}]}`)
		if got := c.ask(`{"step":{"matches":[0],"answers":[["5"]]}}`); !strings.Contains(got, `"scores":[3,5,3]`) {
			t.Errorf("got %s, want the bots' scores 3", got)
		}
	})
}

func TestBadRequestsSayWhatIsWrongAndChangeNothing(t *testing.T) {
	connect(t, sums(), func(t *testing.T, c *client) {
		c.ask(`{"reset":[{"match":0,"seed":1},{"match":1,"seed":2}]}`)
		for _, tt := range []struct{ name, request, want string }{
			{"no JSON", `x`, "invalid character"},
			{"nothing", `{}`, "one of reset, step, copy and close"},
			{"two kinds", `{"close":[],"copy":[]}`, "one of reset, step, copy and close"},
			{"two requests", `{"close":[]}{"close":[]}`, "more than one request"},
			{"an unknown field", `{"steps":[]}`, `unknown field \"steps\"`},
			{"a match that is out of range", `{"reset":[{"match":4}]}`, "there is no match 4: they are numbered from 0 to 3"},
			{"a match below 0", `{"close":[-1]}`, "there is no match -1"},
			{"a match twice", `{"reset":[{"match":2},{"match":2}]}`, "match 2 is twice"},
			{"too many players", `{"reset":[{"match":2,"players":9}]}`, "Cannot create game with 9 players"},
			{"an unknown parameter", `{"reset":[{"match":2,"args":{"round":"1"}}]}`, "unknown parameter"},
			{"a parameter that is no text", `{"reset":[{"match":2,"args":{"rounds":1}}]}`, "cannot unmarshal number"},
			{"a seed below 0", `{"reset":[{"match":2,"seed":-1}]}`, "cannot unmarshal number -1"},
			{"a bot on no seat", `{"reset":[{"match":2,"bots":{"2":""}}]}`, "numbered from 0 to 1"},
			{"a bot on a word", `{"reset":[{"match":2,"bots":{"all":""}}]}`, `\"all\" is not the number of a seat`},
			{"no player", `{"reset":[{"match":2,"bots":{"0":"","1":""}}]}`, "one is for a player"},
			{"too few names", `{"reset":[{"match":2,"names":["a"]}]}`, "1 names for 2 seats"},
			{"a name with a line feed", `{"reset":[{"match":2,"names":["a","b\nc"]}]}`, "printable"},
			{"a match that has not begun", `{"step":{"matches":[3],"answers":[["1","2"]]}}`, "match 3 has not begun"},
			{"too few answers", `{"step":{"matches":[0],"answers":[["1"]]}}`, "match 0 asks the seats [0 1], and got 1 answers"},
			{"answers for too few matches", `{"step":{"matches":[0,1],"answers":[["1","2"]]}}`, "2 matches and answers for 1"},
			{"an answer of two lines", `{"step":{"matches":[0],"answers":[["1\n2","2"]]}}`, "not one line"},
			{"a long answer", `{"step":{"matches":[0],"answers":[["` + strings.Repeat("1", 101) + `","2"]]}}`, "at most 100 bytes"},
			{"one good and one bad answer", `{"step":{"matches":[0,1],"answers":[["1","2"],[]]}}`, "match 1 asks"},
			{"a copy of nothing", `{"copy":[[3,2]]}`, "match 3 has not begun"},
			{"a copy without its source", `{"copy":[[0]]}`, "pairs"},
			{"a copy over a source", `{"copy":[[0,1],[1,2]]}`, "match 1 is the source of one copy, and becomes another"},
		} {
			if got := c.ask(tt.request); !strings.HasPrefix(got, `{"error":"`) || !strings.Contains(got, tt.want) {
				t.Errorf("%s: got %s, want an error with %q", tt.name, got, tt.want)
			}
		}
		if got := c.ask(`{"step":{"matches":[0,1],"answers":[["1","2"],["1","2"]]}}`); !strings.HasPrefix(got, `{"states":[{"match":0,`) {
			t.Errorf("got %s, want both matches to go on", got)
		}
	})
}

func TestCopiesGoOnFromTheStateOfTheirSource(t *testing.T) {
	connect(t, sums(), func(t *testing.T, c *client) {
		c.ask(`{"reset":[{"match":0,"seed":5,"args":{"rounds":"4"},"bots":{"1":"random"}}]}`)
		for range 2 {
			c.ask(`{"step":{"matches":[0],"answers":[["4"]]}}`)
		}
		before := c.ask(`{"copy":[[0,1],[0,3]]}`)
		var states struct{ States []map[string]any }
		if err := json.Unmarshal([]byte(before), &states); err != nil || len(states.States) != 2 {
			t.Fatalf("got %s, want two states", before)
		}
		if one, two := states.States[0], states.States[1]; !reflect.DeepEqual(one["texts"], two["texts"]) || one["end"] != nil {
			t.Errorf("the copies are %v and %v, want the same", one, two)
		}
		got := c.ask(`{"step":{"matches":[3,0],"answers":[["4"],["4"]]}}`)
		if err := json.Unmarshal([]byte(got), &states); err != nil || !reflect.DeepEqual(states.States[0]["texts"], states.States[1]["texts"]) {
			t.Errorf("got %s, want the copy and its source to do the same", got)
		}
	})
}

func TestCopyOfAGameThatDoesNotRepeatItselfFails(t *testing.T) {
	game, begun := sums(), 0
	play := game.Play
	game.Play = func(m *sdk.Match) error {
		begun++
		m.TellAll(fmt.Sprint(begun))
		return play(m)
	}
	connect(t, game, func(t *testing.T, c *client) {
		c.ask(`{"reset":[{"match":0}]}`)
		if got := c.ask(`{"copy":[[0,1]]}`); !strings.Contains(got, "the copy differs") || !strings.Contains(got, `"aborted":true`) {
			t.Errorf("got %s, want a match that was aborted because it differs", got)
		}
		if got := c.ask(`{"copy":[[1,0]]}`); !strings.Contains(got, "match 1 was aborted") {
			t.Errorf("got %s, want an error", got)
		}
	})
}

func TestSilentRefereeEndsItsMatchAlone(t *testing.T) {
	game := sums()
	play := game.Play
	game.Play = func(m *sdk.Match) error {
		if m.Name(0) == "silent" {
			time.Sleep(time.Hour)
			return nil
		}
		return play(m)
	}
	connect(t, game, func(t *testing.T, c *client) {
		got := c.ask(`{"reset":[{"match":0,"names":["silent","b"]},{"match":1}]}`)
		if !strings.Contains(got, `"end":{"scores":[0,0],"ranks":[0,0],"ended":["aborted","aborted"],"reason":"the referee sends nothing for 30s","aborted":true}`) {
			t.Errorf("got %s, want match 0 aborted", got)
		}
		if got := c.ask(`{"step":{"matches":[1],"answers":[["1","2"]]}}`); !strings.HasPrefix(got, `{"states":[{"match":1,`) {
			t.Errorf("got %s, want match 1 to go on", got)
		}
		if got := c.ask(`{"step":{"matches":[0],"answers":[["1","2"]]}}`); !strings.Contains(got, "match 0 was aborted: the referee sends nothing for 30s") {
			t.Errorf("got %s, want an error", got)
		}
		time.Sleep(2 * time.Hour) // until the referee ends
	})
}

func TestMatchThatCannotBeStartedSaysWhy(t *testing.T) {
	connect(t, sums(), func(t *testing.T, c *client) {
		if got := c.ask(`{"reset":[{"match":0,"names":["nobody","b"]}]}`); !strings.Contains(got, engine.ErrGone.Error()) {
			t.Errorf("got %s, want the engine's error", got)
		}
	})
}

func TestRefereeThatSendsTooMuchIsAborted(t *testing.T) {
	game := sums()
	game.Play = func(m *sdk.Match) error {
		for {
			m.TellAll(strings.Repeat("x", 1000))
		}
	}
	connect(t, game, func(t *testing.T, c *client) {
		if got := c.ask(`{"reset":[{"match":0}]}`); !strings.Contains(got, "more than 512 KiB between two questions") {
			t.Errorf("got %d bytes, want an error", len(got))
		}
	})
}

func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		`{"reset":[{"match":0,"seed":1,"players":2,"names":["a","b"],"args":{"rounds":"3"},"bots":{"1":"random"}}]}`,
		`{"step":{"matches":[0],"answers":[["1",null]]}}`, `{"copy":[[0,1]]}`, `{"close":[0]}`, `{"step":null}`, `{"reset":[{}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, request string) {
		if strings.ContainsAny(request, "\n") {
			return
		}
		s := &server{Config: Config{Game: process{sums()}, MaxLine: 100, Thoughts: 1, Stall: time.Minute}, slots: make([]*slot, 2), ready: make(chan struct{}, 1)}
		defer s.stopAll()
		for _, line := range []string{`{"reset":[{"match":0,"seed":1}]}`, request} {
			if err := s.handle(t.Context(), []byte(line)); err != nil {
				s.refuse(err)
			}
			if !json.Valid(s.out) {
				t.Fatalf("the answer to %s is %s, want JSON", line, s.out)
			}
		}
	})
}
