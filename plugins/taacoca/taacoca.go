//go:build go1.21

// Taacoca: two sides of twelve stones on a hexagon, three of which move at
// once. The rules for players are in rules.md; board.go holds them as code.
package main

import (
	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

var game = sdk.Game{
	Name: "taacoca", Title: "Taacoca",
	MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 30,
	Params: []sdk.Param{
		sdk.Float("pace", "seconds between moves at least", 1, 0, 30),
		sdk.Choice("bot", "level of the server bot", "strong", "random"),
	},
	Play: play,
	Bot:  bot,
}

func main() { plugin.Serve(game) }
