// Command dice is a game for two to four players. In each round each player names a number,
// and those with the highest one get a point.
package main

import (
	"strconv"
	"strings"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

func main() { plugin.Serve(game) }

var game = sdk.Game{
	Name: "dice", Title: "Dice", Rules: "The highest number wins.",
	MinPlayers: 2, MaxPlayers: 4, MaxBots: 3, Timeout: 60,
	Params: []sdk.Param{
		sdk.Int("rounds", "number of rounds", 1, 1, 9999),
		sdk.Choice("teams", "among four, the seats 0 and 2 are a team, and the others", "no", "yes"),
		sdk.Choice("bot", "level of the bot", "random", "strong"),
	},
	Play: play,
	Bot:  bot,
}

// numbers are the legal answers.
const numbers = 100

func play(m *sdk.Match) error {
	var legal []string
	for n := range numbers {
		legal = append(legal, strconv.Itoa(n))
	}
	if m.Choice("teams") == "yes" && m.Players() == 4 {
		m.Team(0, 2)
		m.Team(1, 3)
	}
	questions := make([][]string, m.Players())
	for seat := range questions {
		questions[seat] = legal
	}
	m.TellAll(strconv.Itoa(m.Int("rounds")))
	for range m.Int("rounds") {
		answers := m.AskAll(questions)
		best, present := -1, 0
		values, lines := make([]int, len(answers)), make([]string, len(answers))
		for seat, a := range answers {
			values[seat], lines[seat] = -1, a.Line
			if a.Err == nil {
				present++
				values[seat], _ = strconv.Atoi(a.Line) // it is legal
				best = max(best, values[seat])
			}
		}
		m.TellAll(strings.Join(lines, " "))
		if present < 2 {
			return nil
		}
		for seat, value := range values {
			if value == best {
				m.Score(seat, 1)
			}
		}
	}
	return nil
}

// bot names any number, or a high one if it is strong.
func bot(b *sdk.Bot) error {
	b.Read() // the number of rounds
	for {
		n := b.Rand(numbers)
		if b.Choice("bot") == "strong" {
			n = numbers/2 + n/2
		}
		b.Write(strconv.Itoa(n))
		b.Read()
	}
}
