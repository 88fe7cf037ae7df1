package match

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// rules are the rules of time of a match in a test.
type rules struct {
	bank, increment float64
	grace, lag      time.Duration
}

// withRules is withMatch for other rules of time.
func withRules(t *testing.T, r rules, players, bots int, f func(t *testing.T, b *testMatch)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, players, bots)
		b.setRules(r)
		b.run(t)
		f(t, b)
	})
}

// setRules sets the rules of time of a match that has not begun.
func (b *testMatch) setRules(r rules) {
	if r.bank > 0 {
		b.record.Clock = &record.Clock{Bank: r.bank, Increment: r.increment}
	}
	b.config.Lag = r.lag
	for i := range b.seats {
		if s := &b.seats[i]; s.player != nil {
			s.clock = newClock(b.record.Clock, b.record.Timeout, r.grace, r.lag)
		}
	}
}

// expectBank checks how much a seat has left for the match, now and in the record of the
// last answer.
func (b *testMatch) expectBank(t *testing.T, seat int, want time.Duration) {
	t.Helper()
	if got := b.Clocks()[seat].Bank; got != want {
		t.Errorf("seat %d has %v in its bank, want %v", seat, got, want)
	}
	for _, a := range slices.Backward(b.answers.all()) {
		if a.Seat == seat {
			if a.Left != want {
				t.Errorf("the record of seat %d has %v left, want %v", seat, a.Left, want)
			}
			return
		}
	}
}

// end ends the match.
func (b *testMatch) end(t *testing.T) {
	t.Helper()
	b.send(&driver.Frame{End: ended(len(b.seats))})
	if !b.over() {
		t.Fatal("the match goes on, want it ended")
	}
}

func TestBankIsUsedUpByAllAnswers(t *testing.T) {
	withRules(t, rules{bank: 10}, 2, 0, func(t *testing.T, b *testMatch) {
		b.ask(600, 0)
		b.answerAfter(4 * time.Second)
		want(t, b.referee.answer(t), "x")
		b.expectBank(t, 0, 6*time.Second)
		b.ask(600, 1) // the clock of seat 0 does not run
		pass(9 * time.Second)
		b.line(1, "y")
		want(t, b.referee.answer(t), "y")
		b.expectBank(t, 0, 6*time.Second)
		b.expectBank(t, 1, time.Second)
		b.ask(600, 0)
		pass(6*time.Second - time.Millisecond)
		want(t, b.referee.answer(t))
		pass(time.Millisecond)
		want(t, b.referee.answer(t), "timeout")
		b.expectBank(t, 0, 0)
		b.ask(600, 0)
		want(t, b.referee.answer(t), "timeout")
		b.end(t)
		if r := b.players[0].result.Players; *r[0].Left != 0 || *r[1].Left != 1000 {
			t.Errorf("the result has %d and %d ms left, want 0 and 1000", *r[0].Left, *r[1].Left)
		}
	})
}

func TestEachTurnAfterTheFirstAddsTheIncrement(t *testing.T) {
	withRules(t, rules{bank: 10, increment: 3}, 1, 0, func(t *testing.T, b *testMatch) {
		for _, left := range []time.Duration{8, 9, 10, 11} {
			b.ask(600, 0)
			b.answerAfter(2 * time.Second)
			want(t, b.referee.answer(t), "x")
			b.expectBank(t, 0, left*time.Second)
		}
		for _, left := range []time.Duration{9, 7} { // the referee refuses the line
			b.resume(600, 0)
			b.answerAfter(2 * time.Second)
			want(t, b.referee.answer(t), "x")
			b.expectBank(t, 0, left*time.Second)
		}
		b.ask(600, 0)
		pass(10*time.Second - time.Millisecond)
		want(t, b.referee.answer(t))
		pass(time.Millisecond)
		want(t, b.referee.answer(t), "timeout")
		b.ask(600, 0)
		pass(3*time.Second - time.Millisecond)
		want(t, b.referee.answer(t))
		b.line(0, "x")
		want(t, b.referee.answer(t), "x")
		b.expectBank(t, 0, time.Millisecond)
	})
}

