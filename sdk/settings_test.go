package sdk_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// prepared returns the settings that the valid game gets for a request.
func prepared(t *testing.T, r driver.Request) (got *sdk.Settings) {
	t.Helper()
	g := valid()
	g.Check = func(s *sdk.Settings) error {
		got = s
		return nil
	}
	if _, err := driver.Of(&g).Prepare(r); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRequestIsCompletedWithDefaults(t *testing.T) {
	s := prepared(t, driver.Request{})
	if s.Players() != 2 || s.Timeout() != 10 {
		t.Errorf("%d players, timeout %v, want 2 and 10", s.Players(), s.Timeout())
	}
	if s.Int("rounds") != 5 || s.Float("pace") != 0.5 || s.Choice("bot") != "strong" || s.Float("rounds") != 5 {
		t.Errorf("rounds %d, pace %v, bot %q, want the defaults", s.Int("rounds"), s.Float("pace"), s.Choice("bot"))
	}
	g := valid()
	g.Players = 3
	if s, err := driver.Of(&g).Prepare(driver.Request{}); err != nil || s.Players != 3 {
		t.Errorf("%d players, error %v, want the game's default of 3", s.Players, err)
	}
}

func TestTextIsReadInItsCanonicalForm(t *testing.T) {
	g := valid()
	g.Params = append(g.Params, sdk.Text("start", "start position", "", 16))
	g.Check = func(s *sdk.Settings) error {
		if got, want := s.Text("start"), "W:W1, 2"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		return nil
	}
	if _, err := driver.Of(&g).Prepare(driver.Request{Args: map[string]string{"start": " W:W1, 2 "}}); err != nil {
		t.Fatal(err)
	}
}

func TestRequestIsTakenAsItIs(t *testing.T) {
	g := valid()
	players, timeout := 4, 0.1
	got, err := driver.Of(&g).Prepare(driver.Request{Players: &players, Bots: 3, Timeout: &timeout, Args: map[string]string{"rounds": "010", "bot": "random"}})
	want := driver.Settings{Players: 4, Bots: 3, Timeout: 0.1, Params: map[string]string{"rounds": "10", "pace": "0.5", "bot": "random"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestBotsCanHaveAllSeats(t *testing.T) {
	if s := prepared(t, driver.Request{Bots: 2}); s.Players() != 2 {
		t.Errorf("got %d players, want 2", s.Players())
	}
}

func TestRequestsAreRefused(t *testing.T) {
	type change = func(g *sdk.Game, r *driver.Request)
	players := func(n int) change { return func(_ *sdk.Game, r *driver.Request) { r.Players = &n } }
	timeout := func(s float64) change { return func(_ *sdk.Game, r *driver.Request) { r.Timeout = &s } }
	args := func(pairs ...string) change {
		return func(_ *sdk.Game, r *driver.Request) {
			r.Args = map[string]string{}
			for i := 0; i < len(pairs); i += 2 {
				r.Args[pairs[i]] = pairs[i+1]
			}
		}
	}
	tests := []struct {
		name   string
		change change
		want   string
	}{
		{"too few players", players(1), "Cannot create game with 1 players: parity is played by 2 to 4 players"},
		{"too many players", players(5), "Cannot create game with 5 players: parity is played by 2 to 4 players"},
		{"a third player", func(g *sdk.Game, r *driver.Request) { g.MaxPlayers = 2; players(3)(g, r) }, "Cannot create game with 3 players: parity is played by exactly 2 players"},
		{"a second player", func(g *sdk.Game, r *driver.Request) { g.MinPlayers, g.MaxPlayers = 1, 1; players(2)(g, r) }, "Cannot create game with 2 players: parity is played by exactly 1 player"},
		{"negative bots", func(_ *sdk.Game, r *driver.Request) { r.Bots = -1 }, "Cannot create game with -1 bots: parity takes from 0 to 3"},
		{"too many bots", func(g *sdk.Game, r *driver.Request) { g.MaxBots, r.Bots = 1, 3; players(4)(g, r) }, "Cannot create game with 3 bots: parity takes from 0 to 1"},
		{"more bots only than it takes", func(g *sdk.Game, r *driver.Request) { g.MaxBots, r.Bots = 1, 2 }, "Cannot have all server bots"},
		{"more bots than players", func(_ *sdk.Game, r *driver.Request) { r.Bots = 4 }, "Cannot have all server bots"},
		{"no timeout", timeout(0), "Timeout 0 out of allowed range [0.1; 600]"},
		{"long timeout", timeout(1000), "Timeout 1000 out of allowed range [0.1; 600]"},
		{"timeout that is not a number", timeout(math.NaN()), "Timeout NaN out of allowed range [0.1; 600]"},
		{"value", args("rounds", "11"), `Invalid number of rounds: rounds="11" is not a whole number from 1 to 10`},
		{"unknown parameter", args("round", "1"), `unknown parameter "round" (have rounds, pace, bot)`},
		{"unknown parameter of a game without", func(g *sdk.Game, r *driver.Request) { g.Params = nil; args("x", "1")(g, r) }, `unknown parameter "x" (parity has none)`},
		{"first of several by name", args("zeal", "1", "rounds", "0", "pace", "-1"), `Invalid seconds between rounds: pace="-1" is not a number from 0 to 30`},
		{"the game's own check", func(g *sdk.Game, _ *driver.Request) {
			g.Check = func(s *sdk.Settings) error {
				return fmt.Errorf("%d rounds are odd", s.Int("rounds"))
			}
		}, "5 rounds are odd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, r := valid(), driver.Request{}
			tt.change(&g, &r)
			if s, err := driver.Of(&g).Prepare(r); err == nil || err.Error() != tt.want {
				t.Errorf("settings %v, error %v, want %q", s, err, tt.want)
			}
		})
	}
}

func TestReadingAWrongParameterPanics(t *testing.T) {
	s := prepared(t, driver.Request{})
	tests := []struct {
		name string
		read func()
		want string
	}{
		{"unknown", func() { s.Choice("level") }, `the game has no parameter "level": add it to Params`},
		{"unknown number", func() { s.Int("round") }, `the game has no parameter "round"`},
		{"word as number", func() { s.Int("bot") }, "declare it with sdk.Int"},
		{"decimal as whole", func() { s.Int("pace") }, "declare it with sdk.Int"},
		{"word as decimal", func() { s.Float("bot") }, "declare it with sdk.Float"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, tt.want) {
					t.Errorf("panic %q, want %q", text, tt.want)
				}
			}()
			tt.read()
		})
	}
}
