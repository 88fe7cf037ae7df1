package match

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

func TestClockStartsWhenTheQuestionIsWritten(t *testing.T) {
	tests := []struct {
		name    string
		written time.Duration // after the question
		answer  time.Duration // after that
		want    string
	}{
		{"at once, in time", 0, 9999 * time.Millisecond, "x"},
		{"at once, late", 0, 10001 * time.Millisecond, "timeout"},
		{"late, in time", 12 * time.Second, 9999 * time.Millisecond, "x"},
		{"late, late", 12 * time.Second, 10001 * time.Millisecond, "timeout"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
				if tt.written > 0 {
					b.players[0].jam()
				}
				b.send(&driver.Frame{Texts: []driver.Text{all("go\n")}, Question: &driver.Question{Seats: []int{0}, Seconds: 10}})
				if tt.written > 0 {
					pass(tt.written)
					b.players[0].release()
				}
				pass(tt.answer)
				b.line(0, "x")
				pass(time.Second) // a question that was written late is checked every second
				want(t, b.referee.answer(t), tt.want)
			})
		})
	}
}

func TestTimeIsUpToTheMillisecond(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		b.ask(0.1, 0)
		pass(99 * time.Millisecond)
		want(t, b.referee.answer(t))
		pass(time.Millisecond)
		want(t, b.referee.answer(t), "timeout")
		if at := b.answers.all()[0].At; at != 100*time.Millisecond {
			t.Errorf("the record has the timeout at %v, want 100ms", at)
		}
	})
}

func TestLateAnswerIsLateEvenWhenTheMatchStillWaitsForAnother(t *testing.T) {
	withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
		b.players[1].jam()
		b.ask(10, 0, 1)
		pass(9 * time.Second)
		b.players[1].release() // its time ends at 19 s
		pass(2 * time.Second)
		b.line(0, "too late") // 11 s
		b.line(1, "in time")
		want(t, b.referee.answer(t), "timeout", "in time")
	})
}

func TestDelayOfTheHostIsNoDelayOfThePlayer(t *testing.T) {
	tests := []struct {
		name    string
		arrived time.Duration // after the question, which allows 1 s
		want    string
	}{
		{"arrived in time, read late", 999 * time.Millisecond, "x"},
		{"arrived late, read later", 1001 * time.Millisecond, "timeout"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
				b.ask(1, 0)
				b.players[0].setUnread(true)
				pass(5 * time.Second)
				want(t, b.referee.answer(t))
				b.Line(0, "x", b.start.Add(tt.arrived))
				b.players[0].setUnread(false)
				pass(readAgain)
				want(t, b.referee.answer(t), tt.want)
			})
		})
	}
}

func TestUnreadBytesDelayAMatchForALimitedTime(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		b.ask(1, 0)
		b.players[0].setUnread(true)
		pass(time.Second + maxUnread - readAgain)
		want(t, b.referee.answer(t))
		pass(2 * readAgain)
		want(t, b.referee.answer(t), "timeout")
	})
}

func TestPlayerThatNeverReadsIsCut(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		b.players[0].jam()
		b.ask(10, 0)
		pass(10*time.Second + maxUnwritten - time.Millisecond)
		want(t, b.referee.answer(t))
		pass(time.Second)
		want(t, b.referee.answer(t), "timeout")
		want(t, b.list, "begin", "cut A")
	})
}

func TestPlayerThatReadsButDoesNotAnswerIsNotCut(t *testing.T) {
	withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
		b.ask(10, 0, 1)
		b.line(1, "x")
		pass(11 * time.Second)
		want(t, b.referee.answer(t), "timeout", "x")
		want(t, b.list, "begin")
	})
}

func TestClocksShowTheTimeLeftOfThePlayersThatTheMatchWaitsFor(t *testing.T) {
	withMatch(t, 2, 1, func(t *testing.T, b *testMatch) {
		clocks := func(wanted map[string]time.Duration) {
			t.Helper()
			got := map[string]time.Duration{}
			for _, c := range b.Clocks() {
				if c.Asked {
					got[c.Name] = c.Left
				}
			}
			if !maps.Equal(got, wanted) {
				t.Errorf("got the clocks %v, want %v", got, wanted)
			}
		}
		clocks(map[string]time.Duration{})
		b.players[1].jam()
		b.send(&driver.Frame{Texts: []driver.Text{all("go\n")}, Question: &driver.Question{Seats: []int{0, 1}, Seconds: 10}})
		pass(3 * time.Second)
		clocks(map[string]time.Duration{"A": 7 * time.Second, "B": 10 * time.Second})
		b.players[1].release()
		pass(2 * time.Second)
		clocks(map[string]time.Duration{"A": 5 * time.Second, "B": 8 * time.Second})
		b.line(0, "x")
		clocks(map[string]time.Duration{"B": 8 * time.Second})
		pass(8 * time.Second)
		clocks(map[string]time.Duration{})
		want(t, b.referee.answer(t), "x", "timeout")
	})
}

