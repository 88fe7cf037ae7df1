package sdk_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

var botOnSeat1 = []bool{false, true}

// reply is what the referee gets for one question.
type reply struct {
	line string
	err  error
	took time.Duration
}

// askBot plays a match in which the bot on seat 1 is asked n times, and returns
// the replies. It fails when a goroutine is left.
func askBot(t *testing.T, n int, m testMatch) (replies []reply, got *testDriver) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if m.bots == nil {
			m.bots = botOnSeat1
		}
		if m.play == nil {
			m.play = func(m *sdk.Match) error {
				for range n {
					asked := time.Now()
					line, err := m.AskLine(1)
					replies = append(replies, reply{line, err, time.Since(asked)})
					m.Pardon(1)
				}
				return nil
			}
		}
		got = run(t, m)
		<-time.After(time.Hour) // until a bot that sleeps finds that the match has ended
	})
	return replies, got
}

func TestBotReadsWhatItsSeatReceives(t *testing.T) {
	var read []string
	_, got := askBot(t, 0, testMatch{
		answers: [][]any{{"1"}},
		play: func(m *sdk.Match) error {
			m.TellAll("all")
			m.Tell(0, "zero")
			m.Tell(1, "one\ntwo")
			m.Show("shown")
			m.TellOthers(0, "not zero")
			m.TellOthers(1, "not one")
			answers := m.AskAll([][]string{digits, digits})
			if want := []sdk.Answer{{Seat: 0, Line: "1"}, {Seat: 1, Line: "0"}}; !slices.Equal(answers, want) {
				t.Errorf("got answers %+v, want %+v", answers, want)
			}
			m.TellAll("end")
			if line, err := m.Ask(1, digits); line != "" || err != sdk.ErrIllegal {
				t.Errorf("an illegal answer: got %q, %v, want %v", line, err, sdk.ErrIllegal)
			}
			return nil
		},
		bot: func(b *sdk.Bot) error {
			for range 4 {
				read = append(read, b.Read())
			}
			b.Write(" 0 \r\n")
			read = append(read, b.Read())
			b.Write("illegal")
			return nil
		},
	})
	if want := []string{"all", "one", "two", "not zero", "end"}; !reflect.DeepEqual(read, want) {
		t.Errorf("the bot read %q, want %q", read, want)
	}
	recorded := got.botAnswers()
	for i := range recorded {
		recorded[i].At = 0
	}
	if want := []driver.Answer{{Seat: 1, Line: "0"}, {Seat: 1, Line: "illegal"}}; !reflect.DeepEqual(recorded, want) {
		t.Errorf("recorded %v, want %v", recorded, want)
	}
	if ended := got.result().Seats[1].Ended; ended != "forfeit: illegal" {
		t.Errorf("the bot ended as %q, want %q", ended, driver.ForfeitIllegal)
	}
}

func TestNotesOfABotGoWithItsNextLine(t *testing.T) {
	_, got := askBot(t, 4, testMatch{timeout: 2, bot: func(b *sdk.Bot) error {
		b.Note("replaced")
		b.Note(" depth 9\x00\n")
		b.Write("one\ntwo")
		b.Note("late")
		<-time.After(3 * time.Second)
		b.Write("three")
		b.Read()
		return nil
	}})
	var notes []string
	for _, a := range got.botAnswers() {
		notes = append(notes, a.Line+": "+a.Note)
	}
	if want := []string{"one: depth 9\ufffd", "two: ", ": ", "three: late"}; !reflect.DeepEqual(notes, want) {
		t.Errorf("got the notes %q, want %q", notes, want)
	}
}

func TestBotRepeatsTheLinesOfAnEarlierMatch(t *testing.T) {
	var sent []string
	replies, got := askBot(t, 3, testMatch{
		begin: []driver.Answer{{Seat: 1, Line: "first"}, {Seat: 0, Line: "other"}, {Seat: 1, Line: "second"}},
		bot: func(b *sdk.Bot) error {
			for i := range 3 {
				if b.Note("note"); b.Thinking() != (i == 2) {
					t.Errorf("line %d: thinking %v, want it only where the bot chooses", i, i != 2)
				}
				sent = append(sent, b.Write(fmt.Sprint("own ", i)))
			}
			return nil
		},
	})
	if want := []string{"first", "second", "own 2"}; !slices.Equal(sent, want) || replies[0].line != "first" || replies[1].line != "second" || replies[2].line != "own 2" {
		t.Errorf("the bot sent %q and the referee got %v, want %q", sent, replies, want)
	}
	for i, a := range got.botAnswers() {
		if (a.Note != "") != (i == 2) {
			t.Errorf("answer %d has the note %q, want one only with the bot's own line", i, a.Note)
		}
	}
}

