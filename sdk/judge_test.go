package sdk_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

func TestJudgementBelongsToTheTextsBeforeIt(t *testing.T) {
	got := run(t, testMatch{judge: time.Second, answers: [][]any{{"x"}}, play: func(m *sdk.Match) error {
		m.TellAll("a")
		m.Judge(func(func() bool) (float64, string) { return 0.25, "e4" })
		m.TellAll("b")
		m.AskLine(0)
		m.Judge(func(func() bool) (float64, string) { return -1, "" })
		return nil
	}})
	type frame struct {
		texts, best string
		value       float64
		asks        bool
	}
	want := []frame{{"a\n", "e4", 0.25, false}, {"b\n", "", math.NaN(), true}, {"", "", -1, false}, {"", "", math.NaN(), false}}
	if len(got.frames) != len(want) {
		t.Fatalf("got %d frames, want %d", len(got.frames), len(want))
	}
	for i, f := range got.frames {
		have := frame{value: math.NaN(), asks: f.Question != nil}
		for _, text := range f.Texts {
			have.texts += string(text.Lines)
		}
		if f.Judgement != nil {
			have.best, have.value = f.Judgement.Best, f.Judgement.Value
		}
		same := have.value == want[i].value || math.IsNaN(have.value) && math.IsNaN(want[i].value)
		if have.value, want[i].value = 0, 0; have != want[i] || !same {
			t.Errorf("frame %d: got %+v, want %+v", i, f, want[i])
		}
	}
}

func TestPositionsAreJudgedOnlyInAnalysesOfTwoSeats(t *testing.T) {
	tests := []struct {
		name   string
		match  testMatch
		judged bool
	}{
		{"a match that is played", testMatch{}, false},
		{"an analysis", testMatch{judge: 1}, true},
		{"one seat", testMatch{judge: 1, seats: 1}, false},
		{"three seats", testMatch{judge: 1, seats: 3}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			judged := false
			tt.match.play = func(m *sdk.Match) error {
				m.Judge(func(func() bool) (float64, string) { judged = true; return 0, "" })
				return nil
			}
			got := run(t, tt.match)
			if judged != tt.judged || (got.frames[0].Judgement != nil) != tt.judged {
				t.Errorf("judged %v, want %v", judged, tt.judged)
			}
		})
	}
}

func TestPositionsBeforeTheGivenAnswerAreNotJudged(t *testing.T) {
	got := run(t, testMatch{judge: time.Second, after: 2, answers: [][]any{{"a", "b"}}, play: func(m *sdk.Match) error {
		for range 3 {
			m.Judge(func(func() bool) (float64, string) { return 0, fmt.Sprint(m.Elapsed()) })
			m.AskLine(0)
		}
		return nil
	}})
	judged := 0
	for _, f := range got.frames {
		if f.Judgement != nil {
			judged++
		}
	}
	if judged != 1 {
		t.Errorf("got %d judgements, want one: of the position after two answers", judged)
	}
}

func TestJudgeThinksForItsTimeAboutEachPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run(t, testMatch{judge: 100 * time.Millisecond, play: func(m *sdk.Match) error {
			for range 2 {
				begin := time.Now()
				m.Judge(func(thinking func() bool) (float64, string) {
					for thinking() {
						time.Sleep(time.Millisecond)
					}
					return 0, ""
				})
				if took := time.Since(begin); took != 100*time.Millisecond {
					t.Errorf("thought for %v, want 100ms", took)
				}
			}
			return nil
		}})
	})
}

func TestJudgeInATestThinksAFixedNumberOfTimes(t *testing.T) {
	run(t, testMatch{judge: 1, thoughts: 7, play: func(m *sdk.Match) error {
		for range 2 {
			n := 0
			m.Judge(func(thinking func() bool) (float64, string) {
				for thinking() {
					n++
				}
				return 0, ""
			})
			if n != 7 {
				t.Errorf("thought %d times, want 7", n)
			}
		}
		return nil
	}})
}

func TestJudgesRandomNumbersAreItsOwn(t *testing.T) {
	draw := func(judge time.Duration) (own []int, judges []int) {
		run(t, testMatch{judge: judge, seed: 5, play: func(m *sdk.Match) error {
			for range 20 {
				m.Judge(func(func() bool) (float64, string) { judges = append(judges, m.Rand(1000)); return 0, "" })
				own = append(own, m.Rand(1000))
			}
			return nil
		}})
		return own, judges
	}
	without, _ := draw(0)
	with, first := draw(1)
	_, second := draw(1)
	for i := range without {
		if without[i] != with[i] || first[i] != second[i] {
			t.Fatalf("got %v and %v with judgements and %v without, and judges' numbers %v and %v, want the same", with, first, without, first, second)
		}
	}
}

func TestJudgementOutOfRangeIsAFaultOfTheGame(t *testing.T) {
	for _, value := range []float64{1.01, -1.01, math.NaN(), math.Inf(1)} {
		got := run(t, testMatch{judge: 1, play: func(m *sdk.Match) error {
			m.Judge(func(func() bool) (float64, string) { return value, "" })
			return nil
		}})
		if r := got.result(); !r.Aborted || !strings.Contains(r.Reason, "from -1 to 1") {
			t.Errorf("%v: aborted %v: %q, want a fault with the range", value, r.Aborted, r.Reason)
		}
	}
}

// idle drives a match without players.
type idle struct{}

func (idle) Send(*driver.Frame) bool       { return true }
func (idle) Wait() ([]driver.Answer, bool) { return nil, false }
func (idle) Pause(time.Duration) bool      { return true }
func play(f func(*sdk.Match), s driver.Setup) {
	game := sdk.Game{Play: func(m *sdk.Match) error { f(m); return nil }}
	driver.Of(&game).Run(&s, idle{})
}

func TestJudgeAllocatesNothingInAMatchThatIsPlayed(t *testing.T) {
	play(func(m *sdk.Match) {
		board := [64]int{}
		if n := testing.AllocsPerRun(100, func() {
			m.Judge(func(thinking func() bool) (float64, string) {
				if board[0]++; thinking() {
					return float64(board[1]), ""
				}
				return 0, ""
			})
		}); n != 0 {
			t.Errorf("%v allocations, want 0", n)
		}
	}, driver.Setup{Names: []string{"a", "b"}})
}

// BenchmarkJudgeWhenPlaying is the cost of one call in a match that is not analysed.
func BenchmarkJudgeWhenPlaying(b *testing.B) {
	play(func(m *sdk.Match) {
		board := [64]int{}
		for b.Loop() {
			m.Judge(func(thinking func() bool) (float64, string) {
				board[0]++
				return float64(board[1]), ""
			})
		}
	}, driver.Setup{Names: []string{"a", "b"}})
}
