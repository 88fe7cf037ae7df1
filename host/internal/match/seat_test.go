package match

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/store"
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
				b := setup(t, 1, 0)
				b.run(t)
				if tt.written > 0 {
					b.players[0].jam()
				}
				b.says(&wire.GameFrame{Texts: []*wire.Text{all("go\n")}, Ask: &wire.Ask{Seats: []uint32{0}, Seconds: 10}})
				if tt.written > 0 {
					pass(tt.written)
					b.players[0].release()
				}
				pass(tt.answer)
				b.line(0, "x")
				pass(time.Second) // a question that was written late is looked at every second
				want(t, b.referee.answer(t), tt.want)
			})
		})
	}
}

func TestTimeIsUpToTheMillisecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 1, 0)
		b.run(t)
		b.asks(0.1, 0)
		pass(99 * time.Millisecond)
		want(t, b.referee.answer(t))
		pass(time.Millisecond)
		want(t, b.referee.answer(t), "TIMEOUT")
		if at := b.Match.record.Answers[0].At; at != 100*time.Millisecond {
			t.Errorf("the record has the timeout at %v", at)
		}
	})
}

func TestLateAnswerIsLateEvenWhenTheMatchStillWaitsForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 2, 0)
		b.run(t)
		b.players[1].jam()
		b.asks(10, 0, 1)
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
				b := setup(t, 1, 0)
				b.run(t)
				b.asks(1, 0)
				b.players[0].arrives(true)
				pass(tt.read)
				want(t, b.referee.answer(t))
				b.Line(0, "x", b.start.Add(tt.came))
				b.players[0].arrives(false)
				pass(readAgain)
				want(t, b.referee.answer(t), tt.want)
			})
		})
	}
}

func TestUnreadBytesThatAreNoLineHoldAMatchUpForAWhileOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 1, 0)
		b.run(t)
		b.asks(1, 0)
		b.players[0].arrives(true)
		pass(time.Second + maxUnread - readAgain)
		want(t, b.referee.answer(t))
		pass(2 * readAgain)
		want(t, b.referee.answer(t), "TIMEOUT")
	})
}

func TestPlayerThatNeverReadsIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 1, 0)
		b.run(t)
		b.players[0].jam()
		b.asks(10, 0)
		pass(10*time.Second + maxUnwritten - time.Millisecond)
		want(t, b.referee.answer(t))
		pass(time.Second)
		want(t, b.referee.answer(t), "TIMEOUT")
		want(t, b.list, "begin", "cut A")
	})
}

func TestPlayerThatReadsButDoesNotAnswerIsNotCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 2, 0)
		b.run(t)
		b.asks(10, 0, 1)
		b.line(1, "x")
		pass(11 * time.Second)
		want(t, b.referee.answer(t), "TIMEOUT", "x")
		want(t, b.list, "begin")
	})
}

func TestLostConnectionIsToldAtOnceAndLinesBeforeItCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 2, 0)
		b.run(t)
		b.line(0, "ahead")
		b.Leave(0)
		b.asks(10, 0)
		want(t, b.referee.answer(t), "ahead")
		b.asks(10, 0)
		want(t, b.referee.answer(t), "DISCONNECTED")
		b.asks(10, 0, 1)
		pass(time.Second)
		b.Leave(1)
		want(t, b.referee.answer(t), "DISCONNECTED", "DISCONNECTED")
		if d := time.Since(b.start); d != time.Second {
			t.Errorf("it took %v", d)
		}
	})
}

func TestBothAnswersComeBackTogetherInTheOrderOfTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 2, 0)
		b.run(t)
		b.asks(10, 1, 0)
		b.line(0, "from 0")
		want(t, b.referee.answer(t))
		b.line(1, "from 1")
		want(t, b.referee.answer(t), "from 1", "from 0")
		want(t, b.referee.answer(t)) // once
	})
}

func TestLinesAheadWaitInABoundedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 1, 0)
		b.run(t)
		taken := 0
		go func() { // ends with the match
			for b.Line(0, string(rune('a'+taken%26)), time.Now()) {
				taken++
			}
		}()
		synctest.Wait()
		if taken != maxAhead {
			t.Fatalf("%d lines were taken, want %d", taken, maxAhead)
		}
		for i := range 3 {
			b.asks(10, 0)
			want(t, b.referee.answer(t), string(rune('a'+i)))
			if taken != maxAhead+1+i {
				t.Fatalf("%d lines were taken after %d were used", taken, i+1)
			}
		}
		b.cancel()
		b.aborted(t, "shutting down")
		if b.Line(0, "after the end", time.Now()) {
			t.Error("a line was taken after the end")
		}
	})
}

func TestBotsAreNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 1, 1)
		b.run(t)
		b.asks(10, 1) // the game asks its bot by itself
		want(t, b.referee.answer(t))
		b.says(&wire.GameFrame{BotAnswers: []*wire.Answer{{Seat: 1, Line: []byte("bot"), AtMs: 3}}, Ask: &wire.Ask{Seats: []uint32{0, 1}, Seconds: 10}})
		b.line(0, "me")
		want(t, b.referee.answer(t), "me")
		b.says(&wire.GameFrame{End: ended(2)})
		if !b.over() {
			t.Fatal("the match goes on")
		}
		got := b.recorder.record.Answers
		if len(got) != 2 || got[0] != (store.Answer{Seat: 1, Line: "bot", At: 3 * time.Millisecond}) || got[1].Line != "me" {
			t.Errorf("recorded %+v", got)
		}
	})
}

func TestClocksTellTheTimeLeftOfThoseWhoAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 2, 1)
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
		b.says(&wire.GameFrame{Texts: []*wire.Text{all("go\n")}, Ask: &wire.Ask{Seats: []uint32{0, 1}, Seconds: 10}})
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
