package gametest

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk"
)

// tiny returns a correct game, or one with the referee play if that is not nil.
func tiny(play func(m *sdk.Match) error) *sdk.Game {
	g := &sdk.Game{
		Name: "tiny", Title: "Tiny", MinPlayers: 2, MaxPlayers: 3, MaxBots: 1, Timeout: 10,
		Params: []sdk.Param{sdk.Choice("size", "size of the match", "small", "large"), sdk.Text("start", "start position", "", 20)},
		Bot: func(b *sdk.Bot) error {
			for {
				b.Write("a")
				b.Read()
			}
		},
		Play: play,
	}
	if play == nil {
		g.Play = func(m *sdk.Match) error {
			for range 3 {
				for seat := range m.Players() {
					if _, err := m.Ask(seat, []string{"a", "b"}); err != nil {
						return nil
					}
					m.TellAll("next")
				}
			}
			m.Score(m.Rand(m.Players()), 1)
			return nil
		}
	}
	return g
}

func TestGoodGamePassesEveryCheck(t *testing.T) {
	for _, c := range checks {
		if err := c.check(tiny(nil)); err != nil {
			t.Errorf("%s: got %v, want no error", c.name, err)
		}
	}
}

func TestBrokenGamesFailForTheRightReason(t *testing.T) {
	ask := func(m *sdk.Match, seat int) error {
		_, err := m.Ask(seat, []string{"a"})
		return err
	}
	count := 0
	tests := []struct {
		name, check, want string
		game              *sdk.Game
	}{
		{name: "invalid name", check: "valid description", want: "game name", game: &sdk.Game{Name: "Bad Name"}},
		{name: "judge that sends", check: "judging changes nothing", want: "must only read the position", game: tiny(func(m *sdk.Match) error {
			m.Judge(func(func() bool) (float64, string) { m.TellAll("x"); return 0, "" })
			return nil
		})},
		{name: "judge that changes the position", check: "judging changes nothing", want: "must only read the position", game: tiny(func(m *sdk.Match) error {
			stones := 7
			m.Judge(func(func() bool) (float64, string) { stones--; return 0, "" })
			m.TellAll(strconv.Itoa(stones))
			return nil
		})},
		{name: "judge with a value out of range", check: "judging changes nothing", want: "from -1 to 1, not 1.5", game: tiny(func(m *sdk.Match) error {
			m.Judge(func(func() bool) (float64, string) { return 1.5, "" })
			return nil
		})},
		{name: "judge with a clock", check: "judging changes nothing", want: "judged twice", game: tiny(func(m *sdk.Match) error {
			m.Judge(func(func() bool) (float64, string) { return float64(time.Now().UnixNano()%1e9) / 1e9, "" })
			return nil
		})},
		{name: "package variable", check: "same seed, same match", want: "played twice, it differs", game: tiny(func(m *sdk.Match) error {
			count++
			m.TellAll(strings.Repeat("x", count))
			return nil
		})},
		{name: "clock", check: "same seed, same match", want: "played twice, it differs", game: tiny(func(m *sdk.Match) error {
			m.TellAll(time.Now().String())
			return nil
		})},
		{name: "endless", check: "random matches end", want: "did not end after 20000 questions", game: tiny(func(m *sdk.Match) error {
			for {
				if ask(m, 0) != nil {
					return nil
				}
			}
		})},
		{name: "panic with three players", check: "random matches end", want: "3 players", game: tiny(func(m *sdk.Match) error {
			if m.Players() == 3 {
				panic("no room")
			}
			return nil
		})},
		{name: "fails with one choice", check: "every choice of parameters", want: "size:large", game: tiny(func(m *sdk.Match) error {
			if m.Choice("size") == "large" {
				return errors.New("too large")
			}
			return nil
		})},
		{name: "nobody scores", check: "somebody scores", want: "in 230 matches without a forfeit, no seat got points", game: tiny(func(m *sdk.Match) error {
			m.AskAll(slices.Repeat([][]string{{"a"}}, m.Players()))
			return nil
		})},
		{name: "only forfeits score", check: "somebody scores", want: "call m.Score", game: tiny(func(m *sdk.Match) error {
			if ask(m, 0) != nil {
				m.Score(1, 1)
			}
			return nil
		})},
		{name: "fails with a long text", check: "every choice of parameters", want: "start:xxxxxxxxxxxxxxxxxxxx", game: tiny(func(m *sdk.Match) error {
			if len(m.Text("start")) == 20 {
				return errors.New("too long")
			}
			return nil
		})},
		{name: "panic on garbage", check: "failing players do no harm", want: "sends nothing at question 1", game: tiny(func(m *sdk.Match) error {
			m.Examples(func(int) []string { return []string{"abc"} })
			line, err := m.AskLine(0)
			if err == nil && line[0] == 'x' { // an empty line has no first byte
				m.Forfeit(0, sdk.ErrIllegal)
			}
			return nil
		})},
		{name: "asks a player who is gone forever", check: "failing players do no harm", want: "at question 1", game: tiny(func(m *sdk.Match) error {
			for range maxQuestions + 1 {
				if err := ask(m, 0); err == nil {
					return nil
				}
				if ask(m, 1) != nil {
					return errors.New("both are gone")
				}
			}
			return nil
		})},
		{name: "asks again without end", check: "nonsense without end ends", want: "did not end after 20000 questions", game: tiny(func(m *sdk.Match) error {
			for {
				m.Examples(func(int) []string { return []string{"a"} })
				if line, err := m.AskLine(0); err != nil || line == "a" {
					return nil
				}
			}
		})},
		{name: "panic on garbage of several", check: "failing players do no harm", want: "sends nothing at question 2", game: tiny(func(m *sdk.Match) error {
			m.Examples(func(seat int) []string { return []string{strings.Repeat("a", seat+1)} })
			answers := m.AskLines([]int{0, 1})
			if answers[1].Err == nil && answers[1].Line[1] == 'x' { // an empty line has no second byte
				m.Forfeit(1, sdk.ErrIllegal)
			}
			return nil
		})},
		{name: "asks several again without end", check: "nonsense without end ends", want: "did not end after 20000 questions", game: tiny(func(m *sdk.Match) error {
			for {
				m.Examples(func(int) []string { return []string{"a"} })
				a := m.AskLines([]int{1, 0})
				if a[0].Err != nil || a[1].Err != nil || a[0].Line == "a" && a[1].Line == "a" {
					return nil
				}
			}
		})},
		{name: "panic on a missed tick", check: "missed ticks do no harm", want: "a player who misses every tick", game: tiny(func(m *sdk.Match) error {
			m.Examples(func(int) []string { return []string{"a"} })
			if a := m.Tick(1)[0]; a.Err == nil && a.Line[0] == 'x' {
				m.Score(0, 1)
			}
			return nil
		})},
		{name: "waits for an answer in ticks", check: "missed ticks do no harm", want: "every player who misses every tick: match with 2 players (0 bots), seed 1, args map[]: did not end", game: tiny(func(m *sdk.Match) error {
			for {
				m.Examples(func(int) []string { return []string{"a"} })
				for _, a := range m.Tick(1) {
					if a.Line == "a" || a.Err != nil {
						return nil
					}
				}
			}
		})},
		{name: "plays on with bots alone", check: "missed ticks do no harm", want: "a player who misses every tick: match with 2 players (1 bots), seed 1, args map[]: did not end", game: tiny(func(m *sdk.Match) error {
			m.MaxMisses(5)
			for playing := 2; playing > 0; {
				m.TellAll("next")
				m.Examples(func(int) []string { return []string{"b"} })
				playing = 0
				for _, a := range m.Tick(1) {
					if a.Line == "b" {
						return nil
					}
					if a.Err == nil {
						playing++
					}
				}
			}
			return nil
		})},
		{name: "pardons a player who is gone", check: "failing players do no harm", want: "it must forfeit", game: tiny(func(m *sdk.Match) error {
			if ask(m, 0) != nil {
				m.Pardon(0)
			}
			return nil
		})},
		{name: "illegal bot", check: "bots never forfeit", want: `ended as "forfeit: illegal"`, game: func() *sdk.Game {
			g := tiny(nil)
			g.Bot = func(b *sdk.Bot) error { b.Write("z"); b.Read(); return nil }
			return g
		}()},
		{name: "bot that fails on the first seat", check: "bots never forfeit", want: `the bot on seat 0 ended as "forfeit: disconnected"`, game: func() *sdk.Game {
			g := tiny(func(m *sdk.Match) error {
				for seat := range m.Players() {
					m.Tell(seat, strconv.Itoa(seat))
					if ask(m, seat) != nil {
						return nil
					}
				}
				return nil
			})
			g.Bot = func(b *sdk.Bot) error {
				if b.Read() == "0" {
					return errors.New("no idea")
				}
				b.Write("a")
				b.Read()
				return nil
			}
			return g
		}()},
		{name: "bot that fails with one choice", check: "bots never forfeit", want: "size:large", game: func() *sdk.Game {
			g := tiny(nil)
			play := g.Bot
			g.Bot = func(b *sdk.Bot) error {
				if b.Choice("size") == "large" {
					return errors.New("no idea")
				}
				return play(b)
			}
			return g
		}()},
		{name: "bot with another random source", check: "same seed, same match", want: "2 players (1 bots)", game: func() *sdk.Game {
			g := tiny(nil)
			g.Bot = func(b *sdk.Bot) error {
				for {
					count++
					b.Write([]string{"a", "b"}[count%5%2])
					b.Read()
				}
			}
			return g
		}()},
		{name: "bot that fails", check: "bots never forfeit", want: `"forfeit: disconnected"`, game: func() *sdk.Game {
			g := tiny(nil)
			g.Bot = func(*sdk.Bot) error { return errors.New("no idea") }
			return g
		}()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, c := range checks {
				if c.name != tt.check {
					continue
				}
				err := c.check(tt.game)
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: got %v, want an error with %q", c.name, err, tt.want)
				}
				return
			}
			t.Fatalf("got no check %q, want one", tt.check)
		})
	}
}

func TestRefereeThatDoesNotStopIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which stopLimit takes no time
		release := make(chan struct{})
		defer close(release)
		err := checkStops(tiny(func(m *sdk.Match) error {
			stopped := true
			defer func() {
				if stopped {
					<-release
				}
			}()
			_, _ = m.Ask(0, []string{"a"})
			stopped = false
			return nil
		}))
		if err == nil || !strings.Contains(err.Error(), "the referee goes on") {
			t.Errorf("got %v, want that the referee goes on", err)
		}
	})
}

func TestMatchThatDiffersFromTheRecordedOneIsFound(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOLDEN", "update")
	if err := checkGolden(tiny(nil)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOLDEN", "")
	if err := checkGolden(tiny(nil)); err != nil {
		t.Errorf("the same match: got %v, want no error", err)
	}
	err := checkGolden(tiny(func(m *sdk.Match) error { m.TellAll("other"); return nil }))
	if err == nil || !strings.Contains(err.Error(), "testdata/match.golden differs") {
		t.Errorf("another match: got %v, want that the file differs", err)
	}
}

func TestGamesInWhichNoSeatBeatsAnotherPassTheCheckOfPoints(t *testing.T) {
	alone := tiny(func(m *sdk.Match) error { m.Ask(0, []string{"a"}); return nil })
	alone.MinPlayers, alone.MaxPlayers, alone.MaxBots, alone.Bot = 1, 1, 0, nil
	all := func(m *sdk.Match) []int { return []int{0, 1, 2}[:m.Players()] }
	tests := []struct {
		name string
		game *sdk.Game
	}{
		{"for one", alone},
		{"all together", tiny(func(m *sdk.Match) error { m.Team(all(m)...); return nil })},
		{"drawn with half a point", tiny(func(m *sdk.Match) error {
			for _, seat := range all(m) {
				m.Score(seat, 0.5)
			}
			return nil
		})},
		{"below zero", tiny(func(m *sdk.Match) error { m.Score(1, -1); return nil })},
		{"no examples of legal lines", tiny(func(m *sdk.Match) error { m.AskLine(0); return nil })},
		{"only the bot wins", tiny(func(m *sdk.Match) error {
			for _, seat := range all(m) {
				m.Examples(func(int) []string { return []string{"b"} })
				if line, err := m.AskLine(seat); err == nil && line == "a" { // as the bot
					m.Score(seat, 1)
				}
			}
			return nil
		})},
		{"rarely won", tiny(func(m *sdk.Match) error {
			if m.Rand(30) == 0 {
				m.Score(0, 1)
			}
			return nil
		})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := checkScores(tt.game); err != nil {
				t.Errorf("got %v, want no error", err)
			}
		})
	}
}
