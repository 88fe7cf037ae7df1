package sdk_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// testDriver keeps the frames of a match and answers with the lines of each seat
// in order; a seat without further lines is disconnected.
type testDriver struct {
	frames   []*driver.Frame
	answers  [][]any // by seat: a line, or the driver.Outcome in its place
	took     time.Duration
	blocks   time.Duration
	now      time.Duration // since the match began
	question *driver.Question
	stopAt   int // the call, from 1, that reports that the match was stopped; 0: none
	calls    int
	log      *testLog
}

// testLog keeps the texts of several goroutines.
type testLog struct {
	mu   sync.Mutex // guards the field below
	text strings.Builder
}

func (l *testLog) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.WriteString(text + "\n")
}

func (l *testLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// testMatch is the match of a test. Only play is required.
type testMatch struct {
	play     func(m *sdk.Match) error
	bot      func(b *sdk.Bot) error
	bots     []bool
	levels   []string
	level    string        // the parameter bot; empty: the game has none
	seats    int           // 0: 2
	timeout  float64       // 0: 10
	think    float64       // the parameter think; 0: the game has none
	answers  [][]any       // by seat
	took     time.Duration // for each question, in the answers
	blocks   time.Duration // for each question, by the clock
	stopAt   int
	seed     uint64
	thoughts int
	judge    time.Duration
	hints    []bool
	begin    []driver.Answer
	after    int // see driver.Setup.JudgeAfter
}

// run plays a match until it ends or is stopped.
func run(t *testing.T, m testMatch) *testDriver {
	t.Helper()
	if m.seats == 0 {
		m.seats = 2
	}
	if m.timeout == 0 {
		m.timeout = 10
	}
	d := &testDriver{answers: m.answers, took: m.took, blocks: m.blocks, stopAt: m.stopAt, log: &testLog{}}
	setup := driver.Setup{
		Settings: driver.Settings{Players: m.seats, Timeout: m.timeout, Params: map[string]string{"rounds": "3"}},
		Seed:     m.seed, Bots: m.bots, Levels: m.levels, Log: d.log.add, Thoughts: m.thoughts, Judge: m.judge, Hints: m.hints, Begin: m.begin, JudgeAfter: m.after,
	}
	for seat := range m.seats {
		setup.Names = append(setup.Names, fmt.Sprintf("P%d", seat))
	}
	game := sdk.Game{Name: "test", Play: m.play, Bot: m.bot}
	if m.think > 0 {
		game.Params = []sdk.Param{sdk.Float(sdk.ThinkParam, "seconds", 1, 0, 100)}
		setup.Settings.Params[sdk.ThinkParam] = fmt.Sprint(m.think)
	}
	if m.level != "" {
		setup.Settings.Params[sdk.BotParam] = m.level
	}
	done := make(chan struct{})
	go func() { // ends with the match
		defer close(done)
		driver.Of(&game).Run(&setup, d)
	}()
	<-done
	return d
}

func (d *testDriver) stopped() bool {
	d.calls++
	return d.calls == d.stopAt
}

func (d *testDriver) Send(frame *driver.Frame) bool {
	if d.stopped() {
		return false
	}
	d.frames = append(d.frames, frame)
	if frame.Question != nil {
		d.question = frame.Question
	}
	return true
}

func (d *testDriver) Wait() ([]driver.Answer, bool) {
	if d.stopped() {
		return nil, false
	}
	d.now += d.took
	<-time.After(d.blocks)
	var answers []driver.Answer
	for _, seat := range d.question.Seats {
		if seat >= len(d.answers) {
			continue // a bot's
		}
		a := driver.Answer{Seat: seat, At: d.now, Outcome: driver.Disconnected}
		if left := d.answers[seat]; len(left) > 0 {
			d.answers[seat] = left[1:]
			switch next := left[0].(type) {
			case string:
				a.Line, a.Outcome = next, driver.Answered
			case driver.Outcome:
				a.Line, a.Outcome = "too late", next
			}
		}
		answers = append(answers, a)
	}
	return answers, true
}

func (d *testDriver) Pause(pause time.Duration) bool {
	if d.stopped() {
		return false
	}
	<-time.After(pause)
	return true
}

// received returns the lines of a seat, or of the spectators when seat is -1.
func (d *testDriver) received(seat int) string {
	var b strings.Builder
	for _, frame := range d.frames {
		for _, text := range frame.Texts {
			if seat >= 0 && text.For(seat) || seat < 0 && text.ForSpectators() {
				b.Write(text.Lines)
			}
		}
	}
	return b.String()
}

// result returns the result of the match, or nil when it was stopped.
func (d *testDriver) result() *driver.Result {
	if len(d.frames) == 0 {
		return nil
	}
	return d.frames[len(d.frames)-1].End
}

// questions returns the questions of all frames.
func (d *testDriver) questions() (all []*driver.Question) {
	for _, frame := range d.frames {
		if frame.Question != nil {
			all = append(all, frame.Question)
		}
	}
	return all
}

// botAnswers returns the bots' answers of all frames.
func (d *testDriver) botAnswers() (all []driver.Answer) {
	for _, frame := range d.frames {
		all = append(all, frame.BotAnswers...)
	}
	return all
}
