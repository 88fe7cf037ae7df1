//go:build go1.21

// Kamisado is a game with eight towers a side on a coloured board. The colour of the
// square where one player's tower stops decides which tower the other must move.
package main

import (
	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

var game = sdk.Game{
	Name: "kamisado", Title: "Kamisado",
	MinPlayers: 2, MaxPlayers: 2, MaxBots: 2, Timeout: 30,
	Params: []sdk.Param{
		sdk.Float("pace", "minimum number of seconds between moves", 1, 0, 30),
		sdk.Choice("bot", "level of the server bot", "strong", "medium", "easy", "beginner", "newcomer", "random"),
		sdk.Float(sdk.ThinkParam, "number of seconds that the server bot thinks about a move", 0.25, 0.01, 10),
	},
	Play: play,
	Bot:  bot,
}

func main() { plugin.Serve(game) }
