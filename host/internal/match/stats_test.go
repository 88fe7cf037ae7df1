package match

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk/wire"
)

func TestAnswersAndTurnsAreCountedWithTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 2, 0)
		b.counters = &Counters{}
		b.run(t)
		b.asks(10, 0, 1)
		pass(300 * time.Millisecond)
		b.line(0, "x")
		if got := b.counters.Stats(); got.Answers.Count() != 0 {
			t.Errorf("%d answers were told before the turn", got.Answers.Count())
		}
		pass(700 * time.Millisecond)
		b.line(1, "y")
		got := b.counters.Stats()
		if got.Answers.Count() != 2 || got.Answers.Sum() != 1300*time.Millisecond {
			t.Errorf("%d answers took %v", got.Answers.Count(), got.Answers.Sum())
		}
		b.Leave(1)
		pass(50 * time.Millisecond) // the referee works
		b.asks(10, 0, 1)
		pass(10 * time.Second) // nobody answers
		b.says(&wire.GameFrame{End: ended(2)})
		if !b.over() {
			t.Fatal("the match goes on")
		}
		got = b.counters.Stats()
		if got.Turns.Count() != 2 || got.Turns.Sum() != 50*time.Millisecond {
			t.Errorf("%d turns took %v", got.Turns.Count(), got.Turns.Sum())
		}
		if got.Answers.Count() != 2 || got.Late != 1 || got.Gone != 1 || got.Finished != 1 || len(got.Aborted) != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestAbortedMatchesAreCountedByReason(t *testing.T) {
	tests := []struct {
		why   string
		abort func(b *bench)
	}{
		{abortShutdown, func(b *bench) { b.cancel() }},
		{abortProcess, func(b *bench) { b.inbox.Close(errors.New("it died")) }},
		{abortSilence, func(b *bench) { pass(stall + time.Second) }},
		{abortFlood, func(b *bench) {
			b.inbox.Put(&wire.GameFrame{Texts: []*wire.Text{{To: wire.Text_SPECTATORS, Lines: make([]byte, maxQueue+1)}}})
		}},
		{abortWire, func(b *bench) { b.says(&wire.GameFrame{PauseMs: maxPause + 1}) }},
		{abortReferee, func(b *bench) {
			end := ended(2)
			end.Aborted, end.Reason = true, "it gave up"
			b.says(&wire.GameFrame{End: end})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, 2, 0)
				b.counters = &Counters{}
				b.run(t)
				tt.abort(b)
				if !b.over() {
					t.Fatal("the match goes on")
				}
				if got := b.counters.Stats(); got.Finished != 0 || len(got.Aborted) != 1 || got.Aborted[tt.why] != 1 {
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}
