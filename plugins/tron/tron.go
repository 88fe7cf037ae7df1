//go:build go1.21

// Tron is a game for two to four light cycles, which all move at each tick of a clock and
// leave walls behind them. The last one that has not crashed wins.
package main

import (
	"errors"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

var game = sdk.Game{
	Name: "tron", Title: "Tron",
	MinPlayers: 2, MaxPlayers: 4, MaxBots: 4, Timeout: 30,
	Params: []sdk.Param{
		sdk.Int("tick", "number of milliseconds in which all cycles move by one cell", 200, 50, 500),
		sdk.Int("width", "number of columns of the board", 30, 8, 60),
		sdk.Int("height", "number of rows of the board", 20, 8, 60),
		sdk.Choice("teams", "seats 0 and 2 are a team against seats 1 and 3", "no", "yes"),
		sdk.Choice("bot", "level of the server bot", "strong", "medium", "easy", "beginner", "newcomer", "random"),
	},
	Check: check,
	Play:  play,
	Bot:   bot,
}

func main() { plugin.Serve(game) }

func check(s *sdk.Settings) error {
	if s.Choice("teams") == "yes" && s.Players() != 4 {
		return errors.New("Invalid parameter teams: teams=yes needs 4 players")
	}
	return nil
}
