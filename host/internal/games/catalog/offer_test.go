package catalog

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/engine"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// dressage is a plugin with one parameter of each kind.
var dressage = sdk.Game{
	Name: "dressage", Title: "Dressage", MinPlayers: 1, MaxPlayers: 4, MaxBots: 2, Timeout: 30,
	Params: []sdk.Param{
		sdk.Int("rounds", "number of rounds", 10, 1, 99),
		sdk.Float("pace", "seconds between rounds", 1, 0, 30),
		sdk.Choice("rules", "rules of the game", "soft", "hard", "odd"),
		sdk.Text("start", "start position", "", 10),
	},
}

// fakeEngine prepares matches as the process of a game does.
type fakeEngine struct{ game *sdk.Game }

func (e fakeEngine) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return driver.Of(e.game).Prepare(r)
}

func (fakeEngine) Open(*driver.Setup, engine.Receiver) (engine.Match, error) {
	return nil, engine.ErrGone
}

// dressageOffer returns the plugin's own offer.
func dressageOffer() Offer {
	return Offer{
		Name: "dressage", Title: "Dressage", Rules: "# dressage\n", Params: dressage.Params, Plugin: "dressage", Engine: fakeEngine{&dressage},
		MinPlayers: 1, MaxPlayers: 4, MaxBots: 2, Timeout: 30,
	}
}

func TestNamedGameDescribesParametersForItsFixedValueAlone(t *testing.T) {
	t.Parallel()
	own := dressageOffer()
	own.Params = append(slices.Clone(own.Params), sdk.Int("jumps", "odd: number of jumps", 1, 1, 9), sdk.Int("walls", "hard: number of walls", 1, 1, 9))
	o, err := own.named("kur", config.Game{Plugin: "dressage", Params: map[string]config.Param{"rules": {Fixed: new("odd")}}}, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range o.Params[3:] {
		got = append(got, p.Description)
	}
	if want := []string{"number of jumps", "hard: number of walls"}; !slices.Equal(got, want) || own.Params[4].Description != "odd: number of jumps" {
		t.Errorf("got %q and %q of the plugin, want %q and the plugin's as before", got, own.Params[4].Description, want)
	}
}

func TestNamedGameShowsTheParametersThatPlayersCanChoose(t *testing.T) {
	t.Parallel()
	own := dressageOffer()
	o, err := own.named("kur", config.Game{
		Plugin: "dressage", Title: "Kür", Timeout: 5, MaxBots: new(1),
		Params: map[string]config.Param{
			"rounds": {Min: new(3.0), Max: new(12.0)}, "pace": {Default: new("2.50")}, "rules": {Fixed: new("odd")},
		},
	}, "# kur\n")
	if err != nil {
		t.Fatal(err)
	}
	if o.Name != "kur" || o.Title != "Kür" || o.Rules != "# kur\n" || o.Plugin != "dressage" || o.Timeout != 5 || o.MaxBots != 1 {
		t.Errorf("got %+v, want the name, the texts and the limits of the configuration", o)
	}
	var shown []string
	for _, p := range o.Params {
		shown = append(shown, p.Name+": "+p.Range()+", "+p.Default)
	}
	if got, want := strings.Join(shown, "; "), "rounds: a whole number from 3 to 12, 10; pace: a number from 0 to 30, 2.5; start: a printable text of at most 10 bytes, "; got != want {
		t.Errorf("it shows %s, want %s", got, want)
	}
	if got, want := o.Fixed(), map[string]string{"rules": "odd"}; !maps.Equal(got, want) {
		t.Errorf("it fixes %v, want %v", got, want)
	}
	if before := dressageOffer(); fmt.Sprint(own.Params) != fmt.Sprint(before.Params) || own.Name != before.Name {
		t.Errorf("the plugin's own offer became %+v, want %+v", own, before)
	}
}

func TestThinkingIsLimitedByTheConfiguration(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		param sdk.Param
		limit time.Duration
		kur   config.Param // of a game named on top of it
		want  string       // its range and default, and those of the named game
	}{
		{"a limit below the range's end", sdk.Float("think", "seconds", 0.25, 0.01, 10), time.Second, config.Param{},
			"a number from 0.01 to 1, 0.25; a number from 0.01 to 1, 0.25"},
		{"a limit above it", sdk.Float("think", "seconds", 0.25, 0.01, 10), time.Minute, config.Param{},
			"a number from 0.01 to 10, 0.25; a number from 0.01 to 10, 0.25"},
		{"below the default", sdk.Float("think", "seconds", 5, 0.01, 10), 1500 * time.Millisecond, config.Param{},
			"a number from 0.01 to 1.5, 1.5; a number from 0.01 to 1.5, 1.5"},
		{"below the range", sdk.Float("think", "seconds", 5, 2, 10), time.Second, config.Param{},
			"a number from 2 to 2, 2; a number from 2 to 2, 2"},
		{"a named game with less", sdk.Float("think", "seconds", 5, 0.01, 10), time.Second, config.Param{Max: new(0.5), Default: new("0.5")},
			"a number from 0.01 to 1, 1; a number from 0.01 to 0.5, 0.5"},
		{"a number for something else", sdk.Int("think", "number of rounds to think about", 5, 1, 9), time.Second, config.Param{},
			"a whole number from 1 to 9, 5; a whole number from 1 to 9, 5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			game := dressage
			game.Params = []sdk.Param{tt.param}
			v := &version{own: dressageOffer()}
			v.own.Params, v.own.Engine, v.own.Rules = game.Params, fakeEngine{&game}, "# dressage\n"
			own := v.own
			own.limitThink(tt.limit)
			named, err := v.named("kur", config.Game{Plugin: "dressage", Params: map[string]config.Param{"think": tt.kur}}, config.Plugins{Think: tt.limit})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, o := range []*Offer{&own, named} {
				s, err := o.Prepare(t.Context(), driver.Request{})
				if err != nil {
					t.Fatal(err)
				}
				if s.Params["think"] != o.Params[0].Default {
					t.Errorf("%s: a match has think=%s, want the default %s", o.Name, s.Params["think"], o.Params[0].Default)
				}
				if _, err = o.Prepare(t.Context(), driver.Request{Args: map[string]string{"think": fmt.Sprint(o.Params[0].Max + 1)}}); err == nil {
					t.Errorf("%s: a value above %v is accepted, want a refusal", o.Name, o.Params[0].Max)
				}
				got += "; " + o.Params[0].Range() + ", " + o.Params[0].Default
			}
			if got = got[2:]; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if game.Params[0].Range() != tt.param.Range() {
				t.Errorf("the plugin's own range became %s, want %s", game.Params[0].Range(), tt.param.Range())
			}
		})
	}
}