func TestQuestionLimitsAnAnswerMoreThanTheBank(t *testing.T) {
	withRules(t, rules{bank: 10}, 1, 0, func(t *testing.T, b *testMatch) {
		b.ask(2, 0)
		pass(2*time.Second - time.Millisecond)
		want(t, b.referee.answer(t))
		pass(time.Millisecond)
		want(t, b.referee.answer(t), "timeout")
		b.expectBank(t, 0, 8*time.Second)
		b.ask(5, 0)
		b.answerAfter(3 * time.Second)
		b.resume(5, 0) // 2 seconds of its turn are left
		pass(2*time.Second - time.Millisecond)
		want(t, b.referee.answer(t), "x")
		pass(time.Millisecond)
		want(t, b.referee.answer(t), "timeout")
		b.expectBank(t, 0, 3*time.Second)
	})
}

func TestSeatsOfOneQuestionHaveTheirOwnBanks(t *testing.T) {
	withRules(t, rules{bank: 10, lag: 100 * time.Millisecond}, 3, 1, func(t *testing.T, b *testMatch) {
		b.ask(600, 0)
		b.answerAfter(9 * time.Second)
		want(t, b.referee.answer(t), "x")
		b.ask(600, 0, 1, 2)
		pass(2 * time.Second)
		b.line(0, "late")
		pass(2 * time.Second)
		b.line(2, "z")
		pass(3 * time.Second)
		if clocks := b.Clocks(); clocks[1].Left != 3*time.Second || clocks[1].Bank != 3*time.Second || !clocks[1].Asked || clocks[2].Asked || len(clocks) != 3 {
			t.Errorf("got the clocks %+v, want seat 1 to have 3s", clocks)
		}
		b.line(1, "y")
		want(t, b.referee.answer(t), "timeout", "y", "z")
		b.expectBank(t, 0, 0)
		b.expectBank(t, 1, 3*time.Second)
		b.expectBank(t, 2, 6*time.Second)
		b.end(t)
		r := b.players[0].result.Players
		if r[3].Left != nil || *r[1].Left != 3000 || b.recorder.record.Clock == nil {
			t.Errorf("got the result %+v, want none left for a bot and 3000 ms for seat 1", r)
		}
	})
}

func TestBotsKeepTheirOwnTime(t *testing.T) {
	withRules(t, rules{bank: 1, grace: time.Second, lag: time.Second}, 1, 1, func(t *testing.T, b *testMatch) {
		b.send(&driver.Frame{Question: &driver.Question{Seats: []int{0, 1}, Seconds: 600}})
		b.line(0, "x")
		want(t, b.referee.answer(t), "x")
		pass(20 * time.Second)
		b.send(&driver.Frame{BotAnswers: []driver.Answer{{Seat: 1, Line: "bot", At: 20 * time.Second}}})
		b.end(t)
		wanted := []record.Answer{{Seat: 0, Line: "x", Left: time.Second}, {Seat: 1, Line: "bot", At: 20 * time.Second}}
		if got := b.recorder.record.Answers; !slices.Equal(got, wanted) {
			t.Errorf("got %+v, want %+v", got, wanted)
		}
	})
}

func TestPlayerThatLeavesKeepsItsBank(t *testing.T) {
	withRules(t, rules{bank: 10}, 1, 0, func(t *testing.T, b *testMatch) {
		b.ask(600, 0)
		pass(3 * time.Second)
		b.Leave(0)
		want(t, b.referee.answer(t), "disconnected")
		b.expectBank(t, 0, 10*time.Second)
	})
}

