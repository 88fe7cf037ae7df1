//go:build go1.21

// Royalur is the Royal Game of Ur: a race of seven tokens a side over fourteen cells by
// tosses of four coins.
package main

import (
	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

var game = sdk.Game{
	Name: "royalur", Title: "The Royal Game of Ur",
	MinPlayers: 2, MaxPlayers: 2, MaxBots: 2, Timeout: 90,
	Params: []sdk.Param{
		sdk.Float("pace", "minimum number of seconds between a roll, its move and the next roll", 1.5, 0, 30),
		sdk.Choice("bot", "level of the server bot", "strong", "medium", "easy", "beginner", "newcomer", "random"),
		sdk.Float(sdk.ThinkParam, "number of seconds that the server bot thinks about a move", 0.25, 0.01, 10),
	},
	Play: play,
	Bot:  bot,
}

func main() { plugin.Serve(game) }
