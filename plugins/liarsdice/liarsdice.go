//go:build go1.21

// Liar's dice is a game of bids on dice that only their owner sees, for two to six
// players. Its rules are those of Perudo.
package main

import (
	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

var game = sdk.Game{
	Name: "liarsdice", Title: "Liar's dice",
	MinPlayers: 2, MaxPlayers: 6, MaxBots: 6, Timeout: 30,
	Params: []sdk.Param{
		sdk.Int("dice", "number of dice of each player", 5, 1, 5),
		sdk.Choice("wild", "whether ones count as any face", "yes", "no"),
		sdk.Float("pace", "minimum number of seconds between bids", 1, 0, 30),
		sdk.Choice("bot", "level of the server bot", "strong", "medium", "easy", "beginner", "random"),
	},
	Delay: 120, // spectators see all dice; a round rarely takes longer
	Play:  play,
	Bot:   bot,
}

func main() { plugin.Serve(game) }
