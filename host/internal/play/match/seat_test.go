package match

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

func TestLostConnectionEndsTheWaitAndEarlierLinesCount(t *testing.T) {
	withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
		b.line(0, "ahead")
		b.Leave(0)
		b.ask(10, 0)
		want(t, b.referee.answer(t), "ahead")
		b.ask(10, 0)
		want(t, b.referee.answer(t), "disconnected")
		b.ask(10, 0, 1)
		pass(time.Second)
		b.Leave(1)
		want(t, b.referee.answer(t), "disconnected", "disconnected")
		if d := time.Since(b.start); d != time.Second {
			t.Errorf("it took %v, want 1s", d)
		}
	})
}

func TestBothAnswersComeBackTogetherInTheOrderOfTheQuestion(t *testing.T) {
	withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
		b.ask(10, 1, 0)
		b.line(0, "from 0")
		want(t, b.referee.answer(t))
		b.line(1, "from 1")
		want(t, b.referee.answer(t), "from 1", "from 0")
		want(t, b.referee.answer(t)) // once
	})
}

func TestLinesAheadWaitInABoundedQueue(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
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
			b.ask(10, 0)
			want(t, b.referee.answer(t), string(rune('a'+i)))
			if taken != maxAhead+1+i {
				t.Fatalf("%d lines were taken after %d were used, want %d", taken, i+1, maxAhead+1+i)
			}
		}
		b.cancel()
		b.aborted(t, "shutting down")
		if b.Line(0, "after the end", time.Now()) {
			t.Error("Line returned true after the end, want false")
		}
	})
}

func TestLongLinesAheadAreBoundedInBytes(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		long, taken := strings.Repeat("x", driver.MaxLine), 0
		go func() { // ends with the match
			for b.Line(0, long, time.Now()) {
				taken++
			}
		}()
		for i := range 3 {
			synctest.Wait()
			if want := maxAheadBytes/len(long) + i; taken != want {
				t.Fatalf("%d lines were taken after %d were used, want %d", taken, i, want)
			}
			b.ask(10, 0)
			want(t, b.referee.answer(t), long)
		}
		b.cancel()
	})
}

func TestBotsAreNotWaitedFor(t *testing.T) {
	withMatch(t, 1, 1, func(t *testing.T, b *testMatch) {
		b.ask(10, 1) // the game asks its bot itself
		want(t, b.referee.answer(t))
		b.send(&driver.Frame{BotAnswers: []driver.Answer{{Seat: 1, Line: "bot", At: 3 * time.Millisecond}}, Question: &driver.Question{Seats: []int{0, 1}, Seconds: 10}})
		b.line(0, "me")
		want(t, b.referee.answer(t), "me")
		b.send(&driver.Frame{End: ended(2)})
		if !b.over() {
			t.Fatal("the match goes on, want it ended")
		}
		got := b.recorder.record.Answers
		if len(got) != 2 || got[0] != (record.Answer{Seat: 1, Line: "bot", At: 3 * time.Millisecond}) || got[1].Line != "me" {
			t.Errorf("recorded %+v, want the bot's answer and the player's", got)
		}
	})
}
