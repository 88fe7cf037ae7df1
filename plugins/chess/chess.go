//go:build go1.21

// Chess is the game with the protocol of the original Code Colosseum server.
//
// Referee and bot use the same board (board.go), which is made for searching; rules.go
// adds what a search does not need. Tests compare it with a library's.
package main

import (
	"fmt"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

var game = sdk.Game{
	Name: "chess", Title: "Chess",
	MinPlayers: 2, MaxPlayers: 2, MaxBots: 2, Timeout: 90,
	Params: []sdk.Param{
		sdk.Float("pace", "minimum number of seconds between moves", 1.5, 0, 30),
		sdk.Text("start", "position before the first move, in FEN; empty for the usual one", "", 100),
		sdk.Choice("draws", "automatic: the match ends when a position occurs for the third time, or after 50 moves without a capture or a pawn's move; claimed: then a player can claim the draw", "automatic", "claimed"),
		sdk.Choice("bot", "level of the server bot", "strong", "medium", "easy", "beginner", "newcomer", "random"),
		sdk.Float(sdk.ThinkParam, "number of seconds that the server bot thinks about a move", 0.25, 0.01, 10),
	},
	Check: check,
	Play:  play,
	Bot:   bot,
}

func main() { plugin.Serve(game) }

// check refuses positions in which no match can begin.
func check(s *sdk.Settings) error {
	if _, err := newMatch(s.Text("start")); err != nil {
		return fmt.Errorf("Invalid parameter start: %w", err)
	}
	return nil
}