func TestBotThatWaitsForALineWhenItIsAskedForfeitsAtOnce(t *testing.T) {
	replies, got := askBot(t, 1, testMatch{bot: func(b *sdk.Bot) error {
		b.Read()
		t.Error("Read returned, want the match to end the bot")
		return nil
	}})
	if want := (reply{err: sdk.ErrTimeout}); replies[0] != want {
		t.Errorf("answer %+v, want a timeout at once", replies[0])
	}
	if want := "waits for a line while the referee waits"; !strings.Contains(got.log.String(), want) {
		t.Errorf("log %q, want %q", got.log, want)
	}
}

func TestSlowBotIsLate(t *testing.T) {
	replies, _ := askBot(t, 2, testMatch{timeout: 2, bot: func(b *sdk.Bot) error {
		<-time.After(3 * time.Second)
		b.Write("late")
		b.Read()
		return nil
	}})
	if want := (reply{"", sdk.ErrTimeout, 2 * time.Second}); replies[0] != want {
		t.Errorf("first answer %+v, want %+v", replies[0], want)
	}
	if want := (reply{"late", nil, time.Second}); replies[1] != want {
		t.Errorf("second answer %+v, want %+v", replies[1], want)
	}
}

func TestSlowMachineMakesNoBotLateInATest(t *testing.T) {
	for _, tt := range []struct {
		takes time.Duration
		err   error
	}{{4 * time.Minute, nil}, {6 * time.Minute, sdk.ErrTimeout}} {
		replies, _ := askBot(t, 1, testMatch{thoughts: 1, timeout: 2, bot: func(b *sdk.Bot) error {
			<-time.After(tt.takes)
			b.Write("1")
			return nil
		}})
		if replies[0].err != tt.err {
			t.Errorf("after %v: %+v, want %v", tt.takes, replies[0], tt.err)
		}
	}
}

func TestAnswerOfABotComesInWholeMilliseconds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		think  int // Setup.Thoughts
		at     time.Duration
		passed float64 // Elapsed
	}{
		{"as it is recorded", 0, 1002 * time.Millisecond, 1.002},
		{"in a test, at once", 1, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, got := askBot(t, 0, testMatch{
				thoughts: tt.think,
				play: func(m *sdk.Match) error {
					_, _ = m.AskLine(1)
					if m.Elapsed() != tt.passed {
						t.Errorf("%v s have passed, want %v", m.Elapsed(), tt.passed)
					}
					return nil
				},
				bot: func(b *sdk.Bot) error {
					<-time.After(time.Second + 2999*time.Microsecond)
					b.Write("1")
					return nil
				},
			})
			if answers := got.botAnswers(); len(answers) != 1 || answers[0].At != tt.at {
				t.Errorf("recorded %+v, want one answer at %v", answers, tt.at)
			}
		})
	}
}

func TestAnswerAtTheLastMomentDoesNotShortenTheNext(t *testing.T) {
	for range 100 { // timer and bot come in random order
		replies, _ := askBot(t, 2, testMatch{timeout: 1, bot: func(b *sdk.Bot) error {
			<-time.After(time.Second)
			b.Write("just so")
			<-time.After(time.Minute)
			return nil
		}})
		// The first answer can be late or in time; the second is late after its own
		// second.
		if replies[0].took != time.Second || replies[1].err != nil && replies[1].took != time.Second {
			t.Fatalf("replies %+v, want each after a second or in time", replies)
		}
	}
}

func TestBotThatEndsIsDisconnected(t *testing.T) {
	tests := []struct {
		name string
		bot  func(b *sdk.Bot) error
		log  string
	}{
		{"returns", func(b *sdk.Bot) error { return nil }, ""},
		{"fails", func(b *sdk.Bot) error { return errors.New("no idea") }, "bot: no idea"},
		{"panics", func(b *sdk.Bot) error { panic("oh") }, ": oh in a function literal\ngoroutine "},
		{"panics with its place", func(b *sdk.Bot) error { var none []int; return fmt.Errorf("%d", none[0]) }, "bot: bot_test.go:"},
		{"ends its goroutine", func(b *sdk.Bot) error { runtime.Goexit(); return nil }, ""},
		{"is nil", nil, "bot: panic: nil pointer dereference"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			replies, got := askBot(t, 1, testMatch{bot: tt.bot})
			if want := (reply{err: sdk.ErrDisconnected}); replies[0] != want {
				t.Errorf("answer %+v, want %+v", replies[0], want)
			}
			if log := got.log.String(); !strings.Contains(log, tt.log) || tt.log == "" && log != "" {
				t.Errorf("log %q, want %q", log, tt.log)
			}
			if got.result().Aborted {
				t.Error("the match is aborted: a bot is a player")
			}
		})
	}
}

