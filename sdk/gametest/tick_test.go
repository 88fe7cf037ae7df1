package gametest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// sprint is a game in ticks. A seat that sends "go" moves a step; the first with five wins.
// A seat stays in the match when its player is gone.
var sprint = sdk.Game{
	Name: "sprint", Title: "Sprint", MinPlayers: 2, MaxPlayers: 4, MaxBots: 4, Timeout: 10,
	Play: func(m *sdk.Match) error {
		m.StayWhenGone()
		for range 20 {
			m.TellAll("tick")
			m.Examples(func(int) []string { return []string{"go", "stay"} })
			for _, a := range m.Tick(0.25) {
				m.TellAll(fmt.Sprint(a.Seat, " ", a.Line, " ", a.Missed))
				if a.Line == "go" {
					m.Score(a.Seat, 1)
				}
			}
		}
		return nil
	},
	Bot: func(b *sdk.Bot) error {
		for {
			if b.Read() == "tick" {
				b.Write("stay")
				b.Write("go")
			}
		}
	},
}

func TestTicksTakeTheirTimeWhoeverPlays(t *testing.T) {
	for _, players := range [][]Player{{Endless("go"), Late}, {Gone, nil}, {nil, nil}, {Slow(0.2, Endless("go")), Slow(9, Endless("go"))}} {
		got := MustPlay(t, Match{Game: &sprint, Players: players})
		if len(got.Answers) != 40 {
			t.Errorf("%d answers, want one for each seat and tick", len(got.Answers))
		}
		for i, a := range got.Answers {
			if want := time.Duration(i/2+1) * 250 * time.Millisecond; a.At != want {
				t.Fatalf("answer %d came at %v, want %v", i, a.At, want)
			}
		}
	}
}

func TestPlayersOfTicks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		player Player
		want   string // of the first three ticks
	}{
		{"the last line counts", Endless("stay\n go "), "go 0, go 0, go 0"},
		{"slow", Slow(0.2, Endless("go")), "go 0, go 0, go 0"},
		{"too slow", Slow(0.25, Endless("go")), " 1,  2,  3"},
		{"late", Late, " 1,  2,  3"},
		{"gone", Script("go"), "go 0,  1,  2"},
		{"missing", Missing(3, Endless("go")), "go 0, go 0,  1"},
		{"flooding", Flooding(100, Endless("go")), "go 0, go 0, go 0"},
		{"flooding and late", Flooding(100, Late), " 1,  2,  3"},
		{"bot", nil, "go 0, go 0, go 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := MustPlay(t, Match{Game: &sprint, Players: []Player{tt.player, Endless("stay")}})
			var lines []string
			for line := range strings.Lines(got.Spectators) {
				if after, ok := strings.CutPrefix(line, "0 "); ok {
					lines = append(lines, strings.TrimSuffix(after, "\n"))
				}
			}
			if have := strings.Join(lines[:3], ", "); have != tt.want {
				t.Errorf("got %q, want %q", have, tt.want)
			}
		})
	}
	if line, _ := Flooding(3, Endless("a"))(Question{}); line != "a" {
		t.Errorf("outside of a tick the flooding player sends %q, want one line", line)
	}
}

func TestTicksTakeNoTimeOfTheClock(t *testing.T) {
	game := sdk.Game{Name: "mixed", Title: "Mixed", MinPlayers: 1, MaxPlayers: 1, Timeout: 10, Play: func(m *sdk.Match) error {
		for range 2 {
			m.Tick(5)
			m.AskLine(0)
		}
		m.TellAll(fmt.Sprint(m.TimeLeft(0)))
		return nil
	}}
	got := MustPlay(t, Match{Game: &game, Players: []Player{Slow(1, Endless("x"))}, Bank: 4, Increment: 0.5})
	// after two turns of 1 s each, with the increments of the second and the third
	if want := "3\n"; got.Spectators != want {
		t.Errorf("%q s left, want %q", got.Spectators, want)
	}
	if last := got.Answers[3]; last.Left != 2500*time.Millisecond || last.Outcome != driver.Answered {
		t.Errorf("the last answer is %+v, want one with 2.5 s left in the bank", last)
	}
}

func TestGoodGameWithTicksPassesEveryCheck(t *testing.T) {
	stays := sprint
	forfeits := sprint
	forfeits.Play = func(m *sdk.Match) error {
		m.MaxMisses(3)
		for range 20 {
			m.TellAll("tick")
			m.Examples(func(int) []string { return []string{"go", "stay"} })
			playing := 0
			for _, a := range m.Tick(0.25) {
				if a.Line == "go" {
					m.Score(a.Seat, 1)
				}
				if a.Err == nil {
					playing++
				}
			}
			if playing == 0 {
				break
			}
		}
		return nil
	}
	for name, game := range map[string]*sdk.Game{"stays": &stays, "forfeits": &forfeits} {
		for _, c := range checks {
			if err := c.check(game); err != nil {
				t.Errorf("%s: %s: got %v, want no error", name, c.name, err)
			}
		}
	}
}
