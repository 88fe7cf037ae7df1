package match

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk/driver"
)

const tick = 200 * ms // long, in most tests

// askTick asks seats for a tick.
func (b *testMatch) askTick(seats ...int) {
	b.send(&driver.Frame{Question: &driver.Question{Seats: seats, Seconds: tick.Seconds(), Tick: true}})
}

// afterTicks lets n ticks pass for which act is called at their begin, and returns how much
// longer they took than n times their time.
func (b *testMatch) afterTicks(t *testing.T, n int, act func(number int), seats ...int) time.Duration {
	t.Helper()
	begin := time.Now()
	for i := range n {
		b.askTick(seats...)
		asked := time.Now()
		act(i)
		for b.referee.answer(t) == nil {
			if time.Since(asked) > time.Minute {
				t.Fatalf("tick %d does not end", i)
			}
			pass(ms)
		}
		if took := time.Since(asked); took < tick {
			t.Fatalf("tick %d took %v, want at least %v", i, took, tick)
		}
	}
	return time.Since(begin) - time.Duration(n)*tick
}

// wantTicks checks how many ticks a seat has missed, and how many lines it has lost.
func (b *testMatch) wantTicks(t *testing.T, seat, missed, dropped int) {
	t.Helper()
	b.Match.mu.Lock()
	defer b.Match.mu.Unlock()
	if s := &b.seats[seat]; s.missed != missed || s.dropped != dropped {
		t.Errorf("seat %d has missed %d ticks and lost %d lines, want %d and %d", seat, s.missed, s.dropped, missed, dropped)
	}
}

func TestTickEndsAfterItsTimeWithTheLastLineOfEachSeat(t *testing.T) {
	withMatch(t, 3, 0, func(t *testing.T, b *testMatch) {
		b.line(0, "ahead") // dropped
		b.askTick(0, 1, 2)
		b.line(0, "first")
		b.line(0, "last")
		b.line(1, "y")
		pass(tick - ms)
		want(t, b.referee.answer(t))
		pass(ms)
		want(t, b.referee.answer(t), "last", "y", "timeout")
		b.askTick(0, 1, 2)
		for seat := range 3 {
			b.line(seat, "z")
		}
		pass(tick - ms)
		want(t, b.referee.answer(t))
		pass(ms)
		want(t, b.referee.answer(t), "z", "z", "z")
		b.end(t)
		for seat, want := range [][2]int{{0, 2}, {0, 0}, {1, 0}} {
			r, recorded := b.players[seat].result.Players[seat], b.recorder.record.Seats[seat]
			if got := [2]int{r.Missed, r.Dropped}; got != want || got != [2]int{recorded.Missed, recorded.Dropped} {
				t.Errorf("the result of seat %d has %d missed ticks and dropped lines, and the record %d and %d, want %d", seat, got, recorded.Missed, recorded.Dropped, want)
			}
		}
		if s := b.config.Counters.Stats(); s.Missed != 1 || s.Dropped != 2 || s.Late != 0 {
			t.Errorf("counted %d missed, %d dropped and %d late, want 1, 2 and 0", s.Missed, s.Dropped, s.Late)
		}
	})
}

func TestTickAfterTheFirstAnswerOfALatePlayerIsNotBehind(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		b.askTick(0)
		pass(tick)
		want(t, b.referee.answer(t), "timeout")
		b.line(0, "late") // before the next tick
		b.askTick(0)
		pass(50 * ms)
		b.line(0, "2")
		pass(150 * ms)
		want(t, b.referee.answer(t), "2")
		b.askTick(0)
		pass(tick)
		want(t, b.referee.answer(t), "timeout")
		b.askTick(0)
		b.line(0, "late") // within it
		pass(50 * ms)
		b.line(0, "4")
		pass(150 * ms)
		want(t, b.referee.answer(t), "4")
		b.wantTicks(t, 0, 2, 2)
	})
}

