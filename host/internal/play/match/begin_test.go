package match

import (
	"strings"
	"testing"
	"testing/synctest"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// withBranch starts a match of a player on seat 0 against a bot, which begins with answers.
func withBranch(t *testing.T, begin []record.Answer, f func(t *testing.T, b *testMatch)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 1, 1)
		b.branch.left = begin
		b.seats[0].sent = func(line string) { b.players[0].Send([]byte(">" + line + "\n")) }
		b.run(t)
		f(t, b)
	})
}

var opening = []record.Answer{{Seat: 0, Line: "a"}, {Seat: 1, Line: "b"}, {Seat: 0, Line: "c"}}

func TestBranchBeginsWithTheAnswersOfTheEarlierMatch(t *testing.T) {
	withBranch(t, opening, func(t *testing.T, b *testMatch) {
		if got := b.referee.setup.Begin; len(got) != 3 || got[1].Line != "b" {
			t.Fatalf("the game gets the answers %v, want those of the earlier match", got)
		}
		ask := func(seat int, shown string, bots ...driver.Answer) {
			b.send(&driver.Frame{BotAnswers: bots, Texts: []driver.Text{all(shown)}, Question: &driver.Question{Seats: []int{seat}, Seconds: 5}})
		}
		ask(0, "1\n")
		want(t, b.referee.answer(t), "a")
		ask(1, "2\n")
		want(t, b.referee.answer(t))
		ask(0, "3\n", driver.Answer{Seat: 1, Line: "b"})
		want(t, b.referee.answer(t), "c")
		if _, asked := b.Snapshot(); asked != nil {
			t.Errorf("seats %v are asked, want none: the referee works", asked)
		}
		ask(0, "4\n")
		want(t, b.referee.answer(t))
		b.players[0].want(t, "1\n>a\n2\n3\n>c\n4\n")
		pass(4e9) // the time of the first question that the player answers itself
		b.line(0, "own")
		want(t, b.referee.answer(t), "own")
		so, asked := b.Snapshot()
		if len(so.Answers) != 4 || so.State != record.Aborted || string(so.Stream) != "1\n2\n3\n4\n" || asked != nil {
			t.Errorf("got the snapshot %+v, seats %v asked, want four answers and the stream", so, asked)
		}
		b.Hinted(0)
		b.TakeBack("0123456789abc")
		b.aborted(t, "a move was taken back: the match goes on as 0123456789abc")
		if s := b.recorder.record.Seats[0]; s.Hints != 1 || s.Ended != driver.EndedAborted {
			t.Errorf("got the seat %+v, want one hint and no forfeit", s)
		}
	})
}

func TestGameThatDoesNotRepeatTheEarlierMatchIsAborted(t *testing.T) {
	question := func(tick bool, seats ...int) *driver.Frame {
		return &driver.Frame{Question: &driver.Question{Seats: seats, Seconds: 5, Tick: tick}}
	}
	answered := question(false, 0)
	answered.BotAnswers = []driver.Answer{{Seat: 1, Line: "x"}}
	for name, frames := range map[string][]*driver.Frame{
		"another seat":            {question(false, 1)},
		"more seats":              {question(false, 0, 1), question(false, 0, 1)},
		"a tick":                  {question(true, 0)},
		"a bot with its own line": {question(false, 0), question(false, 1), answered},
	} {
		t.Run(name, func(t *testing.T) {
			withBranch(t, opening, func(t *testing.T, b *testMatch) {
				for _, f := range frames {
					b.send(f)
					b.referee.answer(t)
				}
				b.aborted(t, strings.Split(notAgain, ":")[0])
			})
		})
	}
}
