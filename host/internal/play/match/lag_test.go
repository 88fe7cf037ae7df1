package match

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk/driver"
)

const ms = time.Millisecond

// lag gives a player 100 ms for each turn: 300 at the start, and 700 at most.
var lag = rules{lag: 100 * ms}

func TestLateLineIsForgivenWithinLagAndQuota(t *testing.T) {
	tests := []struct {
		name string
		lag  time.Duration
		late time.Duration
		want string
	}{
		{"less than the lag", 50 * ms, 49 * ms, "x"},
		{"more than the lag", 50 * ms, 60 * ms, "timeout"},
		{"no lag", 0, 5 * ms, "timeout"},
		{"less than the quota", time.Second, 299 * ms, "x"},
		{"more than the quota", time.Second, 301 * ms, "timeout"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withRules(t, lag, 1, 0, func(t *testing.T, b *testMatch) {
				b.players[0].setLag(tt.lag)
				b.ask(10, 0)
				pass(10*time.Second + tt.late)
				b.line(0, "x")
				want(t, b.referee.answer(t), tt.want)
				forgiven := time.Duration(0)
				if tt.want == "x" {
					forgiven = tt.late
				}
				if got := b.seats[0].forgiven; got != forgiven {
					t.Errorf("%v were forgiven, want %v", got, forgiven)
				}
				if p := b.players[0].probes; p != 1 {
					t.Errorf("it was probed %d times, want once", p)
				}
				b.end(t)
				r := b.players[0].result.Players[0]
				if r.Forgiven != forgiven.Milliseconds() || r.Lag != tt.lag.Milliseconds() {
					t.Errorf("the result has %d ms forgiven and %d ms lag, want %d and %d", r.Forgiven, r.Lag, forgiven.Milliseconds(), tt.lag.Milliseconds())
				}
			})
		})
	}
}

func TestMatchDoesNotWaitForAPlayerThatAnswersTheProbe(t *testing.T) {
	withRules(t, lag, 1, 0, func(t *testing.T, b *testMatch) {
		b.players[0].setLag(30 * ms)
		b.ask(10, 0)
		pass(10*time.Second + 29*ms)
		want(t, b.referee.answer(t))
		pass(10 * ms)
		want(t, b.referee.answer(t), "timeout")
	})
}

func TestStalledConnectionIsForgivenWithinTheQuota(t *testing.T) {
	withRules(t, lag, 1, 0, func(t *testing.T, b *testMatch) {
		p := b.players[0]
		p.setLag(5 * ms)
		stall := func(d time.Duration) { // until its time has ended for d
			t.Helper()
			p.silence(true)
			pass(10*time.Second + d)
			want(t, b.referee.answer(t))
		}
		b.ask(10, 0)
		stall(250 * ms)
		b.line(0, "x")
		p.silence(false)
		want(t, b.referee.answer(t), "x")
		b.ask(10, 0)
		stall(149 * ms) // of a quota of 150
		pass(3 * ms)
		want(t, b.referee.answer(t), "timeout")
	})
}

// When the host is frozen as the time ends, it probes later.
func TestDelayOfTheProbeIsNoDelayOfThePlayer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &fakePlayer{silent: true, since: time.Now()}
		s := &seat{player: p, clock: newClock(nil, 10, 0, 100*ms)}
		s.startLocked(time.Now(), 10*time.Second, false)
		end := time.Now().Add(10 * time.Second)
		pass(10*time.Second + 200*ms)
		s.probeLocked(time.Now())
		if s.overdueLocked(time.Now()) {
			t.Error("it is late before the answer to the probe, want it to be waited for")
		}
		pass(ms)
		s.excuse = s.lagLocked()
		if s.lateLocked(end.Add(150 * ms)) {
			t.Errorf("a line 150ms after the end is late, with an excuse of %v, want it in time", s.excuse)
		}
	})
}

func TestResumedTurnsAddNothingToTheQuota(t *testing.T) {
	withRules(t, lag, 1, 0, func(t *testing.T, b *testMatch) {
		b.players[0].setLag(time.Minute)
		b.ask(10, 0)
		pass(10*time.Second + 200*ms)
		b.line(0, "refused")
		want(t, b.referee.answer(t), "refused")
		b.resume(10, 0)
		pass(99 * ms)
		want(t, b.referee.answer(t))
		b.line(0, "refused")
		want(t, b.referee.answer(t), "refused")
		b.resume(10, 0)
		pass(5 * ms)
		want(t, b.referee.answer(t), "timeout")
	})
}

