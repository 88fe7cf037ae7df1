package sdk_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// untilGood asks a seat until it answers "good" or Ask returns an error.
func untilGood(m *sdk.Match, seat int) error {
	for {
		m.Tell(seat, "go")
		line, err := m.AskLine(seat)
		if err != nil || line == "good" {
			return err
		}
		m.Refuse(seat, "bad: "+line)
	}
}

func TestTurnContinuesAfterARefusedLine(t *testing.T) {
	got := run(t, testMatch{answers: [][]any{{"x", "y", "good", "good"}, {"good"}}, play: func(m *sdk.Match) error {
		for _, seat := range []int{0, 1, 0} {
			if err := untilGood(m, seat); err != nil {
				t.Errorf("seat %d: got error %v, want none", seat, err)
			}
		}
		return nil
	}})
	if want := "go\nbad: x\ngo\nbad: y\ngo\ngo\n"; got.received(0) != want {
		t.Errorf("seat 0 received %q, want %q", got.received(0), want)
	}
	if want := "go\n"; got.received(1) != want {
		t.Errorf("seat 1 received %q, want %q", got.received(1), want)
	}
	for i, want := range [][]int{nil, {0}, {0}, nil, nil} {
		if q := got.questions()[i]; !slices.Equal(q.Resumed, want) || q.Seconds != 10 {
			t.Errorf("question %d continues the turns of %v for %v s, want %v for 10", i, q.Resumed, q.Seconds, want)
		}
	}
}

func TestSeatForfeitsWithTheHundredthRefusedLineOfATurn(t *testing.T) {
	bad := slices.Repeat([]any{"x"}, driver.MaxRefusals-1)
	tests := []struct {
		name  string
		lines []any
		turns int
		err   error
	}{
		{"one less", append(slices.Clone(bad), "good"), 1, nil},
		{"a hundred", append(slices.Clone(bad), "x", "good"), 1, sdk.ErrIllegal},
		{"in two turns", slices.Concat(bad, []any{"good"}, bad, []any{"good"}), 2, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, testMatch{answers: [][]any{tt.lines}, play: func(m *sdk.Match) error {
				var err error
				for range tt.turns {
					err = untilGood(m, 0)
				}
				if err != tt.err {
					t.Errorf("it ended by %v, want %v", err, tt.err)
				}
				return nil
			}})
			ended := driver.EndedFinished
			if tt.err != nil {
				ended = driver.ForfeitIllegal
			}
			if r := got.result().Seats[0]; r.Ended != ended {
				t.Errorf("ended as %q, want %q", r.Ended, ended)
			}
		})
	}
}

func TestRefusalsAfterAPardonEndInAForfeitAgain(t *testing.T) {
	got := run(t, testMatch{answers: [][]any{slices.Repeat([]any{"x"}, 200)}, play: func(m *sdk.Match) error {
		untilGood(m, 0)
		m.Pardon(0)
		m.AskLine(0)
		if err := m.Refuse(0, ""); err != sdk.ErrIllegal {
			t.Errorf("refused once more: %v, want %v", err, sdk.ErrIllegal)
		}
		return nil
	}})
	if n := len(got.questions()); n != driver.MaxRefusals+1 {
		t.Errorf("%d questions, want %d", n, driver.MaxRefusals+1)
	}
}

func TestRefusalOfASeatThatHasForfeitedDoesNothing(t *testing.T) {
	got := run(t, testMatch{play: func(m *sdk.Match) error {
		m.Forfeit(0, sdk.ErrResigned)
		if err := m.Refuse(0, "no"); err != sdk.ErrResigned {
			t.Errorf("got %v, want %v", err, sdk.ErrResigned)
		}
		return nil
	}})
	if got.received(0) != "" {
		t.Errorf("the seat received %q, want nothing", got.received(0))
	}
}