func TestFirstAnswerHasTheStartGrace(t *testing.T) {
	tests := []struct {
		name string
		bank float64
	}{{"without a clock", 0}, {"with a clock", 10}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withRules(t, rules{bank: tt.bank, grace: 2 * time.Second}, 2, 0, func(t *testing.T, b *testMatch) {
				b.ask(10, 0)
				pass(time.Second)
				if c := b.Clocks()[0]; c.Left != 10*time.Second {
					t.Errorf("during the grace it has %v left, want 10s", c.Left)
				}
				pass(10 * time.Second)
				if c := b.Clocks()[0]; c.Left != time.Second {
					t.Errorf("after 11s it has %v left, want 1s", c.Left)
				}
				b.line(0, "x")
				want(t, b.referee.answer(t), "x")
				if tt.bank > 0 {
					b.expectBank(t, 0, time.Second)
				}
				b.ask(1, 0) // the grace is only for the first answer
				pass(time.Second - time.Millisecond)
				want(t, b.referee.answer(t))
				pass(time.Millisecond)
				want(t, b.referee.answer(t), "timeout")

				b.ask(10, 1)
				pass(12*time.Second - time.Millisecond)
				want(t, b.referee.answer(t))
				pass(time.Millisecond)
				want(t, b.referee.answer(t), "timeout")
				b.expectBank(t, 1, 0)
			})
		})
	}
}

func TestStartGraceThatWasNotUsedIsLost(t *testing.T) {
	withRules(t, rules{bank: 60, grace: 2 * time.Second}, 1, 0, func(t *testing.T, b *testMatch) {
		b.ask(10, 0)
		b.answerAfter(time.Second) // all within the grace
		b.expectBank(t, 0, 60*time.Second)
		b.resume(10, 0)
		want(t, b.referee.answer(t), "x")
		pass(10*time.Second - time.Millisecond)
		want(t, b.referee.answer(t))
		pass(time.Millisecond)
		want(t, b.referee.answer(t), "timeout")
		b.expectBank(t, 0, 50*time.Second)
	})
}

func TestLineWrittenAheadCostsNothing(t *testing.T) {
	withRules(t, rules{bank: 10, lag: time.Second}, 1, 0, func(t *testing.T, b *testMatch) {
		b.players[0].setLag(time.Second)
		b.line(0, "x")
		pass(5 * time.Second)
		b.ask(600, 0)
		want(t, b.referee.answer(t), "x")
		b.expectBank(t, 0, 10*time.Second)
		if f := b.seats[0].forgiven; f != 0 {
			t.Errorf("%v were forgiven, want nothing", f)
		}
	})
}

func TestOtherPlayersLearnOfABrokenConnection(t *testing.T) {
	withMatch(t, 2, 1, func(t *testing.T, b *testMatch) {
		until := time.Now().Add(time.Minute)
		b.Away(0, time.Time{}) // it was not away
		b.Away(0, until)
		b.Away(0, until.Add(time.Second)) // the same break
		if c := b.Clocks(); !c[0].Away.Equal(until.Add(time.Second)) || !c[1].Away.IsZero() {
			t.Errorf("got the clocks %+v, want only A away until %v", c, until.Add(time.Second))
		}
		b.Away(0, time.Time{})
		b.Away(0, until)
		b.end(t)
		b.Away(0, time.Time{}) // too late
		want(t, b.players[1].aways, "A is away for 1m0s", "A is away for 1m1s", "A is back", "A is away for 1m0s")
		want(t, b.players[0].aways)
		if r := b.players[1].result.Players; r[0].Away != 2 || r[1].Away != 0 {
			t.Errorf("got the result %+v, want 2 breaks for A", r)
		}
	})
}

func TestRefereeKnowsTheBanks(t *testing.T) {
	withRules(t, rules{bank: 10, increment: 2}, 2, 1, func(t *testing.T, b *testMatch) {
		for i, want := range [][2]float64{{10, 2}, {10, 2}, {0, 0}} { // the last one is a bot
			if s := b.referee.setup.Banks[i]; s.Start != want[0] || s.Increment != want[1] {
				t.Errorf("seat %d starts with %v+%v s, want %v", i, s.Start, s.Increment, want)
			}
		}
		b.ask(600, 1, 0)
		pass(time.Second)
		b.line(0, "x")
		pass(2*time.Second + time.Millisecond)
		b.line(1, "y")
		synctest.Wait()
		var left []time.Duration
		for _, a := range <-b.referee.answers {
			left = append(left, a.Left)
		}
		if want := []time.Duration{6999 * time.Millisecond, 9 * time.Second}; !slices.Equal(left, want) {
			t.Errorf("after the answers they have %v left, want %v", left, want)
		}
		b.end(t)
	})
}