func TestQuotaIsFilledAgainByTurns(t *testing.T) {
	withRules(t, lag, 1, 0, func(t *testing.T, b *testMatch) {
		quota := func(want time.Duration) {
			t.Helper()
			if got := b.seats[0].quota; got != want {
				t.Errorf("got a quota of %v, want %v", got, want)
			}
		}
		b.players[0].setLag(time.Minute)
		quota(300 * ms)
		b.ask(10, 0)
		pass(10*time.Second + 290*ms)
		b.line(0, "x")
		want(t, b.referee.answer(t), "x")
		quota(10 * ms)
		for range 3 {
			b.ask(10, 0)
			b.line(0, "x")
			want(t, b.referee.answer(t), "x")
		}
		quota(310 * ms)
		for range 10 {
			b.ask(10, 0)
			b.line(0, "x")
			want(t, b.referee.answer(t), "x")
		}
		quota(700 * ms)
	})
}

func TestGainIsSmallForShortAnswers(t *testing.T) {
	for timeout, want := range map[float64]time.Duration{600: 100 * ms, 2: 100 * ms, 1: 50 * ms, 0.1: 5 * ms} {
		if got := newClock(nil, timeout, 0, 100*ms); got.gain != want || got.quota != 3*want {
			t.Errorf("timeout %v: got the gain %v and the quota %v, want %v and %v", timeout, got.gain, got.quota, want, 3*want)
		}
	}
}

func TestLagOfEachAnswerIsNotTakenFromTheBank(t *testing.T) {
	withRules(t, rules{bank: 10, lag: 100 * ms}, 1, 0, func(t *testing.T, b *testMatch) {
		b.players[0].setLag(80 * ms)
		b.ask(600, 0)
		b.answerAfter(time.Second)
		want(t, b.referee.answer(t), "x")
		b.expectBank(t, 0, 9080*ms)
		b.ask(600, 0)
		b.answerAfter(50 * ms) // less than the lag
		want(t, b.referee.answer(t), "x")
		b.expectBank(t, 0, 9080*ms)
		b.ask(600, 0)
		pass(9080*ms + 70*ms)
		b.line(0, "x")
		want(t, b.referee.answer(t), "x")
		left := b.seats[0].bank
		if left < 0 || left > 15*ms {
			t.Errorf("%v are left, want almost nothing", left)
		}
		if p := b.players[0].probes; p != 1 {
			t.Errorf("it was probed %d times, want once, when its time ended", p)
		}
	})
}

// A player can delay its answers to pings, so that its lag appears to be huge.
func TestPlayerThatPretendsToHaveLagGainsAtMostTheQuota(t *testing.T) {
	const answers = 1000
	for _, bank := range []float64{0, 3600} {
		withRules(t, rules{bank: bank, lag: 100 * ms}, 1, 0, func(t *testing.T, b *testMatch) {
			p := b.players[0]
			p.setLag(time.Hour)
			for range answers {
				b.ask(2, 0)
				pass(2*time.Second + max(b.seats[0].quota-ms, 0))
				b.line(0, "x")
				want(t, b.referee.answer(t), "x")
			}
			got, most := b.seats[0].forgiven, 3*lag.lag+(answers-1)*lag.lag
			if got > most || got < most-answers*ms {
				t.Errorf("bank %v: %v were forgiven, want at most %v, and not much less", bank, got, most)
			}
			if got := b.seats[0].bank; bank > 0 && got > seconds(bank)-answers*2*time.Second+answers*ms {
				t.Errorf("%v are left in the bank, want 2 s less for each answer", got)
			}
		})
	}
}

