package sdk_test

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"colosseum/sdk"
)

var (
	rounds = sdk.Int("rounds", "number of rounds", 5, 1, 10)
	shift  = sdk.Int("shift", "number of squares", 0, -3, 3)
	pace   = sdk.Float("pace", "seconds between rounds", 0.5, 0, 30)
	level  = sdk.Choice("bot", "level of the bot", "strong", "random")
)

func TestValuesAreNormalized(t *testing.T) {
	tests := []struct {
		param       sdk.Param
		value, want string
	}{
		{rounds, "1", "1"}, {rounds, "10", "10"}, {rounds, "007", "7"}, {rounds, "+7", "7"},
		{shift, "-3", "-3"}, {shift, "-0", "0"},
		{pace, "0", "0"}, {pace, "30.0", "30"}, {pace, ".25", "0.25"}, {pace, "5.", "5"}, {pace, "+1", "1"}, {pace, "1e1", "10"}, {pace, "25E-2", "0.25"}, {pace, "-0", "0"},
		{level, "strong", "strong"}, {level, "random", "random"},
	}
	for _, tt := range tests {
		t.Run(tt.param.Name+"="+tt.value, func(t *testing.T) {
			if got, err := tt.param.Normalize(tt.value); got != tt.want || err != nil {
				t.Errorf("got %q, error %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestValuesOutOfRangeAreRefused(t *testing.T) {
	tests := []struct {
		param  sdk.Param
		values []string
		want   string // the range
	}{
		{rounds, []string{"0", "11", "-1", "1.0", "1e0", "", " 1", "x", "99999999999999999999"}, "a whole number from 1 to 10"},
		{shift, []string{"-4", "4", "--1"}, "a whole number from -3 to 3"},
		{pace, []string{"-0.1", "30.01", "NaN", "Inf", "", "1,5", "1e400", "0x1p-2", "0x_1p-2", "1_0", ".", "1e"}, "a number from 0 to 30"},
		{level, []string{"", "STRONG", "strong ", "stron"}, "one of strong, random"},
	}
	for _, tt := range tests {
		for _, value := range tt.values {
			t.Run(tt.param.Name+"="+value, func(t *testing.T) {
				want := fmt.Sprintf("Invalid %s: %s=%q is not %s", tt.param.Description, tt.param.Name, value, tt.want)
				if got, err := tt.param.Normalize(value); err == nil || err.Error() != want {
					t.Errorf("got %q, error %v, want %q", got, err, want)
				}
			})
		}
	}
}

func TestLongValueDoesNotFillTheRefusal(t *testing.T) {
	_, err := rounds.Normalize(strings.Repeat("9", 1<<20))
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("the refusal is %.300v, want less than 200 bytes", err)
	}
}

func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{"1", "-0", "1e1", "0x1p-2", "007", "strong", "NaN", "1_0", "30.0", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, p := range []sdk.Param{rounds, shift, pace, level} {
			norm, err := p.Normalize(value)
			if err != nil {
				if !strings.HasPrefix(err.Error(), "Invalid "+p.Description+": ") {
					t.Errorf("the refusal is %q", err)
				}
				continue
			}
			if again, err := p.Normalize(norm); again != norm || err != nil {
				t.Errorf("%s: %q becomes %q, and that %q, error %v", p.Name, value, norm, again, err)
			}
			if n, err := strconv.ParseFloat(norm, 64); p.Kind != sdk.KindChoice && (err != nil || n < p.Min || n > p.Max) {
				t.Errorf("%s: %q becomes %q, which is not %s", p.Name, value, norm, p.Range())
			}
		}
	})
}

func TestRequestIsCompletedWithDefaults(t *testing.T) {
	g := valid()
	s, err := g.Prepare(sdk.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Players() != 2 || s.Bots() != 0 || s.Timeout() != 10 {
		t.Errorf("%d players, %d bots, timeout %v, want 2, 0 and 10", s.Players(), s.Bots(), s.Timeout())
	}
	if s.Int("rounds") != 5 || s.Float("pace") != 0.5 || s.Choice("bot") != "strong" || s.Float("rounds") != 5 {
		t.Errorf("values %v, want the defaults", s.Values())
	}
	g.Players = 3
	if s, err = g.Prepare(sdk.Request{}); err != nil || s.Players() != 3 {
		t.Errorf("%d players, error %v, want the game's default of 3", s.Players(), err)
	}
}

func TestRequestIsTakenAsItIs(t *testing.T) {
	g := valid()
	players, timeout := 4, 0.1
	s, err := g.Prepare(sdk.Request{Players: &players, Bots: 3, Timeout: &timeout, Args: map[string]string{"rounds": "010", "bot": "random"}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"rounds": "10", "pace": "0.5", "bot": "random"}
	if s.Players() != 4 || s.Bots() != 3 || s.Timeout() != 0.1 || !reflect.DeepEqual(s.Values(), want) {
		t.Errorf("%d players, %d bots, timeout %v, %v, want 4, 3, 0.1 and %v", s.Players(), s.Bots(), s.Timeout(), s.Values(), want)
	}
}

func TestRequestsAreRefused(t *testing.T) {
	type change = func(g *sdk.Game, r *sdk.Request)
	players := func(n int) change { return func(_ *sdk.Game, r *sdk.Request) { r.Players = &n } }
	timeout := func(s float64) change { return func(_ *sdk.Game, r *sdk.Request) { r.Timeout = &s } }
	args := func(pairs ...string) change {
		return func(_ *sdk.Game, r *sdk.Request) {
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
		{"a third player", func(g *sdk.Game, r *sdk.Request) { g.MaxPlayers = 2; players(3)(g, r) }, "Cannot create game with 3 players: parity is played by exactly 2 players"},
		{"a second player", func(g *sdk.Game, r *sdk.Request) { g.MinPlayers, g.MaxPlayers = 1, 1; players(2)(g, r) }, "Cannot create game with 2 players: parity is played by exactly 1 player"},
		{"negative bots", func(_ *sdk.Game, r *sdk.Request) { r.Bots = -1 }, "Cannot create game with -1 bots: parity takes from 0 to 3"},
		{"too many bots", func(g *sdk.Game, r *sdk.Request) { g.MaxBots, r.Bots = 1, 3; players(4)(g, r) }, "Cannot create game with 3 bots: parity takes from 0 to 1"},
		{"bots only", func(_ *sdk.Game, r *sdk.Request) { r.Bots = 2 }, "Cannot have all server bots"},
		{"more bots only than it takes", func(_ *sdk.Game, r *sdk.Request) { r.Bots = 4 }, "Cannot have all server bots"},
		{"no timeout", timeout(0), "Timeout 0 out of allowed range [0.1; 600]"},
		{"long timeout", timeout(1000), "Timeout 1000 out of allowed range [0.1; 600]"},
		{"timeout that is no number", timeout(math.NaN()), "Timeout NaN out of allowed range [0.1; 600]"},
		{"value", args("rounds", "11"), `Invalid number of rounds: rounds="11" is not a whole number from 1 to 10`},
		{"unknown parameter", args("round", "1"), `unknown parameter "round" (have rounds, pace, bot)`},
		{"unknown parameter of a game without", func(g *sdk.Game, r *sdk.Request) { g.Params = nil; args("x", "1")(g, r) }, `unknown parameter "x" (parity has none)`},
		{"first of several by name", args("zeal", "1", "rounds", "0", "pace", "-1"), `Invalid seconds between rounds: pace="-1" is not a number from 0 to 30`},
		{"the game's own check", func(g *sdk.Game, _ *sdk.Request) {
			g.Check = func(s *sdk.Settings) error {
				return fmt.Errorf("%d rounds are odd", s.Int("rounds"))
			}
		}, "5 rounds are odd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, r := valid(), sdk.Request{}
			tt.change(&g, &r)
			if s, err := g.Prepare(r); err == nil || err.Error() != tt.want {
				t.Errorf("settings %v, error %v, want %q", s, err, tt.want)
			}
		})
	}
}

func TestGameThatReadsAWrongParameterIsTold(t *testing.T) {
	s := sdk.NewSettings(2, 0, 10, map[string]string{"bot": "strong", "pace": "0.5"})
	tests := []struct {
		name string
		read func()
		want string
	}{
		{"unknown", func() { s.Choice("level") }, `the game has no parameter "level": add it to Params`},
		{"unknown number", func() { s.Int("rounds") }, `the game has no parameter "rounds"`},
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