func TestTurnContinuesAfterAnInterruption(t *testing.T) {
	got := run(t, testMatch{answers: [][]any{{"0", "0", "0"}, {"1", "1"}}, play: func(m *sdk.Match) error {
		m.Ask(0, digits)
		m.Ask(1, digits) // another turn
		m.Resume(0)
		m.AskAll([][]string{digits, digits})
		m.Ask(0, digits)
		return nil
	}})
	for i, want := range [][]int{nil, nil, {0}, nil} {
		if q := got.questions()[i]; !slices.Equal(q.Resumed, want) {
			t.Errorf("question %d continues the turns of %v, want %v", i, q.Resumed, want)
		}
	}
}

func TestTurnThatNeverBeganCannotContinue(t *testing.T) {
	for name, call := range map[string]func(m *sdk.Match){
		"Resume": func(m *sdk.Match) { m.Resume(0) },
		"Refuse": func(m *sdk.Match) { m.Refuse(0, "no") },
	} {
		got := run(t, testMatch{play: func(m *sdk.Match) error { call(m); return nil }})
		if r := got.result(); !r.Aborted || !strings.Contains(r.Reason, "never asked") {
			t.Errorf("%s: result %+v, want it aborted because of a seat that was never asked", name, r)
		}
	}
}

func TestBotHasOneClockForItsTurn(t *testing.T) {
	tests := []struct {
		name  string
		takes time.Duration // for each of its lines
		lines int           // refused, as the bot reads
		after time.Duration
		ended driver.Ended
	}{
		{"slow", 3 * time.Second, 3, 10 * time.Second, "forfeit: timeout"},
		{"quick", time.Millisecond, driver.MaxRefusals - 1, driver.MaxRefusals * time.Millisecond, "forfeit: illegal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			refused := 0
			synctest.Test(t, func(t *testing.T) {
				got := run(t, testMatch{
					answers: [][]any{{}}, bots: botOnSeat1,
					play: func(m *sdk.Match) error {
						begun := time.Now()
						untilGood(m, 1)
						if took := time.Since(begun); took != tt.after {
							t.Errorf("the turn ended after %v, want %v", took, tt.after)
						}
						return nil
					},
					bot: func(b *sdk.Bot) error {
						for {
							if line := b.Read(); line != "go" {
								refused++
								continue
							}
							<-time.After(tt.takes)
							b.Write("x")
						}
					},
				})
				<-time.After(time.Minute) // until the bot finds that the match has ended
				if ended := got.result().Seats[1].Ended; ended != tt.ended {
					t.Errorf("the bot ended as %q, want %q", ended, tt.ended)
				}
				if n := len(got.botAnswers()); n != len(got.questions()) {
					t.Errorf("%d answers of the bot are for the record, want %d", n, len(got.questions()))
				}
			})
			if refused != tt.lines {
				t.Errorf("the bot was refused %d times, want %d", refused, tt.lines)
			}
		})
	}
}

func TestClockOfABotStopsWhileAnotherIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := run(t, testMatch{
			answers: [][]any{{}}, bots: []bool{true, true},
			play: func(m *sdk.Match) error {
				for _, seat := range []int{0, 1, 0, 1, 0} {
					m.Tell(seat, "go")
					if seat == 0 && m.Elapsed() > 0 {
						m.Resume(0)
					}
					if line, err := m.AskLine(seat); err != nil {
						return fmt.Errorf("%q, %w", line, err)
					}
				}
				return nil
			},
			bot: func(b *sdk.Bot) error {
				for {
					b.Read()
					<-time.After(4 * time.Second)
					b.Write("x")
				}
			},
		})
		<-time.After(time.Minute)
		// The first has 10 s and uses 4, 4, and the last 2.
		if r, want := got.result(), `"", timeout`; !strings.Contains(r.Reason, want) {
			t.Errorf("it ended by %q, want %s", r.Reason, want)
		}
		last := got.botAnswers()[4]
		if want := (driver.Answer{Seat: 0, Outcome: driver.Timeout, At: 18 * time.Second}); last != want {
			t.Errorf("the last answer is %+v, want %+v", last, want)
		}
	})
}

