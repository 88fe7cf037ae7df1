//go:build go1.21

// Dama is draughts with eight sets of rules. One of them is damath, in which a capture
// scores the result of an arithmetic operation.
//
// It is one package of more than 3,000 lines, because a host can also run the folder as
// a script, and a script is one package.
package main

import (
	"errors"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

var game = sdk.Game{
	Name: "dama", Title: "Dama: draughts by several rules",
	MinPlayers: 2, MaxPlayers: 2, MaxBots: 2, Timeout: 90,
	Params: append([]sdk.Param{
		sdk.Choice("rules", "rules of the game", ruleNames()...),
		sdk.Float("pace", "minimum number of seconds between moves", 1.5, 0, 30),
		sdk.Int("draw_after", "number of moves of each side, with kings and without a capture, after which the match ends; 0 for the limit of the rules", 0, 0, 1000),
		sdk.Text("start", "position or opening: a FEN of draughts like W:W18,24,K10:B12,16,K22; moves like 21-17 9-13; several with ; between them, of which one is drawn; ballots for one of the federation's list; empty for the usual position", "", 4096),
		sdk.Choice("bot", "level of the server bot", "strong", "medium", "easy", "beginner", "newcomer", "random"),
		sdk.Float(sdk.ThinkParam, "number of seconds that the server bot thinks about a move", 0.25, 0.01, 10),
	}, damathParams...),
	Check: check,
	Play:  play,
	Bot:   bot,
}

// damathParams are for rules=damath only.
var damathParams = []sdk.Param{
	sdk.Choice("chips", "damath: values of the chips", chipSetNames()...),
	sdk.Int("dama_left", "damath: factor for the values of damas that are left on the board", 1, 1, 2),
	sdk.Int("repeat", "damath: number of identical moves of a side's last chip after which the match ends; 0 for no limit", 5, 0, 1000),
	sdk.Int("game_time", "damath: seconds for the whole match; 0 for no limit", 1200, 0, 36000),
	sdk.Choice("late", "damath: consequence of a late answer: the player forfeits, or the opponent makes the move", "forfeit", "opponent"),
}

func main() { plugin.Serve(game) }

// check refuses a start that cannot be played, and parameters of damath in matches with
// other rules.
func check(s *sdk.Settings) error {
	r := rulesNamed(s.Choice("rules"))
	text := s.Text("start")
	switch {
	case r == &damath && text != "":
		return errors.New("Invalid parameter start: rules=damath has only its usual start, because the chips would have no values elsewhere")
	case r == &damath:
		return nil
	case text != "":
		if err := checkStart(r, text); err != nil {
			return errors.New("Invalid parameter start: " + err.Error())
		}
	}
	for i := range damathParams {
		if p := damathParams[i]; s.Text(p.Name) != p.Default {
			return errors.New("Invalid parameter " + p.Name + ": it is for rules=damath, not for rules=" + s.Choice("rules"))
		}
	}
	return nil
}

func play(m *sdk.Match) error {
	r := rulesNamed(m.Choice("rules"))
	if r == &damath {
		return playDamath(m, r.Board.start)
	}
	return playClassic(m, r, drawOpening(r, m.Settings, func(n int) int { return m.Rand(n) }))
}
