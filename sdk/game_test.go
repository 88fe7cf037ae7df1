package sdk_test

import (
	"math"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// valid is a game that Validate accepts.
func valid() sdk.Game {
	return sdk.Game{
		Name: "parity", Title: "Odds and evens", MinPlayers: 2, MaxPlayers: 4, MaxBots: 3, Timeout: 10,
		Params: []sdk.Param{
			sdk.Int("rounds", "number of rounds", 5, 1, 10),
			sdk.Float("pace", "seconds between rounds", 0.5, 0, 30),
			sdk.Choice("bot", "level of the bot", "strong", "random"),
		},
		Play: func(*sdk.Match) error { return nil },
		Bot:  func(*sdk.Bot) error { return nil },
	}
}

func TestValidGamesAreAccepted(t *testing.T) {
	tests := []struct {
		name   string
		change func(g *sdk.Game)
	}{
		{"as it is", func(*sdk.Game) {}},
		{"longest name", func(g *sdk.Game) { g.Name = "a" + strings.Repeat("-", 31) }},
		{"one player", func(g *sdk.Game) { g.MinPlayers, g.MaxPlayers, g.MaxBots = 1, 1, 1 }},
		{"a hundred players", func(g *sdk.Game) { g.MaxPlayers = 100 }},
		{"default players", func(g *sdk.Game) { g.Players = 3 }},
		{"no bots", func(g *sdk.Game) { g.MaxBots, g.Bot = 0, nil }},
		{"shortest timeout", func(g *sdk.Game) { g.Timeout = 0.1 }},
		{"longest delay", func(g *sdk.Game) { g.Delay = 3600 }},
		{"longest timeout", func(g *sdk.Game) { g.Timeout = 600 }},
		{"no parameters", func(g *sdk.Game) { g.Params = nil }},
		{"longest text", func(g *sdk.Game) { g.Params[0] = sdk.Text("start", "position", "a b", 4096) }},
		{"one value", func(g *sdk.Game) { g.Params[0] = sdk.Int("rounds", "number", -3, -3, -3) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := valid()
			tt.change(&g)
			if err := driver.Of(&g).Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestInvalidGamesAreRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(g *sdk.Game)
		want   string
	}{
		{"no name", func(g *sdk.Game) { g.Name = "" }, `game name ""`},
		{"capital in name", func(g *sdk.Game) { g.Name = "Parity" }, `game name "Parity"`},
		{"digit first in name", func(g *sdk.Game) { g.Name = "2048" }, "a letter first"},
		{"long name", func(g *sdk.Game) { g.Name = "a" + strings.Repeat("-", 32) }, "1 to 32"},
		{"line feed after name", func(g *sdk.Game) { g.Name = "parity\n" }, `"parity\n"`},
		{"no referee", func(g *sdk.Game) { g.Play = nil }, "parity has no Play"},
		{"no players", func(g *sdk.Game) { g.MinPlayers = 0 }, "players from 0 to 4"},
		{"most below least", func(g *sdk.Game) { g.MaxPlayers = 1 }, "players from 2 to 1"},
		{"too many players", func(g *sdk.Game) { g.MaxPlayers = 101 }, "MaxPlayers <= 100"},
		{"default too low", func(g *sdk.Game) { g.Players = 1 }, "default of 1 players is not from 2 to 4"},
		{"default too high", func(g *sdk.Game) { g.Players = 5 }, "default of 5 players"},
		{"negative bots", func(g *sdk.Game) { g.MaxBots = -1 }, "MaxBots -1"},
		{"more bots than players", func(g *sdk.Game) { g.MaxBots = 5 }, "MaxBots 5"},
		{"bots without a Bot", func(g *sdk.Game) { g.Bot = nil }, "allows 3 bots but has no Bot"},
		{"a Bot without bots", func(g *sdk.Game) { g.MaxBots = 0 }, "has a Bot but MaxBots is 0"},
		{"no timeout", func(g *sdk.Game) { g.Timeout = 0 }, "Timeout of 0 seconds is not from 0.1 to 600"},
		{"long timeout", func(g *sdk.Game) { g.Timeout = 600.5 }, "Timeout of 600.5 seconds"},
		{"long delay", func(g *sdk.Game) { g.Delay = 3600.5 }, "Delay of 3600.5 seconds is not from 0 to 3600"},
		{"negative delay", func(g *sdk.Game) { g.Delay = -1 }, "Delay of -1 seconds"},
		{"delay that is not a number", func(g *sdk.Game) { g.Delay = math.NaN() }, "Delay of NaN seconds"},
		{"timeout that is not a number", func(g *sdk.Game) { g.Timeout = math.NaN() }, "Timeout of NaN seconds"},
		{"two parameters of one name", func(g *sdk.Game) { g.Params[1].Name = "rounds" }, `two parameters named "rounds"`},
		{"parameter name", func(g *sdk.Game) { g.Params[0].Name = "a b" }, `parameter name "a b"`},
		{"no description", func(g *sdk.Game) { g.Params[0].Description = "" }, "rounds has no description"},
		{"empty range", func(g *sdk.Game) { g.Params[0].Min = 11 }, "rounds: range from 11 to 10 is empty or infinite"},
		{"infinite range", func(g *sdk.Game) { g.Params[1].Max = math.Inf(1) }, "pace: range from 0 to +Inf"},
		{"range from NaN", func(g *sdk.Game) { g.Params[1].Min = math.NaN() }, "pace: range from NaN"},
		{"no choices", func(g *sdk.Game) { g.Params[2] = sdk.Choice("bot", "level") }, "bot has no choices"},
		{"no room for a text", func(g *sdk.Game) { g.Params[0] = sdk.Text("start", "position", "", 0) }, "start: 0 bytes are not from 1 to 4096"},
		{"too much room for a text", func(g *sdk.Game) { g.Params[0] = sdk.Text("start", "position", "", 4097) }, "4097 bytes"},
		{"default that is too long", func(g *sdk.Game) { g.Params[0] = sdk.Text("start", "position", "abc", 2) }, "its default is out of range"},
		{"default with spaces", func(g *sdk.Game) { g.Params[0] = sdk.Text("start", "position", " a", 2) }, `write its default " a" as "a"`},
		{"no kind", func(g *sdk.Game) { g.Params[0] = sdk.Param{Name: "rounds", Description: "number"} }, "rounds has no kind"},
		{"default out of range", func(g *sdk.Game) { g.Params[0] = sdk.Int("rounds", "number", 11, 1, 10) }, "its default is out of range"},
		{"default in another form", func(g *sdk.Game) { g.Params[1].Default = "0.50" }, `write its default "0.50" as "0.5"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := valid()
			tt.change(&g)
			err := driver.Of(&g).Validate()
			if err == nil || !strings.HasPrefix(err.Error(), "sdk: game ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}