func TestLineOfABotAfterItsTimeIsLateWhileAPlayerIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := run(t, testMatch{
			answers: [][]any{{"0"}}, bots: botOnSeat1, blocks: 8 * time.Second, timeout: 6,
			play: func(m *sdk.Match) error {
				answers := m.AskAll([][]string{digits, digits})
				if want := []sdk.Answer{{Seat: 0, Line: "0"}, {Seat: 1, Err: sdk.ErrTimeout}}; !slices.Equal(answers, want) {
					t.Errorf("answers %+v, want %+v", answers, want)
				}
				return nil
			},
			bot: func(b *sdk.Bot) error {
				<-time.After(7 * time.Second)
				b.Write("1")
				return nil
			},
		})
		if ended := got.result().Seats[1].Ended; ended != "forfeit: timeout" {
			t.Errorf("the bot ended as %q, want forfeit: timeout", ended)
		}
	})
}

// TestTimeLeftIsWhatTheNextQuestionGives compares the value before each question
// with the seconds that the player then has.
func TestTimeLeftIsWhatTheNextQuestionGives(t *testing.T) {
	tests := []struct {
		name            string
		bank, increment float64
		player          gametest.Player
		want            []float64 // the seconds of each question to seat 0
	}{
		{"new turns", 0, 0, gametest.Slow(3, gametest.Endless("good")), []float64{10, 10, 10, 5}},
		{"refused lines", 0, 0, gametest.Slow(3, gametest.Script("bad", "bad", "good", "good", "bad", "good", "good")), []float64{10, 7, 4, 10, 10, 7, 5}},
		{"a line in no time", 0, 0, gametest.Script("bad", "good", "good", "good", "good"), []float64{10, 9.999, 10, 10, 5}},
		{"a clock", 12, 1, gametest.Slow(3, gametest.Endless("good")), []float64{10, 10, 8, 5}},
		{"a clock that runs out", 4, 1, gametest.Slow(3, gametest.Endless("good")), []float64{4, 2}},
		{"a clock and refused lines", 12, 1, gametest.Slow(3, gametest.Script("bad", "bad", "good", "good", "good")), []float64{10, 7, 4, 4, 2}},
		{"a clock and a leaver", 12, 1, gametest.Slow(3, gametest.Script("good", "bad")), []float64{10, 10, 7}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var told, given []float64
			game := sdk.Game{Name: "times", Title: "Times", MinPlayers: 2, MaxPlayers: 2, Timeout: 10, Play: func(m *sdk.Match) error {
				for turn := range 4 {
					if turn == 3 {
						m.SetTimeout(5)
					}
					m.Pace(100)
					for {
						told = append(told, m.TimeLeft(0))
						line, err := m.AskLine(0)
						if err != nil {
							return nil
						}
						if line == "good" {
							break
						}
						m.Refuse(0, "no")
					}
					m.AskLine(1)
				}
				return nil
			}}
			first := func(q gametest.Question) (string, error) {
				given = append(given, q.Seconds)
				return tt.player(q)
			}
			got, err := gametest.Play(gametest.Match{Game: &game, Players: []gametest.Player{first, gametest.Slow(1, gametest.Endless("x"))}, Bank: tt.bank, Increment: tt.increment})
			if err != nil || got.Result.Aborted {
				t.Fatalf("got %v and %+v, want a match", err, got)
			}
			near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }
			if !slices.EqualFunc(given, tt.want, near) {
				t.Errorf("the questions gave %v s, want %v", given, tt.want)
			}
			if !slices.EqualFunc(told, given, near) {
				t.Errorf("got %v s left, want %v, which the questions gave", told, given)
			}
		})
	}
}

func TestTimeLeftOfABotIsThatOfAnAnswer(t *testing.T) {
	for _, rerun := range []bool{false, true} { // then the bot's answers come from the record
		var told []float64
		m := testMatch{bots: []bool{!rerun, false}, answers: [][]any{{"x", "x"}, {}}, thoughts: 1, play: func(m *sdk.Match) error {
			for range 2 {
				told = append(told, m.TimeLeft(0))
				m.AskLine(0)
			}
			return nil
		}, bot: func(b *sdk.Bot) error { b.Write("x"); b.Write("x"); return nil }}
		if !rerun {
			m.answers = nil
		}
		run(t, m)
		if want := []float64{10, 10}; !slices.Equal(told, want) {
			t.Errorf("rerun %t: got %v s left, want %v", rerun, told, want)
		}
	}
}