// Eight players answer each tick with its number; one of them answers each third tick in the
// middle of the next.
func TestOneOfEightPlayersThatIsLateEveryThirdTickIsNeverBehind(t *testing.T) {
	withRules(t, lag, 8, 0, func(t *testing.T, b *testMatch) {
		const late = 3
		seats := []int{0, 1, 2, 3, 4, 5, 6, 7}
		for i := range 30 {
			b.askTick(seats...)
			text, wanted := strconv.Itoa(i), make([]string, len(seats))
			for _, seat := range seats {
				wanted[seat] = text
				if seat != late {
					b.line(seat, text)
				}
			}
			pass(tick / 4)
			if i%3 == 0 && i > 0 {
				b.line(late, strconv.Itoa(i-1))
			}
			if pass(tick / 4); i%3 == 2 {
				wanted[late] = "timeout"
			} else {
				b.line(late, text)
			}
			pass(tick / 2)
			if i%3 == 2 {
				pass(probeDelay + ms) // the probe is answered at once
			}
			want(t, b.referee.answer(t), wanted...)
		}
		for _, seat := range seats {
			if seat == late {
				b.wantTicks(t, seat, 10, 9)
			} else {
				b.wantTicks(t, seat, 0, 0)
			}
		}
	})
}

func TestPaceIsEvenWhateverAPlayerDoes(t *testing.T) {
	const n = 200
	tests := []struct {
		name   string
		before func(b *testMatch)
		act    func(b *testMatch)
		rules  rules
		most   time.Duration // that all ticks took longer
		missed int
	}{
		{name: "answers", act: func(b *testMatch) { b.line(0, "x") }, rules: lag},
		{name: "is slow", act: func(b *testMatch) {}, rules: rules{}, missed: n},
		// The answer to the ping comes at once.
		{name: "is slow, with lag forgiven", act: func(b *testMatch) {}, rules: lag, most: n * (probeDelay + 2*ms), missed: n},
		{name: "answers no pings", before: func(b *testMatch) { b.players[0].silence(true) }, act: func(b *testMatch) {}, rules: lag, most: n*tick/gainShare + mostGains*tick/gainShare, missed: n},
		{name: "does not read", before: func(b *testMatch) { b.players[0].jam() }, act: func(b *testMatch) {}, rules: lag, missed: n},
		{name: "is away", before: func(b *testMatch) { b.Away(0, time.Now().Add(time.Hour)) }, act: func(b *testMatch) {}, rules: rules{lag: 100 * ms, grace: 2 * time.Second}, missed: n},
		{name: "is gone", before: func(b *testMatch) { b.Leave(0) }, act: func(b *testMatch) {}, rules: lag, missed: n},
		{name: "floods", act: func(b *testMatch) {
			for range maxAhead {
				b.line(0, "x")
			}
		}, rules: lag},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withRules(t, tt.rules, 2, 0, func(t *testing.T, b *testMatch) {
				if tt.before != nil {
					tt.before(b)
				}
				longer := b.afterTicks(t, n, func(int) { b.line(1, "y"); tt.act(b) }, 0, 1)
				if longer > tt.most {
					t.Errorf("%d ticks took %v longer, want at most %v", n, longer, tt.most)
				}
				b.wantTicks(t, 1, 0, 0)
				if b.seats[0].missed != tt.missed {
					t.Errorf("it has missed %d ticks, want %d", b.seats[0].missed, tt.missed)
				}
			})
		})
	}
}

func TestPlayerThatDoesNotReadItsTicksIsCut(t *testing.T) {
	withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
		cut := func() bool { return slices.Contains(b.list, "cut A") }
		ticks := int(maxUnwritten / tick)
		nothing := func(int) {}
		b.players[0].jam()
		b.afterTicks(t, ticks-1, nothing, 0, 1)
		b.players[0].release()
		b.afterTicks(t, 1, nothing, 0, 1)
		b.players[0].jam()
		b.afterTicks(t, ticks-1, nothing, 0, 1)
		if cut() {
			t.Error("it was cut after less than maxUnwritten, want it to be connected")
		}
		b.afterTicks(t, 1, nothing, 0, 1)
		if !cut() {
			t.Error("it was not cut after maxUnwritten, want it to be")
		}
	})
}