func TestNamedGameThatDoesNotFitItsPluginIsRefused(t *testing.T) {
	t.Parallel()
	params := func(name string, p config.Param) config.Game {
		return config.Game{Plugin: "dressage", Params: map[string]config.Param{name: p}}
	}
	tests := []struct {
		name string
		game config.Game
		want string
	}{
		{"unknown parameter", params("round", config.Param{Fixed: new("1")}), `has no parameter "round" (have rounds, pace, rules, start)`},
		{"fixed out of range", params("rounds", config.Param{Fixed: new("100")}), "Invalid number of rounds"},
		{"default out of range", params("rounds", config.Param{Default: new("0")}), "its default does not fit"},
		{"range too wide", params("rounds", config.Param{Max: new(100.0)}), "not within a whole number from 1 to 99"},
		{"empty range", params("rounds", config.Param{Min: new(5.0), Max: new(4.0)}), "a range from 5 to 4"},
		{"range without the default", params("rounds", config.Param{Max: new(5.0)}), "give another default"},
		{"range of words", params("rules", config.Param{Max: new(5.0)}), "use choices"},
		{"range of a text", params("start", config.Param{Max: new(5.0)}), "it is a text"},
		{"words for a text", params("start", config.Param{Choices: []string{"a"}}), "it is a text"},
		{"long text", params("start", config.Param{Fixed: new("01234567890")}), `Invalid start position: start="01234567890" is not a printable text of at most 10 bytes`},
		{"words for a number", params("rounds", config.Param{Choices: []string{"5"}}), "use min and max"},
		{"unknown word", params("rules", config.Param{Choices: []string{"soft", "wild"}}), "Invalid rules of the game"},
		{"too many bots", config.Game{Plugin: "dressage", MaxBots: new(3)}, "max_bots: 3 is not from 0 to"},
		{"long timeout", config.Game{Plugin: "dressage", Timeout: 601}, "timeout: 601 is not from 0.1 to 600 seconds"},
		{"long delay", config.Game{Plugin: "dressage", Delay: 3601}, "delay: 3601 is not from the plugin's own 0 to 3600 seconds"},
		{"negative delay", config.Game{Plugin: "dressage", Delay: -1}, "delay: -1 is not from the plugin's own 0 to 3600 seconds"},
		{"delay that is no number", config.Game{Plugin: "dressage", Delay: math.NaN()}, "delay: NaN is not from"},
		{"negative timeout", config.Game{Plugin: "dressage", Timeout: -1}, "timeout: -1 is not from 0.1 to 600 seconds"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if o, err := dressageOffer().named("kur", tt.game, ""); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v, want %q", o, err, tt.want)
			}
		})
	}
}

