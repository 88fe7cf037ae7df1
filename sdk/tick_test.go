package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

func TestTickAsksEverySeatThatIsInTheMatch(t *testing.T) {
	answers := [][]any{{"left", "", driver.Timeout, driver.Timeout, "up"}, {driver.Timeout, "right", driver.Disconnected}, {}}
	got := run(t, testMatch{seats: 3, answers: answers, play: func(m *sdk.Match) error {
		m.Forfeit(2, sdk.ErrResigned)
		resigned, gone := sdk.Answer{Seat: 2, Err: sdk.ErrResigned}, sdk.Answer{Seat: 1, Err: sdk.ErrDisconnected}
		for i, want := range [][]sdk.Answer{
			{{Seat: 0, Line: "left"}, {Seat: 1, Missed: 1}, resigned},
			{{Seat: 0}, {Seat: 1, Line: "right"}, resigned}, // an empty line is one
			{{Seat: 0, Missed: 1}, {Seat: 1, Err: sdk.ErrDisconnected, Missed: 1}, resigned},
			{{Seat: 0, Missed: 2}, gone, resigned},
			{{Seat: 0, Line: "up"}, gone, resigned},
		} {
			m.Examples(func(seat int) []string { return []string{fmt.Sprint("example of ", seat)} })
			if answers := m.Tick(0.2); !slices.Equal(answers, want) {
				t.Errorf("tick %d: got %v, want %v", i, answers, want)
			}
		}
		m.Forfeit(0, sdk.ErrResigned)
		if answers := m.Tick(60); answers[0].Err != sdk.ErrResigned || len(answers) != 3 {
			t.Errorf("without seats: got %v, want three forfeits", answers)
		}
		return nil
	}})
	if seats, want := asked(got), [][]int{{0, 1}, {0, 1}, {0, 1}, {0}, {0}}; !reflect.DeepEqual(seats, want) {
		t.Errorf("asked %v, want %v", seats, want)
	}
	q := got.questions()[0]
	if !q.Tick || q.Seconds != 0.2 || q.Resumed != nil || !slices.Equal(q.Answers(1), []string{"example of 1"}) {
		t.Errorf("the question is %+v, want a tick of 0.2 s with the examples", q)
	}
}

func TestTickSeatsAsksTheSeatsOfItsList(t *testing.T) {
	answers := [][]any{{"left"}, {"up", "up", driver.Disconnected}, {driver.Timeout, "down"}}
	got := run(t, testMatch{seats: 3, answers: answers, play: func(m *sdk.Match) error {
		for i, tick := range []struct {
			seats []int
			want  []sdk.Answer
		}{
			{[]int{2, 1}, []sdk.Answer{{Seat: 2, Missed: 1}, {Seat: 1, Line: "up"}}},
			{[]int{0, 1, 2}, []sdk.Answer{{Seat: 0, Line: "left"}, {Seat: 1, Line: "up"}, {Seat: 2, Line: "down"}}},
			{[]int{1}, []sdk.Answer{{Seat: 1, Err: sdk.ErrDisconnected, Missed: 1}}},
			{nil, []sdk.Answer{}},
		} {
			if answers := m.TickSeats(tick.seats, 0.2); !slices.Equal(answers, tick.want) {
				t.Errorf("tick %d: got %v, want %v", i, answers, tick.want)
			}
		}
		return nil
	}})
	if seats, want := asked(got), [][]int{{2, 1}, {0, 1, 2}, {1}}; !reflect.DeepEqual(seats, want) {
		t.Errorf("asked %v, want %v", seats, want)
	}
}

func TestMissesAndGonePlayers(t *testing.T) {
	const late, gone = driver.Timeout, driver.Disconnected
	for _, tt := range []struct {
		name   string
		misses int
		stay   bool
		ticks  []any
		want   string // the misses of each tick, and how the seat ends
	}{
		{"late", 0, false, []any{late, late, late, "x", late}, "[1 2 3 0 1] finished"},
		{"too often", 3, false, []any{late, late, "x", late, late, late, "x"}, "[1 2 0 1 2 3 0] forfeit: timeout"},
		{"gone", 3, false, []any{"x", gone, "x"}, "[0 1 0] forfeit: disconnected"},
		{"gone and stays", 0, true, []any{late, gone, gone, gone}, "[1 2 3 4] finished"},
		{"gone and stays until it missed too often", 2, true, []any{"x", gone, gone, gone}, "[0 1 2 0] forfeit: timeout"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var missed []int
			got := run(t, testMatch{seats: 1, answers: [][]any{tt.ticks}, play: func(m *sdk.Match) error {
				m.MaxMisses(tt.misses)
				if tt.stay {
					m.StayWhenGone()
				}
				for range tt.ticks {
					missed = append(missed, m.Tick(0.02)[0].Missed)
				}
				return nil
			}})
			if end := fmt.Sprint(missed, " ", got.result().Seats[0].Ended); end != tt.want {
				t.Errorf("got %s, want %s", end, tt.want)
			}
		})
	}
}

