package match

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

func TestAnswersAndTurnsAreCountedWithTheirTimes(t *testing.T) {
	withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
		b.ask(10, 0, 1)
		pass(300 * time.Millisecond)
		b.line(0, "x")
		if got := b.config.Counters.Stats(); got.Answers.Count() != 0 {
			t.Errorf("%d answers were reported before the turn, want none", got.Answers.Count())
		}
		pass(700 * time.Millisecond)
		b.line(1, "y")
		got := b.config.Counters.Stats()
		if got.Answers.Count() != 2 || got.Answers.Sum() != 1300*time.Millisecond {
			t.Errorf("%d answers took %v, want 2 and 1.3s", got.Answers.Count(), got.Answers.Sum())
		}
		b.Leave(1)
		pass(50 * time.Millisecond) // the referee works
		b.ask(10, 0, 1)
		pass(10 * time.Second) // nobody answers
		b.send(&driver.Frame{End: ended(2)})
		if !b.over() {
			t.Fatal("the match goes on, want it ended")
		}
		got = b.config.Counters.Stats()
		if got.Turns.Count() != 2 || got.Turns.Sum() != 50*time.Millisecond {
			t.Errorf("%d turns took %v, want 2 and 50ms", got.Turns.Count(), got.Turns.Sum())
		}
		if got.Answers.Count() != 2 || got.Late != 1 || got.Gone != 1 || got.Finished != 1 || len(got.Aborted) != 0 {
			t.Errorf("got %+v, want 2 answers, 1 late, 1 gone, 1 finished", got)
		}
	})
}

func TestAbortedMatchesAreCountedByReason(t *testing.T) {
	tests := []struct {
		why   string
		abort func(b *testMatch)
	}{
		{abortShutdown, func(b *testMatch) { b.cancel() }},
		{abortProcess, func(b *testMatch) { b.lose(errors.New("it died")) }},
		{abortSilence, func(b *testMatch) { pass(stall + time.Second) }},
		{abortFlood, func(b *testMatch) {
			b.put(&driver.Frame{Texts: []driver.Text{{To: driver.ToSpectators, Lines: append(make([]byte, MaxStream), '\n')}}})
		}},
		{abortWire, func(b *testMatch) { b.send(&driver.Frame{Pause: maxPause + time.Millisecond}) }},
		{abortReferee, func(b *testMatch) {
			end := ended(2)
			end.Aborted, end.Reason = true, "it gave up"
			b.send(&driver.Frame{End: end})
		}},
		{abortPlayed, func(b *testMatch) {
			b.recorder.failure = fmt.Errorf("record it: %w", record.ErrPlayed)
			b.send(&driver.Frame{End: ended(2)})
		}},
		{abortFenced, func(b *testMatch) {
			b.recorder.failure = fmt.Errorf("record it: %w", record.ErrFenced)
			b.send(&driver.Frame{End: ended(2)})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
				tt.abort(b)
				if !b.over() {
					t.Fatal("the match goes on, want it ended")
				}
				if got := b.config.Counters.Stats(); got.Finished != 0 || len(got.Aborted) != 1 || got.Aborted[tt.why] != 1 {
					t.Errorf("got %+v, want 1 match aborted by %s", got, tt.why)
				}
			})
		})
	}
}
