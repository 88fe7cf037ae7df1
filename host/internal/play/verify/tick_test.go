package verify

import (
	"fmt"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

// ticks is a game of six ticks that shows the answers, and a question at its end.
var ticks = sdk.Game{
	Name: "ticks", Title: "Ticks", MinPlayers: 3, MaxPlayers: 3, MaxBots: 2, Timeout: 10,
	Play: func(m *sdk.Match) error {
		m.MaxMisses(3)
		for range 6 {
			m.TellAll("tick")
			for _, a := range m.Tick(0.3) {
				m.Show(fmt.Sprint(a.Seat, " says ", a.Line, ", missed ", a.Missed, ", ", a.Err))
			}
		}
		line, err := m.AskLine(0)
		m.Show(fmt.Sprintf("%s, %v, after %v s, with %v s left", line, err, m.Elapsed(), m.TimeLeft(0)))
		return nil
	},
	Bot: func(b *sdk.Bot) error {
		for b.Read() == "tick" {
			b.Write(fmt.Sprint(b.Rand(10)))
		}
		return nil
	},
}

func TestMatchWithTicksIsVerified(t *testing.T) {
	for name, players := range map[string][]gametest.Player{
		"players": {gametest.Missing(2, gametest.Endless("a")), gametest.Flooding(5, gametest.Endless("b")), gametest.Endless("c")},
		"late":    {gametest.Slow(0.3, gametest.Endless("a")), gametest.Late, gametest.Then(gametest.Late, "x")},
		"gone":    {gametest.Endless("a"), gametest.Script("b", "b"), gametest.Gone},
		"bots":    {gametest.Endless("a"), nil, nil},
		"a bot":   {gametest.Script("a", "b"), nil, gametest.Script("c")},
	} {
		t.Run(name, func(t *testing.T) {
			r := recordOf(t, gametest.Match{Game: &ticks, Players: players, Seed: 42})
			if !strings.Contains(string(r.Stream), "after ") {
				t.Fatalf("the match did not end:\n%s", r.Stream)
			}
			got, err := verified(t, fakeGame{game: &ticks}, r)
			if err != nil || len(got.Differences) > 0 || got.Answers != len(r.Answers) {
				t.Errorf("got %+v, error %v, want %d answers and no difference from\n%s", got, err, len(r.Answers), r.Stream)
			}
		})
	}
}