func TestConfigurationCanOnlyRaiseADelay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		own, named float64
		plugin     time.Duration
		want       string // of the plugin's offer, and of the named game
	}{
		{"none", 0, 0, 0, "0 0"},
		{"of the game", 10, 0, 0, "10 10"},
		{"raised for the plugin", 10, 0, time.Minute, "60 60"},
		{"lower than the game's", 10, 0, time.Second, "10 10"},
		{"raised for a named game", 0, 30.5, 0, "0 30.5"},
		{"raised for both", 10, 90, time.Minute, "60 90"},
		{"lower for the named game", 10, 30, time.Minute, "delay: 30 is not from the plugin's own 60 to 3600 seconds"},
	} {
		v := &version{own: dressageOffer()}
		v.own.Delay, v.own.Rules = tt.own, "# dressage\n"
		limits := config.Plugins{Think: time.Second, Delays: map[string]time.Duration{"dressage": tt.plugin}}
		own := v.own
		own.restrict(limits)
		named, err := v.named("kur", config.Game{Plugin: "dressage", Delay: tt.named}, limits)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(own.Delay, named.Delay)
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestNamedGameEnforcesItsLimits(t *testing.T) {
	t.Parallel()
	o, err := dressageOffer().named("kur", config.Game{
		Plugin: "dressage", Timeout: 5, MaxBots: new(0),
		Params: map[string]config.Param{
			"rounds": {Min: new(3.0), Max: new(12.0)}, "pace": {Default: new("2.5")}, "rules": {Fixed: new("odd")},
		},
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		request driver.Request
		want    string // the settings, or the refusal
	}{
		{"defaults", driver.Request{}, "timeout 5 map[pace:2.5 rounds:10 rules:odd start:]"},
		{"choices", driver.Request{Timeout: new(7.0), Args: map[string]string{"pace": "1", "rounds": "3"}}, "timeout 7 map[pace:1 rounds:3 rules:odd start:]"},
		{"the fixed value", driver.Request{Args: map[string]string{"rules": "odd"}}, "timeout 5 map[pace:2.5 rounds:10 rules:odd start:]"},
		{"other than the fixed value", driver.Request{Args: map[string]string{"rules": "soft"}}, "the parameter rules of kur is always odd"},
		{"beyond its limits", driver.Request{Args: map[string]string{"rounds": "13"}}, `Invalid number of rounds: rounds="13" is not a whole number from 3 to 12`},
		{"beyond the plugin's limits", driver.Request{Args: map[string]string{"pace": "31"}}, `Invalid seconds between rounds: pace="31" is not a number from 0 to 30`},
		{"unknown", driver.Request{Args: map[string]string{"x": "1"}}, `unknown parameter "x" (have rounds, pace, rules, start)`},
		{"bots", driver.Request{Players: new(2), Bots: 1}, "Cannot create game with 1 bots: kur takes from 0 to 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := maps.Clone(tt.request.Args)
			s, err := o.Prepare(context.Background(), tt.request)
			got := fmt.Sprint(err)
			if err == nil {
				got = fmt.Sprintf("timeout %v %v", s.Timeout, s.Params)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if !maps.Equal(args, tt.request.Args) {
				t.Errorf("the request became %v, want %v", tt.request.Args, args)
			}
		})
	}
}

// uncheckedEngine accepts any value, as a game in another language can.
type uncheckedEngine struct{ fakeEngine }

func (uncheckedEngine) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return driver.Settings{Players: 2, Timeout: 30, Params: r.Args}, nil
}

func TestValuesAreCheckedEvenIfTheGameAcceptsAny(t *testing.T) {
	t.Parallel()
	o := dressageOffer()
	o.Engine = uncheckedEngine{}
	tests := []struct{ name, value, want string }{
		{"rounds", "+05", "5"},
		{"rounds", "0", `Invalid number of rounds: rounds="0" is not a whole number from 1 to 99`},
		{"rounds", "1e1", `Invalid number of rounds: rounds="1e1" is not a whole number from 1 to 99`},
		{"pace", "1e-1", "0.1"},
		{"pace", "NaN", `Invalid seconds between rounds: pace="NaN" is not a number from 0 to 30`},
		{"rules", "hard", "hard"},
		{"rules", "HARD", `Invalid rules of the game: rules="HARD" is not one of soft, hard, odd`},
	}
	for _, tt := range tests {
		s, err := o.Prepare(context.Background(), driver.Request{Args: map[string]string{tt.name: tt.value}})
		got := fmt.Sprint(err)
		if err == nil {
			got = s.Params[tt.name]
		}
		if got != tt.want {
			t.Errorf("%s=%s: got %s, want %s", tt.name, tt.value, got, tt.want)
		}
	}
}