func TestLinesOfABotCountAfterItEnds(t *testing.T) {
	replies, _ := askBot(t, 3, testMatch{bot: func(b *sdk.Bot) error {
		b.Write("one")
		b.Write("two")
		return nil
	}})
	for i, want := range []reply{{line: "one"}, {line: "two"}, {err: sdk.ErrDisconnected}} {
		if replies[i] != want {
			t.Errorf("answer %d: %+v, want %+v", i, replies[i], want)
		}
	}
}

func TestLineFeedMakesSeveralAnswers(t *testing.T) {
	replies, _ := askBot(t, 3, testMatch{bot: func(b *sdk.Bot) error {
		b.Write("one\ntwo\r\n\n")
		b.Read()
		return nil
	}})
	for i, want := range []string{"one", "two", ""} {
		if replies[i].line != want || replies[i].err != nil {
			t.Errorf("answer %d: %+v, want %q", i, replies[i], want)
		}
	}
}

func TestBotEndsWithTheMatch(t *testing.T) {
	tests := []struct {
		name string
		bot  func(b *sdk.Bot) error
	}{
		{"reading", func(b *sdk.Bot) error {
			for {
				b.Read()
			}
		}},
		{"writing", func(b *sdk.Bot) error {
			for {
				b.Write("0")
			}
		}},
		{"thinking", func(b *sdk.Bot) error {
			b.Read()
			for b.Thinking() {
				<-time.After(time.Millisecond)
			}
			b.Write("0")
			b.Read()
			return nil
		}},
	}
	for _, tt := range tests {
		for _, how := range []string{"end", "stop"} {
			t.Run(tt.name+" at the "+how, func(t *testing.T) {
				cleaned := make(chan bool, 1)
				m := testMatch{
					answers: [][]any{{"0"}}, bots: botOnSeat1,
					play: func(m *sdk.Match) error {
						m.TellAll("go")
						m.AskAll([][]string{digits, digits})
						return nil
					},
					bot: func(b *sdk.Bot) error {
						defer func() { cleaned <- true }()
						return tt.bot(b)
					},
				}
				if how == "stop" {
					m.stopAt = 2 // while the answers are awaited
				}
				askBot(t, 0, m)
				if !<-cleaned {
					t.Error("the bot's deferred functions did not run")
				}
			})
		}
	}
}

func TestBotThinksForAShareOfItsTime(t *testing.T) {
	tests := []struct {
		name    string
		timeout float64 // of the match
		asked   float64 // of the question; 0: the same
		think   float64 // the parameter; 0: the game has none
		want    time.Duration
	}{
		{"a quarter of a second", 30, 0, 0, 250 * time.Millisecond},
		{"a quarter of the timeout", 0.4, 0, 0, 100 * time.Millisecond},
		{"a quarter of a shorter question", 30, 0.1, 0, 25 * time.Millisecond},
		{"a longer question", 0.4, 30, 0, 250 * time.Millisecond},
		{"the parameter", 30, 0, 2.5, 2500 * time.Millisecond},
		{"a parameter below a quarter of a second", 30, 0, 0.01, 10 * time.Millisecond},
		{"a parameter above a quarter of the timeout", 30, 0, 10, 7500 * time.Millisecond},
		{"a parameter above a quarter of a shorter question", 30, 2, 10, 500 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var thought time.Duration
			askBot(t, 0, testMatch{
				timeout: tt.timeout, think: tt.think,
				play: func(m *sdk.Match) error {
					if tt.asked > 0 {
						m.SetTimeout(tt.asked)
					}
					<-time.After(time.Hour) // the time counts since Read
					m.TellAll("go")
					if _, err := m.AskLine(1); err != nil {
						t.Errorf("got error %v, want none", err)
					}
					return nil
				},
				bot: func(b *sdk.Bot) error {
					b.Read()
					start := time.Now()
					for b.Thinking() {
						<-time.After(time.Millisecond)
					}
					thought = time.Since(start)
					b.Write("0")
					return nil
				},
			})
			if thought != tt.want {
				t.Errorf("it thought for %v, want %v", thought, tt.want)
			}
		})
	}
}

func TestBotThinksByCountInTests(t *testing.T) {
	var counts []int
	askBot(t, 0, testMatch{
		thoughts: 7,
		play: func(m *sdk.Match) error {
			for range 3 {
				m.TellAll("go")
				m.AskLine(1)
			}
			return nil
		},
		bot: func(b *sdk.Bot) error {
			for range 3 {
				b.Read()
				n := 0
				for b.Thinking() {
					n++
					<-time.After(time.Second)
				}
				counts = append(counts, n)
				b.Write("0")
			}
			return nil
		},
	})
	if want := []int{7, 7, 7}; !reflect.DeepEqual(counts, want) {
		t.Errorf("Thinking returned true %v times, want %v", counts, want)
	}
}