func TestWrongUseOfTicksIsReported(t *testing.T) {
	for want, call := range map[string]func(m *sdk.Match){
		"Tick wants from 0.02 to 60 seconds": func(m *sdk.Match) { m.Tick(0.01) },
		"asks a seat twice":                  func(m *sdk.Match) { m.TickSeats([]int{1, 1}, 1) },
		"MaxMisses wants":                    func(m *sdk.Match) { m.MaxMisses(-1) },
		"last asked by a Tick": func(m *sdk.Match) {
			m.AskLine(0)
			m.Tick(1)
			m.Refuse(0, "no")
		},
	} {
		got := run(t, testMatch{answers: [][]any{{"x", "x"}, {"x"}}, play: func(m *sdk.Match) error { call(m); return nil }})
		if r := got.result(); !r.Aborted || !strings.Contains(r.Reason, want) {
			t.Errorf("result %+v, want it aborted because of %q", r, want)
		}
	}
}

func TestTickIsNoTurn(t *testing.T) {
	got := run(t, testMatch{seats: 1, timeout: 5, took: time.Second, answers: [][]any{{"x", "x", "x"}}, play: func(m *sdk.Match) error {
		m.AskLine(0)
		m.Resume(0) // the tick ends the turn
		m.Tick(2)   // the line came after 1 s of it
		if m.Elapsed() != 3 || m.TimeLeft(0) != 5 {
			t.Errorf("%v s elapsed, %v s left; want 3 and 5", m.Elapsed(), m.TimeLeft(0))
		}
		m.AskLine(0)
		m.Resume(0)
		if left := m.TimeLeft(0); left != 5 { // asked at 3 s, answered at 3 s
			t.Errorf("%v s left after the answer, want 5", left)
		}
		return nil
	}})
	if q := got.questions()[2]; q.Resumed != nil || q.Seconds != 5 {
		t.Errorf("the question after the tick is %+v, want a new turn of 5 s", q)
	}
}

// tickBot plays ticks of 1 s of a bot on seat 0 and a player on seat 1, or of the bot alone,
// and returns what the bot answered, "-" for a miss. It fails when a goroutine is left or a
// tick has another length.
func tickBot(t *testing.T, ticks, players int, thoughts int, bot func(b *sdk.Bot) error) (lines []string, log string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		answers := [][]any{nil, slices.Repeat([]any{"x"}, ticks)}
		got := run(t, testMatch{
			seats: 1 + players, bots: []bool{true, false}[:1+players], thoughts: thoughts, answers: answers, blocks: time.Second, took: time.Second, bot: bot,
			play: func(m *sdk.Match) error {
				m.StayWhenGone()
				for i := range ticks {
					m.TellAll(fmt.Sprint(i))
					begin := time.Now()
					a := m.Tick(1)[0]
					if took := time.Since(begin); took != time.Second && thoughts == 0 {
						t.Errorf("tick %d took %v, want 1 s", i, took)
					}
					if elapsed := int(m.Elapsed()); elapsed != i+1 {
						t.Errorf("%d s elapsed after tick %d, want %d", elapsed, i, i+1)
					}
					if a.Missed > 0 {
						a.Line = "-"
					}
					lines = append(lines, a.Line)
					<-time.After(time.Millisecond) // of the referee
				}
				return nil
			},
		})
		<-time.After(time.Hour) // until a bot that sleeps finds that the match has ended
		log = got.log.String()
	})
	return lines, log
}

func TestBotsAnswerTicks(t *testing.T) {
	for _, tt := range []struct {
		name string
		bot  func(b *sdk.Bot) error
		want string
		log  string // of the bot
	}{
		{"in time", func(b *sdk.Bot) error {
			for {
				b.Write("to " + b.Read())
			}
		}, "[to 0 to 1 to 2 to 3]", ""},
		{"the last line counts", func(b *sdk.Bot) error {
			for {
				tick := b.Read()
				b.Write("first")
				<-time.After(time.Second / 2)
				b.Write("second\n last of " + tick + " ")
			}
		}, "[last of 0 last of 1 last of 2 last of 3]", ""},
		{"late once", func(b *sdk.Bot) error {
			for {
				if b.Read() == "1" {
					<-time.After(time.Second + time.Microsecond)
				}
				b.Write("x")
			}
		}, "[x - x x]", ""},
		{"written after the tick", func(b *sdk.Bot) error {
			for b.Read() != "1" {
				b.Write("x")
			}
			<-time.After(time.Second + time.Microsecond) // before tick 2
			b.Write("of tick 1")
			b.Read()
			b.Read()
			b.Write("x")
			b.Read()
			return nil
		}, "[x - - x]", ""},
		{"never", func(b *sdk.Bot) error {
			for {
				b.Read()
			}
		}, "[- - - -]", ""},
		{"it returns", func(b *sdk.Bot) error {
			b.Read()
			b.Write("x")
			return nil
		}, "[x - - -]", ""},
		{"it writes without end", func(b *sdk.Bot) error {
			for {
				b.Write("x")
			}
		}, "[x x x x]", ""},
	} {
		for players := range 2 {
			t.Run(fmt.Sprint(tt.name, " with ", players, " players"), func(t *testing.T) {
				lines, log := tickBot(t, 4, players, 0, tt.bot)
				if got := fmt.Sprint(lines); got != tt.want || log != tt.log {
					t.Errorf("got %s, log %q; want %s, log %q", got, log, tt.want, tt.log)
				}
			})
		}
	}
}