func TestLineThatIsLateForATickIsForgivenWithinLagAndQuota(t *testing.T) {
	tests := []struct {
		name      string
		lag, late time.Duration
		want      string
	}{
		{"less than the lag", 8 * ms, 7 * ms, "x"},
		{"more than the lag", 8 * ms, 12 * ms, "timeout"},
		{"less than the quota", time.Second, 29 * ms, "x"},
		{"more than the quota", time.Second, 31 * ms, "timeout"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withRules(t, lag, 2, 0, func(t *testing.T, b *testMatch) {
				b.players[0].setLag(tt.lag)
				b.askTick(0, 1)
				b.line(1, "y")
				pass(tick + tt.late)
				b.line(0, "x")
				want(t, b.referee.answer(t), tt.want, "y")
				forgiven := time.Duration(0)
				if tt.want == "x" {
					forgiven = tt.late
				}
				if got := b.seats[0].forgiven; got != forgiven {
					t.Errorf("%v were forgiven, want %v", got, forgiven)
				}
			})
		})
	}
}

func TestFirstTickOfASeatWaitsForTheStartGrace(t *testing.T) {
	grace := rules{grace: 2 * time.Second}
	withRules(t, grace, 2, 0, func(t *testing.T, b *testMatch) {
		b.askTick(0)
		b.line(0, "at once")
		pass(tick)
		want(t, b.referee.answer(t), "at once")
		b.askTick(0, 1)
		b.line(0, "x")
		pass(tick)
		b.line(0, "too late") // it has no grace
		pass(grace.grace - ms)
		want(t, b.referee.answer(t))
		b.line(1, "y")
		want(t, b.referee.answer(t), "x", "y")
		b.askTick(0, 1)
		pass(tick)
		want(t, b.referee.answer(t), "timeout", "timeout")
	})
	withRules(t, grace, 1, 0, func(t *testing.T, b *testMatch) {
		b.askTick(0)
		pass(tick + grace.grace - ms)
		want(t, b.referee.answer(t))
		pass(ms)
		want(t, b.referee.answer(t), "timeout")
	})
}

func TestQuestionAfterATickTakesNoLateLine(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		b.askTick(0)
		pass(tick)
		want(t, b.referee.answer(t), "timeout")
		arrived := time.Now()
		b.line(0, "late")
		pass(ms)
		b.ask(10, 0)
		b.Line(0, "late, and read later", arrived)
		want(t, b.referee.answer(t))
		b.line(0, "x")
		want(t, b.referee.answer(t), "x")
		b.line(0, "ahead") // as usual
		b.ask(10, 0)
		want(t, b.referee.answer(t), "ahead")
		b.wantTicks(t, 0, 1, 2)
	})
}

func TestTickWaitsForALineThatTheHostHasNotRead(t *testing.T) {
	withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
		p := b.players[0]
		unread := func(older string, wait time.Duration) (arrived time.Time) {
			p.setUnread(false)
			b.askTick(0, 1)
			arrived = time.Now().Add(tick - ms)
			if older != "" {
				b.line(0, older)
			}
			b.line(1, "y")
			p.setUnread(true)
			pass(tick + wait)
			return arrived
		}
		for older, wait := range map[string]time.Duration{"": time.Second, "older": tick/gainShare - 2*readAgain} {
			arrived := unread(older, wait)
			want(t, b.referee.answer(t))
			b.Line(0, "x", arrived)
			p.setUnread(false)
			pass(readAgain)
			want(t, b.referee.answer(t), "x", "y")
		}
		unread("older", tick/gainShare)
		want(t, b.referee.answer(t), "older", "y")
	})
}

func TestFloodInATickIsNotReadAndDelaysNobody(t *testing.T) {
	withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
		taken := 0
		go func() { // ends with the match
			for b.Line(0, fmt.Sprint(taken), time.Now()) {
				taken++
			}
		}()
		b.players[0].setUnread(true)
		synctest.Wait()
		for i := range 10 {
			b.askTick(0, 1)
			b.line(1, "y")
			pass(tick)
			// There was room for lines after the last tick, and again as it dropped them.
			want(t, b.referee.answer(t), fmt.Sprint(2*(i+1)*maxAhead-1), "y")
			if most := (2*(i+1) + 1) * maxAhead; taken > most {
				t.Fatalf("%d lines were taken after %d ticks, want at most %d", taken, i+1, most)
			}
		}
		b.cancel()
	})
}

