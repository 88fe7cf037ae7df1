package catalog

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"colosseum/host/internal/config"
	"colosseum/host/internal/engine"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// dressage is a plugin with one parameter of each kind.
var dressage = sdk.Game{
	Name: "dressage", Title: "Dressage", MinPlayers: 1, MaxPlayers: 4, MaxBots: 2, Timeout: 30,
	Params: []sdk.Param{
		sdk.Int("rounds", "number of rounds", 10, 1, 99),
		sdk.Float("pace", "seconds between rounds", 1, 0, 30),
		sdk.Choice("rules", "rules of the game", "soft", "hard", "odd"),
	},
}

// fakeEngine prepares matches as the process of a game does.
type fakeEngine struct{ game *sdk.Game }

func (e fakeEngine) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return e.game.Prepare(r)
}

func (fakeEngine) Open(*wire.Start, *engine.Inbox) (engine.Match, error) {
	return nil, engine.ErrGone
}

// dressageOffer returns the plugin's own offer.
func dressageOffer() Offer {
	return Offer{
		Name: "dressage", Title: "Dressage", Rules: "# dressage\n", Params: dressage.Params, Plugin: "dressage", Engine: fakeEngine{&dressage},
		MinPlayers: 1, MaxPlayers: 4, MaxBots: 2, Timeout: 30,
	}
}

func TestNamedGameShowsTheParametersThatPlayersCanChoose(t *testing.T) {
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
	if got, want := strings.Join(shown, "; "), "rounds: a whole number from 3 to 12, 10; pace: a number from 0 to 30, 2.5"; got != want {
		t.Errorf("it shows %s, want %s", got, want)
	}
	if got, want := o.Fixed(), map[string]string{"rules": "odd"}; !maps.Equal(got, want) {
		t.Errorf("it fixes %v, want %v", got, want)
	}
	if before := dressageOffer(); fmt.Sprint(own.Params) != fmt.Sprint(before.Params) || own.Name != before.Name {
		t.Errorf("the plugin's own offer became %+v, want %+v", own, before)
	}
}

func TestNamedGameThatDoesNotFitItsPluginIsRefused(t *testing.T) {
	params := func(name string, p config.Param) config.Game {
		return config.Game{Plugin: "dressage", Params: map[string]config.Param{name: p}}
	}
	tests := []struct {
		name string
		game config.Game
		want string
	}{
		{"unknown parameter", params("round", config.Param{Fixed: new("1")}), `has no parameter "round" (have rounds, pace, rules)`},
		{"fixed out of range", params("rounds", config.Param{Fixed: new("100")}), "Invalid number of rounds"},
		{"default out of range", params("rounds", config.Param{Default: new("0")}), "its default does not fit"},
		{"range too wide", params("rounds", config.Param{Max: new(100.0)}), "not within a whole number from 1 to 99"},
		{"empty range", params("rounds", config.Param{Min: new(5.0), Max: new(4.0)}), "a range from 5 to 4"},
		{"range without the default", params("rounds", config.Param{Max: new(5.0)}), "give another default"},
		{"range of words", params("rules", config.Param{Max: new(5.0)}), "use choices"},
		{"words for a number", params("rounds", config.Param{Choices: []string{"5"}}), "use min and max"},
		{"unknown word", params("rules", config.Param{Choices: []string{"soft", "wild"}}), "Invalid rules of the game"},
		{"too many bots", config.Game{Plugin: "dressage", MaxBots: new(3)}, "max_bots: 3 is not from 0 to"},
		{"long timeout", config.Game{Plugin: "dressage", Timeout: 601}, "timeout: 601 is not from 0.1 to 600 seconds"},
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

func TestNamedGameEnforcesItsLimits(t *testing.T) {
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
		{"defaults", driver.Request{}, "timeout 5 map[pace:2.5 rounds:10 rules:odd]"},
		{"choices", driver.Request{Timeout: new(7.0), Args: map[string]string{"pace": "1", "rounds": "3"}}, "timeout 7 map[pace:1 rounds:3 rules:odd]"},
		{"the fixed value", driver.Request{Args: map[string]string{"rules": "odd"}}, "timeout 5 map[pace:2.5 rounds:10 rules:odd]"},
		{"other than the fixed value", driver.Request{Args: map[string]string{"rules": "soft"}}, "the parameter rules of kur is always odd"},
		{"beyond its limits", driver.Request{Args: map[string]string{"rounds": "13"}}, `Invalid number of rounds: rounds="13" is not a whole number from 3 to 12`},
		{"beyond the plugin's limits", driver.Request{Args: map[string]string{"pace": "31"}}, `Invalid seconds between rounds: pace="31" is not a number from 0 to 30`},
		{"unknown", driver.Request{Args: map[string]string{"x": "1"}}, `unknown parameter "x" (have rounds, pace, rules)`},
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