func TestBotCannotWriteAheadWithoutBound(t *testing.T) {
	written := 0
	askBot(t, 0, testMatch{
		play: func(m *sdk.Match) error {
			synctest.Wait() // until the bot blocks
			if written != 1024 {
				t.Errorf("the bot wrote %d lines ahead, want 1024", written)
			}
			for want := range 3000 {
				if line, err := m.AskLine(1); line != fmt.Sprint(want) || err != nil {
					t.Fatalf("answer %d is %q, %v", want, line, err)
				}
			}
			return nil
		},
		bot: func(b *sdk.Bot) error {
			for ; ; written++ {
				b.Write(fmt.Sprint(written))
			}
		},
	})
}

func TestEachBotDrawsFromItsOwnStream(t *testing.T) {
	var drawn []int
	match := testMatch{
		seats: 3, seed: 5, bots: []bool{true, true, true},
		play: func(m *sdk.Match) error {
			m.AskAll([][]string{digits, digits, digits})
			for range 20 {
				drawn = append(drawn, m.Rand(1000))
			}
			return nil
		},
	}
	numbers := make(chan []int, 3)
	match.bot = func(b *sdk.Bot) error {
		var mine []int
		for range 20 {
			mine = append(mine, b.Rand(1000))
		}
		numbers <- mine
		b.Write("0")
		return nil
	}
	run(t, match)
	got := map[string]bool{fmt.Sprint(drawn): true}
	for range 3 {
		got[fmt.Sprint(<-numbers)] = true
	}
	for seat := range uint64(3) {
		want, r := []int{}, driver.NewRand(5, driver.StreamBots+seat)
		for range 20 {
			want = append(want, r.Intn(1000))
		}
		if !got[fmt.Sprint(want)] {
			t.Errorf("no bot drew %v, as the one on seat %d should", want, seat)
		}
	}
	if len(got) != 4 {
		t.Errorf("referee and three bots drew %d different sequences, want 4", len(got))
	}
}

func TestSeatKnowsTheSettings(t *testing.T) {
	askBot(t, 0, testMatch{
		play: func(m *sdk.Match) error {
			_, err := m.Ask(1, []string{"2 3"})
			if err != nil {
				t.Error(err)
			}
			return nil
		},
		bot: func(b *sdk.Bot) error {
			b.Write(fmt.Sprint(b.Players(), b.Int("rounds")))
			return nil
		},
	})
}

func TestEachBotHasItsLevel(t *testing.T) {
	levels := make([]string, 3)
	run(t, testMatch{
		seats: 3, bots: []bool{true, true, true}, levels: []string{"easy", "", "random"}, level: "strong",
		play: func(m *sdk.Match) error {
			for seat, a := range m.AskLines([]int{0, 1, 2}) {
				levels[seat] = a.Line
			}
			if got := m.Choice(sdk.BotParam); got != "strong" {
				t.Errorf("the referee has the level %q, want that of the parameter", got)
			}
			return nil
		},
		bot: func(b *sdk.Bot) error {
			b.Write(b.Choice(sdk.BotParam) + " of " + b.Text("rounds"))
			b.Read()
			return nil
		},
	})
	if want := []string{"easy of 3", "strong of 3", "random of 3"}; !slices.Equal(levels, want) {
		t.Errorf("the bots have the levels %q, want %q", levels, want)
	}
}

func TestBotKnowsTheTimeThatIsLeft(t *testing.T) {
	for _, tt := range []struct {
		thoughts int
		want     []float64
	}{
		{0, []float64{7, 4, 0.5}},
		{1, []float64{10, 10, 0.5}}, // nothing is used up
	} {
		synctest.Test(t, func(t *testing.T) {
			var got []float64
			run(t, testMatch{bots: []bool{true, false}, thoughts: tt.thoughts, play: func(m *sdk.Match) error {
				for i := range 3 {
					if i == 2 {
						m.SetTimeout(0.5)
					}
					m.Tell(0, "go")
					m.AskLine(0)
					m.Resume(0)
				}
				return nil
			}, bot: func(b *sdk.Bot) error {
				for i := range 3 {
					b.Read()
					synctest.Wait() // until the referee waits for the answer
					if i < 2 {
						time.Sleep(3 * time.Second)
					}
					got = append(got, b.TimeLeft())
					b.Write("x")
				}
				return nil
			}})
			if want := tt.want; !slices.Equal(got, want) {
				t.Errorf("with %d thoughts: got %v s left, want %v", tt.thoughts, got, want)
			}
		})
	}
}
