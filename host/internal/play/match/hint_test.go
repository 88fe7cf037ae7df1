package match

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// withHints starts a match of two players with retries. The first has asked for hints, and its
// questions are added to what it got.
func withHints(t *testing.T, retries int, f func(t *testing.T, b *testMatch)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 2, 0)
		b.record.Retries = retries
		b.seats[0].tell = func(q protocol.MatchQuestion) {
			b.players[0].Send(fmt.Appendf(nil, "{%d: %s %v+%v %vs %d}", q.Number, strings.Join(q.Answers, "/"), q.More, q.Examples, q.Seconds, q.Retries))
		}
		b.run(t)
		f(t, b)
	})
}

// got returns what a player has received since the last call.
func (p *fakePlayer) took() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.got
	p.got = ""
	return got
}

func (p *fakePlayer) want(t *testing.T, want string) {
	t.Helper()
	if got := p.took(); got != want {
		t.Errorf("%s got %q, want %q", p.name, got, want)
	}
}

// askedAB returns a frame that asks seats which can answer a or b.
func askedAB(seconds float64, seats ...int) *driver.Frame {
	q := &driver.Question{Seats: seats, Seconds: seconds}
	for _, seat := range seats {
		q.Hints = append(q.Hints, driver.Hint{Seat: seat, Answers: []string{"a", "b"}})
	}
	return &driver.Frame{Texts: []driver.Text{all("go\n")}, Question: q}
}

func TestOnlyPlayersThatAskForHintsGetThem(t *testing.T) {
	withHints(t, 0, func(t *testing.T, b *testMatch) {
		if got := fmt.Sprint(b.referee.setup.Hints); got != "[true false]" {
			t.Errorf("the game gives hints for the seats %v, want [true false]", got)
		}
		b.send(askedAB(5, 0, 1))
		b.players[0].want(t, "go\n{1: a/b false+false 5s 0}")
		b.players[1].want(t, "go\n")
		b.line(0, "a")
		b.line(1, "x") // strict
		want(t, b.referee.answer(t), "a", "x")
		f := askedAB(2, 0)
		f.Question.Hints[0] = driver.Hint{Answers: []string{"e4", "two\nlines", "\xff"}, Examples: true}
		b.send(f)
		b.players[0].want(t, "go\n{2: e4 true+true 2s 0}")
		b.line(0, "Nf3")
		want(t, b.referee.answer(t), "Nf3")
		b.ask(1, 0) // a game in another language that knows no hints
		b.players[0].want(t, "{3:  false+false 1s 0}")
	})
}

func TestPlayerThatComesBackGetsTheOpenQuestionAgain(t *testing.T) {
	withHints(t, 0, func(t *testing.T, b *testMatch) {
		b.send(askedAB(5, 0))
		b.players[0].took()
		b.Away(0, time.Now().Add(time.Minute))
		pass(2 * time.Second)
		b.Away(0, time.Time{})
		b.players[0].want(t, "{1: a/b false+false 3s 0}")
		b.line(0, "a")
		b.Away(0, time.Time{}) // on another connection, before the host knew that the first has broken
		b.players[0].want(t, "")
	})
}

func TestRefusedAnswersContinueTheTurn(t *testing.T) {
	withHints(t, 2, func(t *testing.T, b *testMatch) {
		b.send(askedAB(10, 0, 1))
		b.players[0].want(t, "go\n{1: a/b false+false 10s 2}")
		b.line(1, "b")
		pass(4 * time.Second)
		b.line(0, "x\x1by")
		b.players[0].want(t, "illegal: x\ufffdy, try again\n{2: a/b false+false 6s 1}")
		b.players[1].want(t, "go\n")
		want(t, b.referee.answer(t))
		pass(5 * time.Second)
		b.line(0, "")
		b.players[0].want(t, "illegal: , try again\n{3: a/b false+false 1s 0}")
		b.line(0, "c") // no retry is left: the referee judges
		want(t, b.referee.answer(t), "c", "b")
		b.send(askedAB(10, 0))
		b.players[0].want(t, "go\n{4: a/b false+false 10s 2}")
		b.line(0, "x")
		b.players[0].took()
		pass(10 * time.Second)
		want(t, b.referee.answer(t), "timeout")
		b.send(&driver.Frame{End: ended(2)})
		if !b.over() {
			t.Fatal("the match goes on, want its end")
		}
		var list []string
		for _, a := range b.recorder.record.Answers {
			list = append(list, fmt.Sprintf("%d %s %s %v", a.Seat, a.Line, a.Outcome, a.At))
		}
		want(t, list, "0 x\x1by refused 4s", "0  refused 9s", "0 c  9s", "1 b  0s", "0 x refused 9s", "0  timeout 19s")
		if n := b.recorder.record.Seats[0].Refused; n != 3 || b.recorder.begun.Retries != 2 {
			t.Errorf("the record has %d refused answers of a match with %d retries, want 3 and 2", n, b.recorder.begun.Retries)
		}
	})
}

func TestLinesAheadAreRefusedOneByOne(t *testing.T) {
	withHints(t, 3, func(t *testing.T, b *testMatch) {
		b.record.Clock = &record.Clock{Bank: 10}
		for _, line := range []string{"x", "y", "b", "a"} {
			b.line(1, line)
		}
		b.send(askedAB(5, 1))
		want(t, b.referee.answer(t), "b")
		b.players[1].want(t, "go\nillegal: x, try again\nillegal: y, try again\n")
		b.send(askedAB(5, 1))
		want(t, b.referee.answer(t), "a")
	})
}

// Only the game knows which answers are legal if its list is not complete, or there is none.
func TestTheHostRefusesOnlyByCompleteLists(t *testing.T) {
	for name, change := range map[string]func(q *driver.Question){
		"examples": func(q *driver.Question) { q.Hints[0].Examples = true },
		"more":     func(q *driver.Question) { q.Hints[0].More = true },
		"no list":  func(q *driver.Question) { q.Hints[0].Answers = nil },
		"no hint":  func(q *driver.Question) { q.Hints = nil },
		"a tick":   func(q *driver.Question) { q.Tick = true },
	} {
		t.Run(name, func(t *testing.T) {
			withHints(t, 2, func(t *testing.T, b *testMatch) {
				f := askedAB(1, 1)
				change(f.Question)
				b.send(f)
				b.line(1, "x")
				pass(time.Second)
				want(t, b.referee.answer(t), "x")
				b.players[1].want(t, "go\n")
			})
		})
	}
}

func TestHintsThatBreakTheRulesAbortTheMatch(t *testing.T) {
	for name, change := range map[string]func(q *driver.Question){
		"another seat": func(q *driver.Question) { q.Hints[0].Seat = 1 },
		"two":          func(q *driver.Question) { q.Hints = append(q.Hints, q.Hints[0]) },
		"many answers": func(q *driver.Question) { q.Hints[0].Answers = make([]string, driver.MaxHintAnswers+1) },
		"long answers": func(q *driver.Question) { q.Hints[0].Answers = []string{strings.Repeat("x", driver.MaxHintBytes+1)} },
	} {
		t.Run(name, func(t *testing.T) {
			withHints(t, 0, func(t *testing.T, b *testMatch) {
				f := askedAB(1, 0)
				change(f.Question)
				b.send(f)
				b.aborted(t, "hint")
			})
		})
	}
}
