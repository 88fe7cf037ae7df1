//go:build go1.21

// Samegame is a puzzle for one player: it removes groups of blocks of one colour from a
// board, for more points the larger they are.
package main

import (
	"strconv"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

var game = sdk.Game{
	Name: "samegame", Title: "SameGame",
	MinPlayers: 1, MaxPlayers: 1, Timeout: 10,
	Params: []sdk.Param{
		sdk.Int("width", "columns of the board", 10, 2, 30),
		sdk.Int("height", "rows of the board", 10, 2, 30),
		sdk.Int("colours", "colours of the blocks", 4, 2, 6),
		sdk.Float("pace", "minimum number of seconds between moves", 0, 0, 30),
	},
	Play: play,
}

func main() { plugin.Serve(game) }

// cleared is what a player gets for a board without blocks.
const cleared = 1000

func play(m *sdk.Match) error {
	b := deal(m.Int("width"), m.Int("height"), m.Int("colours"), func(n int) int { return m.Rand(n) })
	m.TellAll(m.Name(0))
	m.TellAll(strconv.Itoa(b.width))
	m.TellAll(strconv.Itoa(b.height))
	for {
		for _, row := range b.rows() {
			m.TellAll(row)
		}
		moves := b.moves()
		if len(moves) == 0 {
			break
		}
		line, err := m.Ask(0, moves)
		if err != nil {
			m.Show("RETIRE") // its points are those that it has until now
			return nil
		}
		m.Show(line)
		m.Pace(m.Float("pace"))
		x, y := parse(line)
		points := value(b.remove(x, y))
		if b.empty() {
			points += cleared
		}
		m.Score(0, float64(points))
		m.TellAll(strconv.Itoa(points))
	}
	return nil
}

// value returns the points for a group of n blocks.
func value(n int) int { return (n - 2) * (n - 2) }
