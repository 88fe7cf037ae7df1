package match

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk/wire"
)

func TestClockStartsWhenTheQuestionIsWritten(t *testing.T) {
	tests := []struct {
		name    string
		written time.Duration // after the question
		answer  time.Duration // after that
		want    string
	}{
		{"at once, in time", 0, 9999 * time.Millisecond, "x"},
		{"at once, late", 0, 10001 * time.Millisecond, "TIMEOUT"},
		{"late, in time", 12 * time.Second, 9999 * time.Millisecond, "x"},
		{"late, late", 12 * time.Second, 10001 * time.Millisecond, "TIMEOUT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTestMatch(t, 1, 0)
				b.run(t)
				if tt.written > 0 {
					b.players[0].jam()
				}
				b.send(&wire.GameFrame{Texts: []*wire.Text{all("go\n")}, Ask: &wire.Ask{Seats: []uint32{0}, Seconds: 10}})
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
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 1, 0)
		b.run(t)
		b.ask(0.1, 0)
		pass(99 * time.Millisecond)
		want(t, b.referee.answer(t))
		pass(time.Millisecond)
		want(t, b.referee.answer(t), "TIMEOUT")
		if at := b.Match.record.Answers[0].At; at != 100*time.Millisecond {
			t.Errorf("the record has the timeout at %v, want 100ms", at)
		}
	})
}

func TestLateAnswerIsLateEvenWhenTheMatchStillWaitsForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 2, 0)
		b.run(t)
		b.players[1].jam()
		b.ask(10, 0, 1)
		pass(9 * time.Second)
		b.players[1].release() // its time ends at 19 s
		pass(2 * time.Second)
		b.line(0, "too late") // 11 s
		b.line(1, "in time")
		want(t, b.referee.answer(t), "TIMEOUT", "in time")
	})
}

func TestDelayOfTheHostIsNoDelayOfThePlayer(t *testing.T) {
	tests := []struct {
		name string
		came time.Duration // after the question, which allows 1 s
		read time.Duration // when the match gets it
		want string
	}{
		{"came in time, read late", 999 * time.Millisecond, 5 * time.Second, "x"},
		{"came late, read later", 1001 * time.Millisecond, 5 * time.Second, "TIMEOUT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTestMatch(t, 1, 0)
				b.run(t)
				b.ask(1, 0)
				b.players[0].setUnread(true)
				pass(tt.read)
				want(t, b.referee.answer(t))
				b.Line(0, "x", b.start.Add(tt.came))
				b.players[0].setUnread(false)
				pass(readAgain)
				want(t, b.referee.answer(t), tt.want)
			})
		})
	}
}

func TestUnreadBytesThatAreNoLineDelayAMatchForALimitedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 1, 0)
		b.run(t)
		b.ask(1, 0)
		b.players[0].setUnread(true)
		pass(time.Second + maxUnread - readAgain)
		want(t, b.referee.answer(t))
		pass(2 * readAgain)
		want(t, b.referee.answer(t), "TIMEOUT")
	})
}

func TestPlayerThatNeverReadsIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 1, 0)
		b.run(t)
		b.players[0].jam()
		b.ask(10, 0)
		pass(10*time.Second + maxUnwritten - time.Millisecond)
		want(t, b.referee.answer(t))
		pass(time.Second)
		want(t, b.referee.answer(t), "TIMEOUT")
		want(t, b.list, "begin", "cut A")
	})
}

func TestPlayerThatReadsButDoesNotAnswerIsNotCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 2, 0)
		b.run(t)
		b.ask(10, 0, 1)
		b.line(1, "x")
		pass(11 * time.Second)
		want(t, b.referee.answer(t), "TIMEOUT", "x")
		want(t, b.list, "begin")
	})
}

func TestClocksShowTheTimeLeftOfThePlayersThatTheMatchWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 2, 1)
		b.run(t)
		clocks := func(wanted map[string]time.Duration) {
			t.Helper()
			synctest.Wait()
			if got := b.Match.Clocks(); !maps.Equal(got, wanted) {
				t.Errorf("clocks %v, want %v", got, wanted)
			}
		}
		name := func(seat int) string { return b.Match.seats[seat].name }
		clocks(map[string]time.Duration{})
		b.players[1].jam()
		b.send(&wire.GameFrame{Texts: []*wire.Text{all("go\n")}, Ask: &wire.Ask{Seats: []uint32{0, 1}, Seconds: 10}})
		pass(3 * time.Second)
		clocks(map[string]time.Duration{name(0): 7 * time.Second, name(1): 10 * time.Second})
		b.players[1].release()
		pass(2 * time.Second)
		clocks(map[string]time.Duration{name(0): 5 * time.Second, name(1): 8 * time.Second})
		b.line(0, "x")
		clocks(map[string]time.Duration{name(1): 8 * time.Second})
		pass(8 * time.Second)
		clocks(map[string]time.Duration{})
		want(t, b.referee.answer(t), "x", "TIMEOUT")
	})
}