func TestPlayerThatRefusesPingsDelaysAMatchByItsQuota(t *testing.T) {
	withRules(t, lag, 2, 0, func(t *testing.T, b *testMatch) {
		b.players[0].silence(true)
		begin := time.Now()
		for range 100 {
			b.ask(2, 0, 1)
			b.line(1, "y")
			for b.referee.answer(t) == nil {
				pass(ms)
			}
		}
		// Nothing was forgiven, so that the quota is full after the first questions.
		if got, most := time.Since(begin), 100*(2*time.Second+7*lag.lag)+100*2*ms; got > most {
			t.Errorf("100 questions took %v, want at most %v", got, most)
		}
	})
}

// A question waits for all its seats. Each is probed when its own time ends, because later
// nobody could know whether its connection was stalled then.
func TestEachSeatOfAQuestionIsProbedWhenItsTimeEnds(t *testing.T) {
	withRules(t, rules{bank: 10, lag: 100 * ms}, 2, 0, func(t *testing.T, b *testMatch) {
		b.ask(600, 0)
		b.answerAfter(9 * time.Second)
		want(t, b.referee.answer(t), "x")
		pass(2 * time.Second) // the timer fires
		p, other := b.players[0], b.players[1]
		p.silence(true)
		b.ask(600, 0, 1)
		pass(time.Second + 200*ms)
		if p.probes != 1 || other.probes != 0 {
			t.Errorf("the seats were probed %d and %d times, want once and never", p.probes, other.probes)
		}
		b.line(0, "stalled")
		pass(5 * time.Second)
		b.line(1, "y")
		want(t, b.referee.answer(t), "stalled", "y")
	})
}

func TestSeatThatIsLateCostsNothingWhileTheMatchWaitsForAnother(t *testing.T) {
	withRules(t, rules{bank: 100, lag: 100 * ms}, 2, 0, func(t *testing.T, b *testMatch) {
		b.ask(600, 0)
		b.answerAfter(99 * time.Second)
		want(t, b.referee.answer(t), "x")
		p := b.players[0]
		p.jam()
		p.looks = 0
		b.ask(600, 0, 1)
		pass(99 * time.Second) // seat 0 is late after 11 s
		want(t, b.referee.answer(t))
		if p.looks > 200 {
			t.Errorf("the match looked %d times at a connection in 99 s, want a few times", p.looks)
		}
	})
}

func TestPlayerThatHasNotReadTheQuestionIsNotForgivenLag(t *testing.T) {
	withRules(t, lag, 1, 0, func(t *testing.T, b *testMatch) {
		b.players[0].setLag(time.Minute)
		b.players[0].jam()
		b.ask(10, 0)
		pass(10*time.Second + maxUnwritten - ms)
		want(t, b.referee.answer(t))
		pass(2 * ms)
		want(t, b.referee.answer(t), "timeout")
		if p := b.players[0].probes; p != 0 {
			t.Errorf("it was probed %d times, want never: it does not read", p)
		}
	})
}

func TestLineThatTheHostReadsLateIsForgivenTheSameLag(t *testing.T) {
	for late, outcome := range map[time.Duration]string{90 * ms: "x", 310 * ms: "timeout"} {
		withRules(t, lag, 1, 0, func(t *testing.T, b *testMatch) {
			p := b.players[0]
			p.setLag(100 * ms)
			p.silence(true)
			b.ask(1, 0)
			p.setUnread(true)
			pass(5 * time.Second)
			want(t, b.referee.answer(t))
			b.Line(0, "x", b.start.Add(time.Second+late))
			p.setUnread(false)
			pass(readAgain)
			if got := b.referee.answer(t); !slices.Equal(got, []string{outcome}) {
				t.Errorf("%v late: got %q, want %s", late, got, outcome)
			}
		})
	}
}

func TestResultHasTheAverageLag(t *testing.T) {
	withRules(t, rules{bank: 60}, 2, 0, func(t *testing.T, b *testMatch) {
		for _, lag := range []time.Duration{10 * ms, 20 * ms, 60 * ms} {
			b.players[0].setLag(lag)
			b.ask(60, 0)
			b.answerAfter(time.Second)
			want(t, b.referee.answer(t), "x")
		}
		b.Away(0, time.Now().Add(time.Minute)) // its lag counts no longer
		b.players[0].setLag(time.Hour)
		b.send(&driver.Frame{End: ended(2)})
		if got := b.players[0].result.Players[0].Lag; got != 30 {
			t.Errorf("got a lag of %d ms, want 30", got)
		}
	})
}