func TestTimeUsedRunsFromTheWrittenQuestionToTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 2, 0)
		used := map[int][]time.Duration{}
		b.config.Took = func(seat int, s record.Spent) { used[seat] = append(used[seat], s.Wall) }
		b.run(t)
		b.line(1, "ahead")
		pass(time.Second)
		b.players[0].jam()
		b.ask(10, 0, 1)
		pass(2 * time.Second)
		b.players[0].release()
		pass(300 * time.Millisecond)
		b.line(0, "x") // asked 2.3 s ago, written 0.3 s ago
		b.ask(10, 0)
		pass(11 * time.Second) // late: no answer, no time
		b.ask(10, 1)
		pass(5 * time.Millisecond)
		b.line(1, "y")
		if want := []time.Duration{300 * time.Millisecond}; !slices.Equal(used[0], want) {
			t.Errorf("seat 0 used %v, want %v", used[0], want)
		}
		if want := []time.Duration{0, 5 * time.Millisecond}; !slices.Equal(used[1], want) {
			t.Errorf("seat 1 used %v, want %v", used[1], want)
		}
	})
}

// resume sends a question that resumes the turns of its seats.
func (b *testMatch) resume(seconds float64, seats ...int) {
	b.send(&driver.Frame{Texts: []driver.Text{all("again\n")}, Question: &driver.Question{Seats: seats, Seconds: seconds, Resumed: seats}})
}

// answerAfter waits and then sends a line of seat 0.
func (b *testMatch) answerAfter(wait time.Duration) {
	pass(wait)
	b.line(0, "x")
}

func TestTurnHasOneClock(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name  string
		first time.Duration      // of the 10 s of its turn that seat 0 uses; 0: it is not asked
		then  func(b *testMatch) // asks seat 0 last
		left  time.Duration      // that it then has
	}{
		{"it is resumed", 3 * s, func(b *testMatch) { b.resume(10, 0) }, 7 * s},
		{"it is resumed twice", 3 * s, func(b *testMatch) {
			b.resume(10, 0)
			b.answerAfter(4 * s)
			b.resume(10, 0)
		}, 3 * s},
		{"another begins", 3 * s, func(b *testMatch) { b.ask(10, 0) }, 10 * s},
		{"lines written ahead cost nothing", 0, func(b *testMatch) {
			b.line(0, "x")
			b.line(0, "y")
			b.ask(10, 0)
			b.resume(10, 0)
			b.resume(10, 0)
		}, 10 * s},
		{"it stops while another seat is asked", 3 * s, func(b *testMatch) {
			b.ask(10, 1)
			pass(9 * s)
			b.line(1, "no")
			b.resume(10, 0)
		}, 7 * s},
		{"it stops while the referee works", 3 * s, func(b *testMatch) {
			pass(9 * s)
			b.resume(10, 0)
		}, 7 * s},
		{"it stops while the question is being written", 3 * s, func(b *testMatch) {
			b.players[0].jam()
			b.resume(10, 0)
			pass(9 * s)
			b.players[0].release()
		}, 7 * s},
		{"the question gives less", 3 * s, func(b *testMatch) { b.resume(2, 0) }, 2 * s},
		{"the question gives more", 3 * s, func(b *testMatch) { b.resume(600, 0) }, 7 * s},
		{"there is none yet", 0, func(b *testMatch) { b.resume(10, 0) }, 10 * s},
		{"one of two is resumed", 0, func(b *testMatch) {
			b.ask(10, 0, 1)
			b.answerAfter(3 * s)
			pass(s)
			b.line(1, "x")
			b.send(&driver.Frame{Question: &driver.Question{Seats: []int{0, 1}, Seconds: 10, Resumed: []int{0}}})
			b.line(1, "x")
		}, 7 * s},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
				if tt.first > 0 {
					b.ask(10, 0)
					b.answerAfter(tt.first)
				}
				tt.then(b)
				for b.referee.answer(t) != nil {
				}
				if got := b.Clocks()[0].Left; got != tt.left {
					t.Errorf("it has %v left, want %v", got, tt.left)
				}
				pass(tt.left - time.Millisecond)
				if got := b.referee.answer(t); got != nil {
					t.Errorf("got %q before its time was over, want nothing", got)
				}
				pass(s) // a question that was written late is checked every second
				if got := b.referee.answer(t); len(got) == 0 || got[0] != "timeout" {
					t.Errorf("got %q, want a timeout", got)
				}
			})
		})
	}
}

func TestResumedTurnWithoutTimeLeftIsLateAtOnce(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		b.ask(10, 0)
		pass(10 * time.Second)
		want(t, b.referee.answer(t), "timeout")
		b.resume(10, 0)
		want(t, b.referee.answer(t), "timeout")
	})
}

// Otherwise a player could delay the others: it would read each question of its turn
// late, and send lines that the referee refuses.
func TestQuestionsOfOneTurnShareTheTimeToBeRead(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		p := b.players[0]
		b.ask(20, 0)
		for range 3 {
			p.jam()
			b.line(0, "x") // before it has read the question
			b.resume(20, 0)
			pass(9 * time.Second)
			p.release()
			b.line(0, "x")
			p.jam()
			b.resume(20, 0)
		}
		// It read nothing for 27 s: 10 of them are free, and the other 17 shorten the
		// wait for this question.
		for b.referee.answer(t) != nil {
		}
		pass(3*time.Second - time.Millisecond)
		want(t, b.referee.answer(t))
		pass(time.Second)
		want(t, b.referee.answer(t), "timeout")
		want(t, b.list, "begin", "cut A")
	})
}

func TestNextTurnHasItsOwnTimeToBeRead(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		p := b.players[0]
		for range 5 {
			p.jam()
			b.ask(1, 0)
			pass(maxUnwritten)
			p.release()
			b.line(0, "x")
			want(t, b.referee.answer(t), "x")
		}
	})
}
