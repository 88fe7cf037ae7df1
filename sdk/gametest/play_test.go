package gametest

import (
	"slices"
	"testing"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

func play(t *testing.T, m Match) *Transcript {
	t.Helper()
	m.Game = &parity
	got, err := Play(m)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTranscriptHoldsEveryStream(t *testing.T) {
	got := play(t, Match{
		Players: []Player{Script("0", "1"), Then(Late, " 1 ")}, Names: []string{"ann", "bob"}, Args: map[string]string{"rounds": "3"},
	})
	want := `-- seat 0 --
ann
bob
>0
01
>1
RETIRE
-- seat 1 --
ann
bob
>1
01
RETIRE
-- spectators --
ann
bob
01
RETIRE
-- result --
seat 0: score 0, rank 1, finished
seat 1: score 1, rank 2, forfeit: timeout
bob forfeits: timeout
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestAnswersAreRecordedWithPretendedTimes(t *testing.T) {
	got := play(t, Match{Players: []Player{Script("0", "1"), Then(Late, "0")}, Args: map[string]string{"rounds": "2"}})
	last := got.Answers[3]
	// the pause of 1 s after the first round, and the timeout of 10 s
	if want := 11 * time.Second; last.Outcome != driver.Timeout || last.At != want {
		t.Errorf("the last answer is %+v, want a timeout at %v", last, want)
	}
	if first := got.Answers[0]; first.Seat != 0 || first.Line != "0" || first.At != time.Millisecond {
		t.Errorf("the first answer is %+v, want 0 after 1 ms", first)
	}
}

func TestTimelineHasLinesQuestionsAndPausesInOrder(t *testing.T) {
	got := play(t, Match{Players: []Player{Script("0"), Script("1")}, Args: map[string]string{"rounds": "2"}})
	want := []string{"Player0", "Player1", "ask", "01", "pause", "ask", "RETIRE"}
	if !slices.Equal(got.Timeline, want) {
		t.Errorf("got %q, want %q", got.Timeline, want)
	}
}

func TestSameSeedGivesSameMatch(t *testing.T) {
	match := func(seed uint64) string {
		return play(t, Match{Players: []Player{Random(seed), nil}, Seed: seed, Args: map[string]string{"rounds": "20"}}).String()
	}
	first := match(1)
	if match(1) != first {
		t.Error("two matches of one seed differ, want the same")
	}
	if match(2) == first {
		t.Error("matches of two seeds are equal, want different ones")
	}
}

func TestBotsCanPlayWithoutOtherPlayers(t *testing.T) {
	got := play(t, Match{Players: []Player{nil, nil}, Args: map[string]string{"rounds": "20"}})
	if a, b := got.Result.Seats[0].Score, got.Result.Seats[1].Score; a+b != 20 {
		t.Errorf("scores %v and %v, want 20 points in all", a, b)
	}
}

func TestRefusalIsReturned(t *testing.T) {
	for _, m := range []Match{
		{Players: []Player{Gone}},
		{Players: []Player{Gone, Gone}, Timeout: 601},
		{Players: []Player{Gone, Gone}, Args: map[string]string{"rounds": "0"}},
	} {
		m.Game = &parity
		if got, err := Play(m); err == nil {
			t.Errorf("%d players, timeout %v, %v: played to %v, want a refusal", len(m.Players), m.Timeout, m.Args, got.Result)
		}
	}
}

func TestRandomPlayerLeavesWithoutLegalAnswers(t *testing.T) {
	if line, err := Random(1)(Question{}); err != sdk.ErrDisconnected {
		t.Errorf("got %q, %v, want %v", line, err, sdk.ErrDisconnected)
	}
}

// tries is a game of one question to each of two players. It refuses every answer
// except "a". After "wait" it asks the other player in between.
var tries = sdk.Game{
	Name: "tries", Title: "Tries", MinPlayers: 2, MaxPlayers: 2, Timeout: 10,
	Play: func(m *sdk.Match) error {
		for seat := range 2 {
			for {
				m.Examples(func(int) []string { return []string{"a", "wait"} })
				line, err := m.AskLine(seat)
				if err != nil || line == "a" {
					break
				}
				if line == "wait" {
					m.AskLine(1 - seat)
					m.Resume(seat)
				} else {
					m.Refuse(seat, "again")
				}
			}
		}
		return nil
	},
}

func TestTurnHasOneClock(t *testing.T) {
	tests := []struct {
		name    string
		first   Player
		seconds []float64 // timeout of each answer of the first player
		ended   driver.Ended
		at      time.Duration // of the last answer
	}{
		{"refused", Slow(3, Script("x", "x", "a")), []float64{10, 7, 4}, "finished", 9 * time.Second},
		{"refused until it is late", Slow(3, Endless("x")), []float64{10, 7, 4, 1}, "forfeit: timeout", 10 * time.Second},
		{"refused a hundred times", Slow(0.05, Endless("x")), nil, "forfeit: illegal", 5 * time.Second},
		{"interrupted", Slow(4, Script("wait", "a")), []float64{10, 6}, "finished", 10 * time.Second}, // 2 s of it are the other player's
		{"interrupted, and late", Slow(6, Script("wait", "a")), []float64{10, 4}, "forfeit: timeout", 12 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var seconds []float64
			first := func(q Question) (string, error) {
				seconds = append(seconds, q.Seconds)
				return tt.first(q)
			}
			var last driver.Answer
			got, err := Play(Match{Game: &tries, Players: []Player{first, Slow(2, Endless("a"))}})
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range got.Answers {
				if a.Seat == 0 {
					last = a
				}
			}
			if tt.seconds != nil && !slices.Equal(seconds, tt.seconds) {
				t.Errorf("the timeouts are %v s, want %v", seconds, tt.seconds)
			}
			if tt.seconds == nil && len(seconds) != driver.MaxRefusals {
				t.Errorf("asked %d times, want %d", len(seconds), driver.MaxRefusals)
			}
			if ended := got.Result.Seats[0].Ended; ended != tt.ended || last.At != tt.at {
				t.Errorf("ended as %q at %v, want %q at %v", ended, last.At, tt.ended, tt.at)
			}
		})
	}
}
