//go:build go1.21

// Command pulse is a game that asks all players in ticks, and shows everybody all answers.
package main

import (
	"fmt"
	"strings"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

func main() { plugin.Serve(game) }

var game = sdk.Game{
	Name: "pulse", Title: "Pulse", Rules: "# Pulse\n",
	MinPlayers: 1, MaxPlayers: 8, Timeout: 60, MaxLine: 65536,
	Params: []sdk.Param{
		sdk.Int("ticks", "number of ticks", 10, 1, 1000),
		sdk.Int("ms", "milliseconds of a tick", 200, 20, 60000),
	},
	Play: func(m *sdk.Match) error {
		for tick := 0; tick < m.Int("ticks"); tick++ {
			m.TellAll(fmt.Sprintf("tick %d", tick))
			answers := []string{"answers"}
			for _, a := range m.Tick(float64(m.Int("ms")) / 1000) {
				switch {
				case a.Missed > 0:
					answers = append(answers, "-")
				case len(a.Line) > 20:
					answers = append(answers, fmt.Sprintf("%d bytes", len(a.Line)))
				default:
					answers = append(answers, a.Line)
				}
			}
			m.TellAll(strings.Join(answers, " "))
		}
		return nil
	},
}
