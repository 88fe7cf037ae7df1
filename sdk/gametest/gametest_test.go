package gametest

import (
	"strconv"

	"colosseum/sdk"
)

// parity is a game for two in rounds. Seat 0 gets a point if the sum of both
// numbers is even, seat 1 if it is odd.
var parity = sdk.Game{
	Name: "parity", Title: "Odds and evens", MinPlayers: 2, MaxPlayers: 2, MaxBots: 2, Timeout: 10,
	Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 1, 1, 1000)},
	Play: func(m *sdk.Match) error {
		for seat := range 2 {
			m.TellAll(m.Name(seat))
		}
		digits := []string{"0", "1"}
		for range m.Int("rounds") {
			answers := m.AskAll([][]string{digits, digits})
			if answers[0].Err != nil || answers[1].Err != nil {
				m.TellAll("RETIRE")
				return nil
			}
			winner := 0
			if answers[0].Line != answers[1].Line {
				winner = 1
			}
			m.Score(winner, 1)
			m.TellAll(answers[0].Line + answers[1].Line)
			m.Pace(1)
		}
		return nil
	},
	Bot: func(b *sdk.Bot) error {
		b.Read()
		b.Read()
		for {
			b.Write(strconv.Itoa(b.Rand(2)))
			b.Read()
		}
	},
}
