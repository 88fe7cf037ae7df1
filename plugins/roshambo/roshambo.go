//go:build go1.21

// Roshambo is rock, paper, scissors.
package main

import (
	"strconv"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

var game = sdk.Game{
	Name: "roshambo", Title: "Rock, paper, scissors",
	MinPlayers: 2, MaxPlayers: 2, MaxBots: 2, Timeout: 30,
	Params: []sdk.Param{
		sdk.Int("rounds", "number of rounds", 10, 1, 9999),
		sdk.Float("pace", "minimum number of seconds between rounds", 1, 0, 30),
		sdk.Choice("bot", "level of the server bot", "strong", "medium", "easy", "random"),
	},
	Play: play,
	Bot:  bot,
}

func main() { plugin.Serve(game) }

var hands = []string{"ROCK", "PAPER", "SCISSORS"}

var beats = map[string]string{"ROCK": "SCISSORS", "PAPER": "ROCK", "SCISSORS": "PAPER"}

func play(m *sdk.Match) error {
	rounds := m.Int("rounds")
	for seat := 0; seat < 2; seat++ {
		m.Tell(seat, m.Name(seat))
		m.Tell(seat, m.Name(1-seat))
		m.Show(m.Name(seat))
	}
	for seat := 0; seat < 2; seat++ {
		m.Tell(seat, strconv.Itoa(rounds))
	}
	m.Show(strconv.Itoa(rounds))

	for round := 0; round < rounds; round++ {
		answers := m.AskAll([][]string{hands, hands})
		m.Pace(m.Float("pace")) // before the hands, like the original server: the last hands end the match
		var moves [2]string     // by seat
		for _, a := range answers {
			moves[a.Seat] = a.Line
			if a.Err != nil {
				moves[a.Seat] = "RETIRE"
			}
			m.Show(moves[a.Seat])
		}
		for _, a := range answers {
			if a.Err == nil {
				m.Tell(a.Seat, moves[1-a.Seat])
			}
		}
		if answers[0].Err != nil || answers[1].Err != nil {
			return nil
		}
		if beats[moves[0]] == moves[1] {
			m.Score(0, 1)
		} else if beats[moves[1]] == moves[0] {
			m.Score(1, 1)
		}
	}
	return nil
}