func TestTimeUsedRunsFromTheWrittenQuestionToTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 2, 0)
		used := map[int][]time.Duration{}
		b.config.Took = func(seat int, d time.Duration) { used[seat] = append(used[seat], d) }
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
func (b *testMatch) resume(seconds float64, seats ...uint32) {
	b.send(&wire.GameFrame{Texts: []*wire.Text{all("again\n")}, Ask: &wire.Ask{Seats: seats, Seconds: seconds, Resumed: seats}})
}

func TestTurnHasOneClock(t *testing.T) {
	tests := []struct {
		name string
		play func(b *testMatch) // asks seat 0 last
		left time.Duration      // that it then has
	}{
		{"it is resumed", func(b *testMatch) {
			b.ask(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			b.resume(10, 0)
		}, 7 * time.Second},
		{"it is resumed twice", func(b *testMatch) {
			b.ask(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			b.resume(10, 0)
			pass(4 * time.Second)
			b.line(0, "x")
			b.resume(10, 0)
		}, 3 * time.Second},
		{"another begins", func(b *testMatch) {
			b.ask(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			b.ask(10, 0)
		}, 10 * time.Second},
		{"lines written ahead cost nothing", func(b *testMatch) {
			b.line(0, "x")
			b.line(0, "y")
			b.ask(10, 0)
			b.resume(10, 0)
			b.resume(10, 0)
		}, 10 * time.Second},
		{"it stands still while another seat is asked", func(b *testMatch) {
			b.ask(10, 0)
			pass(3 * time.Second)
			b.line(0, "draw")
			b.ask(10, 1)
			pass(9 * time.Second)
			b.line(1, "no")
			b.resume(10, 0)
		}, 7 * time.Second},
		{"it stands still while the referee works", func(b *testMatch) {
			b.ask(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			pass(9 * time.Second)
			b.resume(10, 0)
		}, 7 * time.Second},
		{"it stands still while the question is being written", func(b *testMatch) {
			b.ask(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			b.players[0].jam()
			b.resume(10, 0)
			pass(9 * time.Second)
			b.players[0].release()
		}, 7 * time.Second},
		{"the question gives less", func(b *testMatch) {
			b.ask(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			b.resume(2, 0)
		}, 2 * time.Second},
		{"the question gives more", func(b *testMatch) {
			b.ask(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			b.resume(600, 0)
		}, 7 * time.Second},
		{"there is none yet", func(b *testMatch) { b.resume(10, 0) }, 10 * time.Second},
		{"one of two is resumed", func(b *testMatch) {
			b.ask(10, 0, 1)
			pass(3 * time.Second)
			b.line(0, "x")
			pass(time.Second)
			b.line(1, "x")
			b.send(&wire.GameFrame{Ask: &wire.Ask{Seats: []uint32{0, 1}, Seconds: 10, Resumed: []uint32{0}}})
			b.line(1, "x")
		}, 7 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTestMatch(t, 2, 0)
				b.run(t)
				tt.play(b)
				for b.referee.answer(t) != nil {
				}
				if got := b.Match.Clocks()[b.Match.seats[0].name]; got != tt.left {
					t.Errorf("it has %v left, want %v", got, tt.left)
				}
				pass(tt.left - time.Millisecond)
				if got := b.referee.answer(t); got != nil {
					t.Errorf("got %q before its time was over, want nothing", got)
				}
				// A question that was written late is checked every second.
				pass(time.Second)
				if got := b.referee.answer(t); len(got) == 0 || got[0] != "TIMEOUT" {
					t.Errorf("got %q, want a timeout", got)
				}
			})
		})
	}
}

func TestResumedTurnWithoutTimeLeftIsLateAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 1, 0)
		b.run(t)
		b.ask(10, 0)
		pass(10 * time.Second)
		want(t, b.referee.answer(t), "TIMEOUT")
		b.resume(10, 0)
		want(t, b.referee.answer(t), "TIMEOUT")
	})
}

// Otherwise a player could delay the others by reading each question of its turn
// late, as often as the referee refuses its lines.
func TestQuestionsOfOneTurnShareTheTimeToBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 1, 0)
		b.run(t)
		p := b.players[0]
		b.ask(20, 0)
		for range 3 {
			p.jam()
			b.line(0, "x") // without having read the question
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
		want(t, b.referee.answer(t), "TIMEOUT")
		want(t, b.list, "begin", "cut A")
	})
}

func TestNextTurnHasItsOwnTimeToBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 1, 0)
		b.run(t)
		p := b.players[0]
		for range 5 {
			p.jam()
			b.ask(1, 0)
			pass(10 * time.Second)
			p.release()
			b.line(0, "x")
			want(t, b.referee.answer(t), "x")
		}
	})
}