func TestSlowBotAnswersEveryTickOfATest(t *testing.T) {
	for players := range 2 {
		lines, _ := tickBot(t, 3, players, 10, func(b *sdk.Bot) error {
			for {
				tick := b.Read()
				<-time.After(time.Minute)
				b.Write("first")
				<-time.After(time.Minute)
				b.Write("last of " + tick)
			}
		})
		if got, want := fmt.Sprint(lines), "[last of 0 last of 1 last of 2]"; got != want {
			t.Errorf("with %d players: got %s, want %s", players, got, want)
		}
	}
}

func TestBotThatDoesNotReadEnds(t *testing.T) {
	const lines = 2 * 1024 // of a kilobyte: two mebibytes
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		got := run(t, testMatch{seats: 1, bots: []bool{true}, bot: func(b *sdk.Bot) error {
			defer close(ended)
			<-time.After(time.Minute)
			b.Read()
			t.Error("the bot reads on")
			return nil
		}, play: func(m *sdk.Match) error {
			for i := range 3 {
				for range lines / 2 {
					m.Tell(0, strings.Repeat("x", 1000))
				}
				if a := m.Tick(1)[0]; (a.Err != nil) != (i > 0) || i == 1 && a.Err != sdk.ErrDisconnected {
					t.Errorf("tick %d: got %+v, want that the bot is gone since the second", i, a)
				}
			}
			return nil
		}})
		<-ended
		if log := got.log.String(); !strings.Contains(log, "has not read") {
			t.Errorf("got the log %q, want why the bot ended", log)
		}
	})
}

func TestTicksThatAreSilentForLongAreNotAborted(t *testing.T) {
	for _, bots := range [][]bool{{true}, {false}} {
		synctest.Test(t, func(t *testing.T) {
			game := sdk.Game{Name: "test", Bot: func(b *sdk.Bot) error { b.Read(); return nil }, Play: func(m *sdk.Match) error {
				m.StayWhenGone()
				for range 3 {
					m.Tick(60)
				}
				return nil
			}}
			d := &testDriver{answers: make([][]any, 1), blocks: time.Minute}
			if bots[0] {
				d.answers = nil
			}
			setup := driver.Setup{Settings: driver.Settings{Players: 1, Timeout: 1}, Names: []string{"a"}, Bots: bots, Stall: time.Second}
			driver.Of(&game).Run(&setup, d)
			if r := d.result(); r.Aborted {
				t.Errorf("bots %v: aborted: %s", bots, r.Reason)
			}
		})
	}
}

func TestSecondRunGetsTheSameTicks(t *testing.T) {
	play := func(answers *[]sdk.Answer) func(m *sdk.Match) error {
		return func(m *sdk.Match) error {
			m.StayWhenGone()
			for range 3 {
				*answers = append(*answers, m.Tick(1)...)
			}
			return errors.New("failed")
		}
	}
	synctest.Test(t, func(t *testing.T) {
		var first, again []sdk.Answer
		g := sdk.Game{Name: "x", Play: play(&first), Bot: func(b *sdk.Bot) error {
			b.Write("of the bot")
			return nil
		}}
		second := g
		second.Play = play(&again)
		driver.Of(&g).OnFailure(func(_ context.Context, why error, run func(driver.Game, func()) error) error {
			return run(driver.Of(&second), func() {})
		})
		d := &testDriver{answers: [][]any{{"a", driver.Timeout}}, blocks: time.Second, took: time.Second}
		setup := driver.Setup{Settings: driver.Settings{Players: 2, Bots: 1, Timeout: 10}, Names: []string{"a", "b"}, Bots: []bool{false, true}}
		driver.Of(&g).Run(&setup, d)
		if !slices.Equal(first, again) || !strings.Contains(d.result().Reason, "failed") {
			t.Errorf("the second run got %v and failed with %q, want %v as in the first", again, d.result().Reason, first)
		}
	})
}