func TestTickTakesNothingFromTheBank(t *testing.T) {
	withRules(t, rules{bank: 10, increment: 1}, 1, 0, func(t *testing.T, b *testMatch) {
		b.afterTicks(t, 100, func(int) {}, 0)
		b.expectBank(t, 0, 10*time.Second)
		b.ask(10, 0)
		b.answerAfter(time.Second)
		want(t, b.referee.answer(t), "x")
		b.expectBank(t, 0, 9*time.Second)
		b.askTick(0)
		pass(tick)
		want(t, b.referee.answer(t), "timeout")
		b.ask(10, 0)
		b.answerAfter(time.Second)
		want(t, b.referee.answer(t), "x")
		b.expectBank(t, 0, 9*time.Second) // with the increment
	})
}

func TestTickThatBreaksTheRulesAbortsTheMatch(t *testing.T) {
	for name, q := range map[string]driver.Question{
		"its tick takes 0.01 seconds": {Seats: []int{0}, Seconds: 0.01},
		"its tick takes 61 seconds":   {Seats: []int{0}, Seconds: 61},
		"it resumes a turn in a tick": {Seats: []int{0}, Seconds: 1, Resumed: []int{0}},
	} {
		withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
			q.Tick = true
			b.send(&driver.Frame{Question: &q})
			b.aborted(t, name)
		})
	}
}

func TestProgramOfTheHostRunsUntilItHasAnsweredAllItsTicks(t *testing.T) {
	withLocals(t, [2]float64{0.1, 0.1}, func(t *testing.T, b *testMatch, players [2]*fakeLocal) {
		b.players[1].jam()
		b.askTick(0, 1)
		b.line(0, "1")
		pass(tick)
		b.line(1, "1")
		want(t, b.referee.answer(t), "1", "1") // it has CPU time left
		players[1].wantLog(t, "RP")
		b.askTick(0, 1)
		b.line(0, "2")
		pass(tickFactor*tick - ms)
		want(t, b.referee.answer(t))
		pass(ms)
		want(t, b.referee.answer(t), "2", "timeout")
		b.askTick(0, 1)
		b.line(0, "3")
		b.line(1, "2")
		pass(50 * ms)
		b.line(1, "3")
		players[1].wantLog(t, "RPRPR2P")
		pass(150 * ms)
		want(t, b.referee.answer(t), "3", "3")
		players[0].wantLog(t, "RPRPRP")
		b.wantTicks(t, 1, 1, 1)
	})
}

func TestProgramThatSkipsTheTicksThatItMissedDelaysNobody(t *testing.T) {
	withLocals(t, [2]float64{0.1, 0.1}, func(t *testing.T, b *testMatch, players [2]*fakeLocal) {
		b.askTick(0, 1)
		b.line(0, "1")
		pass(tickFactor * tick)
		want(t, b.referee.answer(t), "1", "timeout")
		longer := b.afterTicks(t, 10, func(int) { b.line(0, "x"); b.line(1, "y") }, 0, 1)
		if longer > 0 {
			t.Errorf("10 ticks took %v longer, want nothing", longer)
		}
		b.wantTicks(t, 1, 1, 0)
		if log := players[1].log; strings.Count(log, "R2P") != 10 {
			t.Errorf("got the calls %s, want it to run to the end of each tick", log)
		}
	})
}

func TestProgramsThatShareACoreHaveTheirWholeTick(t *testing.T) {
	withLocals(t, [2]float64{1, 1}, func(t *testing.T, b *testMatch, players [2]*fakeLocal) {
		for range 3 {
			players[1].busy = true
			b.askTick(0, 1)
			pass(150 * ms)
			b.line(0, "x")
			players[1].get(b, 1)
			pass(tick - ms)
			want(t, b.referee.answer(t))
			b.line(1, "y")
			want(t, b.referee.answer(t), "x", "y")
		}
		b.askTick(0, 1)
		pass(tick) // the CPU time of seat 0 is used up: its core is free
		players[0].wantLog(t, "RPRPRPRP")
		players[1].get(b, 1)
		pass(tick)
		want(t, b.referee.answer(t), "timeout", "timeout")
	})
}
