package match

import (
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk/wire"
)

// goesOn puts a question that goes on with the turns of its seats.
func (b *bench) goesOn(seconds float64, seats ...uint32) {
	b.says(&wire.GameFrame{Texts: []*wire.Text{all("again\n")}, Ask: &wire.Ask{Seats: seats, Seconds: seconds, Resumed: seats}})
}

func TestTurnHasOneClock(t *testing.T) {
	tests := []struct {
		name string
		play func(b *bench) // asks seat 0 last
		left time.Duration  // that it then has
	}{
		{"it goes on", func(b *bench) {
			b.asks(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			b.goesOn(10, 0)
		}, 7 * time.Second},
		{"it goes on twice", func(b *bench) {
			b.asks(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			b.goesOn(10, 0)
			pass(4 * time.Second)
			b.line(0, "x")
			b.goesOn(10, 0)
		}, 3 * time.Second},
		{"another begins", func(b *bench) {
			b.asks(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			b.asks(10, 0)
		}, 10 * time.Second},
		{"lines written ahead cost nothing", func(b *bench) {
			b.line(0, "x")
			b.line(0, "y")
			b.asks(10, 0)
			b.goesOn(10, 0)
			b.goesOn(10, 0)
		}, 10 * time.Second},
		{"it stands still while another seat is asked", func(b *bench) {
			b.asks(10, 0)
			pass(3 * time.Second)
			b.line(0, "draw")
			b.asks(10, 1)
			pass(9 * time.Second)
			b.line(1, "no")
			b.goesOn(10, 0)
		}, 7 * time.Second},
		{"it stands still while the referee works", func(b *bench) {
			b.asks(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			pass(9 * time.Second)
			b.goesOn(10, 0)
		}, 7 * time.Second},
		{"it stands still while the question is being written", func(b *bench) {
			b.asks(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			b.players[0].jam()
			b.goesOn(10, 0)
			pass(9 * time.Second)
			b.players[0].release()
		}, 7 * time.Second},
		{"the question gives less", func(b *bench) {
			b.asks(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			b.goesOn(2, 0)
		}, 2 * time.Second},
		{"it gives no more", func(b *bench) {
			b.asks(10, 0)
			pass(3 * time.Second)
			b.line(0, "x")
			b.goesOn(600, 0)
		}, 7 * time.Second},
		{"there is none yet", func(b *bench) { b.goesOn(10, 0) }, 10 * time.Second},
		{"one of two goes on", func(b *bench) {
			b.asks(10, 0, 1)
			pass(3 * time.Second)
			b.line(0, "x")
			pass(time.Second)
			b.line(1, "x")
			b.says(&wire.GameFrame{Ask: &wire.Ask{Seats: []uint32{0, 1}, Seconds: 10, Resumed: []uint32{0}}})
			b.line(1, "x")
		}, 7 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, 2, 0)
				b.run(t)
				tt.play(b)
				for b.referee.answer(t) != nil {
				}
				if got := b.Match.Clocks()[b.Match.seats[0].name]; got != tt.left {
					t.Errorf("it has %v left, want %v", got, tt.left)
				}
				pass(tt.left - time.Millisecond)
				if got := b.referee.answer(t); got != nil {
					t.Errorf("got %q before its time was up", got)
				}
				// A question that was written late is looked at every second.
				pass(time.Second)
				if got := b.referee.answer(t); len(got) == 0 || got[0] != "TIMEOUT" {
					t.Errorf("got %q, want a timeout", got)
				}
			})
		})
	}
}

func TestTurnThatHasRunOutIsLateAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 1, 0)
		b.run(t)
		b.asks(10, 0)
		pass(10 * time.Second)
		want(t, b.referee.answer(t), "TIMEOUT")
		b.goesOn(10, 0)
		want(t, b.referee.answer(t), "TIMEOUT")
	})
}

// A player that takes long to read each question of its turn could otherwise hold
// the others for as long again as it may be refused.
func TestQuestionsOfATurnMayStayUnreadForTheTimeOfOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 1, 0)
		b.run(t)
		p := b.players[0]
		b.asks(20, 0)
		for range 3 {
			p.jam()
			b.line(0, "x") // blindly
			b.goesOn(20, 0)
			pass(9 * time.Second)
			p.release()
			b.line(0, "x")
			p.jam()
			b.goesOn(20, 0)
		}
		// It was not charged for 27 s in which it read nothing; 10 of them are its
		// due, and the other 17 shorten the wait for this question.
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
		b := setup(t, 1, 0)
		b.run(t)
		p := b.players[0]
		for range 5 {
			p.jam()
			b.asks(1, 0)
			pass(10 * time.Second)
			p.release()
			b.line(0, "x")
			want(t, b.referee.answer(t), "x")
		}
	})
}

func TestBrokenResumptionAbortsTheMatch(t *testing.T) {
	for want, resumed := range map[string][]uint32{
		"it resumes the turn of seat 1, which it does not ask": {1},
		"it resumes 2 turns, and asks 1 seats":                 {0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := setup(t, 2, 0)
			b.run(t)
			b.says(&wire.GameFrame{Ask: &wire.Ask{Seats: []uint32{0}, Seconds: 10, Resumed: resumed}})
			b.aborted(t, "the game failed: "+want)
		})
	}
}
