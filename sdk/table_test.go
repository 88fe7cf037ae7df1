package sdk_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/sdk"
)

// table is the sdk.Table of these tests. It keeps the turns, and gives the
// answers of the seats in turn; a seat without a line left is gone.
type table struct {
	turns   []*sdk.Turn
	answers [][]any // by seat: a line, or the error it ends by
	took    time.Duration
	slow    time.Duration
	now     time.Duration // since the match began
	ask     *sdk.Ask
	stopAt  int // the call, from 1, that says that the match was stopped; 0: none
	calls   int
	log     *journal
}

// journal keeps what is logged from several goroutines.
type journal struct {
	mu   sync.Mutex // guards the field below
	text strings.Builder
}

func (j *journal) add(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.text.WriteString(text + "\n")
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// match is what these tests say of a match; all but play may be left out.
type match struct {
	play    func(m *sdk.Match) error
	bot     func(b *sdk.Bot) error
	bots    []bool
	seats   int           // 0: 2
	timeout float64       // 0: 10
	answers [][]any       // by seat
	took    time.Duration // for each question, as the answers say
	slow    time.Duration // for each question, in truth
	stopAt  int
	seed    uint64
	think   int // Setup.Thoughts
}

// run plays a match to its end or its stop.
func run(t *testing.T, m match) *table {
	t.Helper()
	if m.seats == 0 {
		m.seats = 2
	}
	if m.timeout == 0 {
		m.timeout = 10
	}
	tb := &table{answers: m.answers, took: m.took, slow: m.slow, stopAt: m.stopAt, log: &journal{}}
	setup := sdk.Setup{
		Settings: sdk.NewSettings(m.seats, 0, m.timeout, map[string]string{"rounds": "3"}),
		Seed:     m.seed, Bots: m.bots, Log: tb.log.add, Thoughts: m.think,
	}
	for seat := range m.seats {
		setup.Names = append(setup.Names, fmt.Sprintf("P%d", seat))
	}
	game := sdk.Game{Name: "test", Play: m.play, Bot: m.bot}
	done := make(chan struct{})
	go func() { // ends with the match
		defer close(done)
		game.Run(setup, tb)
	}()
	<-done
	return tb
}

func (t *table) stopped() bool {
	t.calls++
	return t.calls == t.stopAt
}

func (t *table) Send(turn *sdk.Turn) bool {
	if t.stopped() {
		return false
	}
	t.turns = append(t.turns, turn)
	if turn.Ask != nil {
		t.ask = turn.Ask
	}
	return true
}

func (t *table) Wait() ([]sdk.Answer, bool) {
	if t.stopped() {
		return nil, false
	}
	t.now += t.took
	<-time.After(t.slow)
	var answers []sdk.Answer
	for _, seat := range t.ask.Seats {
		if seat >= len(t.answers) {
			continue // a bot's
		}
		a := sdk.Answer{Seat: seat, At: t.now, Outcome: sdk.ErrDisconnected}
		if left := t.answers[seat]; len(left) > 0 {
			t.answers[seat] = left[1:]
			switch next := left[0].(type) {
			case string:
				a.Line, a.Outcome = next, nil
			case error:
				a.Line, a.Outcome = "too late", next
			}
		}
		answers = append(answers, a)
	}
	return answers, true
}

func (t *table) Pause(d time.Duration) bool {
	if t.stopped() {
		return false
	}
	<-time.After(d)
	return true
}

// sent is what a seat received, or the spectators when seat is -1.
func (t *table) sent(seat int) string {
	var b strings.Builder
	for _, turn := range t.turns {
		for _, text := range turn.Texts {
			if seat >= 0 && text.For(seat) || seat < 0 && text.ForSpectators() {
				b.Write(text.Lines)
			}
		}
	}
	return b.String()
}

// result is how the match ended; nil when it was stopped.
func (t *table) result() *sdk.Result {
	if len(t.turns) == 0 {
		return nil
	}
	return t.turns[len(t.turns)-1].End
}

// questions are all that were put.
func (t *table) questions() (all []*sdk.Ask) {
	for _, turn := range t.turns {
		if turn.Ask != nil {
			all = append(all, turn.Ask)
		}
	}
	return all
}

// botAnswers are those of all turns.
func (t *table) botAnswers() (all []sdk.Answer) {
	for _, turn := range t.turns {
		all = append(all, turn.BotAnswers...)
	}
	return all
}
