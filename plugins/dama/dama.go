//go:build go1.21

// Dama is draughts with seven sets of rules. One of them is damath, in which a capture
// scores the result of an arithmetic operation.
//
// It is one package of nearly 2,000 lines, because a host can also run the folder as
// a script, and a script is one package.
package main

import (
	"errors"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

var game = sdk.Game{
	Name: "dama", Title: "Dama: draughts by several rules",
	MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 90,
	Params: append([]sdk.Param{
		sdk.Choice("rules", "rules of the game", ruleNames()...),
		sdk.Float("pace", "minimum number of seconds between moves", 1.5, 0, 30),
		sdk.Int("draw_after", "moves of each side, by kings and without a capture, after which the match ends; 0 for the limit of the rules", 0, 0, 1000),
		sdk.Choice("bot", "level of the server bot", "strong", "random"),
	}, damathParams...),
	Check: check,
	Play:  play,
	Bot:   bot,
}

// damathParams are for rules=damath only.
var damathParams = []sdk.Param{
	sdk.Choice("chips", "damath: values of the chips", chipSetNames()...),
	sdk.Int("dama_left", "damath: how many times a dama left on the board counts", 1, 1, 2),
	sdk.Int("repeat", "damath: same moves of a side's last chip after which the match ends; 0 for no limit", 5, 0, 1000),
	sdk.Int("game_time", "damath: seconds for the whole match; 0 for no limit", 1200, 0, 36000),
	sdk.Choice("late", "damath: consequence of a late answer", "forfeit", "opponent"),
}

func main() { plugin.Serve(game) }

// check refuses parameters of damath in matches with other rules.
func check(s *sdk.Settings) error {
	if s.Choice("rules") == damath.Name {
		return nil
	}
	for i := range damathParams {
		if p := damathParams[i]; s.Values()[p.Name] != p.Default {
			return errors.New("Invalid parameter " + p.Name + ": it is for rules=damath, not for rules=" + s.Choice("rules"))
		}
	}
	return nil
}

func play(m *sdk.Match) error {
	r := rulesNamed(m.Choice("rules"))
	if r == &damath {
		return playDamath(m, start)
	}
	return playClassic(m, r, start)
}
