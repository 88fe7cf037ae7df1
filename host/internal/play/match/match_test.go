package match

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

func TestSilentRefereeIsAborted(t *testing.T) {
	tests := []struct {
		name  string
		frame *driver.Frame // after one second
		want  time.Duration // from then on
	}{
		{"from the start", nil, stall - time.Second},
		{"after a text", &driver.Frame{Texts: []driver.Text{all("x\n")}}, stall},
		{"after a pause", &driver.Frame{Pause: 50 * time.Second}, stall + 50*time.Second},
		{"while its bot thinks", &driver.Frame{Question: &driver.Question{Seats: []int{1}, Seconds: 20}}, stall + 20*time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withMatch(t, 1, 1, func(t *testing.T, b *testMatch) {
				pass(time.Second)
				if tt.frame != nil {
					b.send(tt.frame)
				}
				pass(tt.want - time.Millisecond)
				if b.over() {
					t.Fatalf("the match is aborted: %s, want it to go on", b.recorder.record.Reason)
				}
				pass(10 * time.Millisecond)
				b.aborted(t, "the game was silent for")
			})
		})
	}
}

func TestRefereeIsNotSilentWhileItWaitsForPlayers(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		b.ask(600, 0)
		pass(599 * time.Second)
		b.line(0, "x")
		want(t, b.referee.answer(t), "x")
		pass(stall - time.Second)
		b.ask(10, 0)
		b.line(0, "y")
		want(t, b.referee.answer(t), "y")
		pass(stall + 10*time.Millisecond)
		b.aborted(t, "silent")
	})
}

func TestLostProcessAbortsTheMatch(t *testing.T) {
	withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
		b.ask(10, 0)
		b.lose(errors.New("the game has stopped: it closed its connection"))
		b.aborted(t, "the game has stopped: it closed its connection")
	})
}

func TestProcessThatIsGoneBeforeTheStartAbortsTheMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 2, 0)
		b.referee.refusal = engine.ErrGone
		b.run(t)
		b.aborted(t, engine.ErrGone.Error())
		want(t, b.list, "begin", "recorded", "over", "ended A", "ended B")
	})
}

func TestShutdownAbortsTheMatchAndStillRecordsIt(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		b.send(&driver.Frame{Texts: []driver.Text{all("x\n")}})
		b.cancel()
		b.aborted(t, "the host is shutting down")
		if got := string(b.recorder.record.Stream); got != "x\n" {
			t.Errorf("the recorded stream is %q, want x", got)
		}
	})
}

func TestRecordIsCompleteAndDurableBeforeAnybodyGetsTheResult(t *testing.T) {
	withMatch(t, 2, 1, func(t *testing.T, b *testMatch) {
		if got := b.referee.setup; got.Seed != 7 || got.Settings.Timeout != 10 || got.Settings.Params["b"] != "2" || len(got.Names) != 3 ||
			got.Names[0] != "A" || got.Bots[0] || !got.Bots[2] || got.Stall != stall {
			t.Errorf("the referee got %+v, want that of the record", got)
		}
		b.line(0, "ahead")
		pass(time.Second)
		b.send(&driver.Frame{Texts: []driver.Text{all("x\n")}, Question: &driver.Question{Seats: []int{0, 1}, Seconds: 5}})
		pass(2 * time.Second)
		b.line(1, "b")
		want(t, b.referee.answer(t), "ahead", "b")
		b.ask(5, 0)
		pass(5 * time.Second)
		b.Leave(1)
		b.ask(5, 1)
		pass(time.Second)
		b.send(&driver.Frame{
			BotAnswers: []driver.Answer{{Seat: 2, Line: "c", At: 8500 * time.Millisecond}}, Texts: []driver.Text{all("y\n")},
			End: &driver.Result{Reason: "A wins", Seats: []driver.SeatResult{
				{Score: 1.5, Rank: 1, Ended: "finished", Team: 2}, {Rank: 3, Ended: "forfeit: timeout"}, {Rank: 2, Ended: "finished"},
			}},
		})
		if !b.over() {
			t.Fatal("the match goes on, want it ended")
		}
		want(t, b.list, "begin", "stop", "recorded", "over", "ended A", "ended B")
		got := b.recorder.record
		wanted := &record.Match{
			ID: "8gj5mqqjtoklo", Name: "T", Game: "g", Plugin: "p", Version: "v", Seed: 7, Timeout: 10,
			Args: map[string]string{"a": "1"}, Params: map[string]string{"a": "1", "b": "2"},
			Seats: []record.Seat{
				{Name: "A", Score: 1.5, Rank: 1, Ended: "finished", Team: 2}, {Name: "B", Rank: 3, Ended: "forfeit: timeout", Fault: record.Fault{Asked: "x"}},
				{Name: "C", Bot: true, Rank: 2, Ended: "finished"},
			},
			Started: b.start, Ended: b.start.Add(9 * time.Second), State: record.Finished, Reason: "A wins",
			Answers: []record.Answer{
				{Seat: 0, Line: "ahead", At: time.Second}, // counted from the question on
				{Seat: 1, Line: "b", At: 3 * time.Second},
				{Seat: 0, Outcome: "timeout", At: 8 * time.Second},
				{Seat: 1, Outcome: "disconnected", At: 8 * time.Second},
				{Seat: 2, Line: "c", At: 8500 * time.Millisecond},
			},
			Stream: []byte("x\ny\n"),
		}
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("recorded\n%+v\nwant\n%+v", got, wanted)
		}
		if b.recorder.begun.ID != got.ID || len(b.recorder.begun.Seats) != 3 || !b.recorder.begun.Started.Equal(b.start) {
			t.Errorf("begun with %+v, want the seats and the start of the record", b.recorder.begun)
		}
		result := protocol.MatchResult{Reason: "A wins", Players: []protocol.PlayerResult{
			{Name: "A", Score: 1.5, Rank: 1, Ended: "finished", Team: 2}, {Name: "B", Rank: 3, Ended: "forfeit: timeout", Fault: &protocol.Fault{Asked: "x"}}, {Name: "C", Rank: 2, Ended: "finished"},
		}}
		for _, p := range b.players[:2] {
			if !reflect.DeepEqual(*p.result, result) {
				t.Errorf("%s got %+v, want %+v", p.name, p.result, result)
			}
		}
		if _, r := b.config.Stream.Read(4, 10); r == nil || !reflect.DeepEqual(*r, result) {
			t.Errorf("spectators got %+v, want %+v", r, result)
		}
	})
}

func TestPlayersReadWhenTheRecordIsNotSaved(t *testing.T) {
	tests := []struct{ name, reason, want string }{
		{"no reason", "", "the record of the match is not saved yet"},
		{"a reason", "A wins", "A wins; the record of the match is not saved yet"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTestMatch(t, 1, 0)
				b.recorder.failure = errors.New("disk full")
				b.run(t)
				e := ended(1)
				e.Reason = tt.reason
				b.send(&driver.Frame{End: e})
				if !b.over() || b.players[0].result.Reason != tt.want {
					t.Errorf("got %+v, want the reason %q", b.players[0].result, tt.want)
				}
			})
		})
	}
}

func TestMatchOfAFencedHostIsAbortedForEverybody(t *testing.T) {
	withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
		b.recorder.failure = fmt.Errorf("record it: %w", record.ErrFenced)
		b.send(&driver.Frame{End: ended(2)})
		if !b.over() {
			t.Fatal("the match goes on, want it ended")
		}
		_, seen := b.config.Stream.Read(b.config.Stream.Len(), 1)
		for who, got := range map[string]*protocol.MatchResult{"player 0": b.players[0].result, "player 1": b.players[1].result, "spectators": seen} {
			if !got.Aborted || !strings.Contains(got.Reason, "lost contact") || got.Players[0].Ended != protocol.EndedAborted || got.Players[0].Score != 0 {
				t.Errorf("%s got %+v, want an aborted match with the reason", who, got)
			}
		}
	})
}

func TestSeatsAreDrawnByLot(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(300) {
		m, places := New(Config{Record: &record.Match{Seed: seed}, Seats: []Participant{{Name: "A"}, {Name: "B"}, {Name: "C"}}, Stream: NewStream()})
		drawn := ""
		for i, s := range m.seats {
			drawn += s.name
			if m.record.Seats[i].Name != s.name || m.seats[places[0]].name != "A" {
				t.Fatalf("seed %d: got the seats %v and the order %v, want the same order", seed, m.record.Seats, places)
			}
		}
		counts[drawn]++
	}
	if len(counts) != 6 {
		t.Fatalf("got the orders %v, want all 6", counts)
	}
	for drawn, n := range counts {
		if n < 25 || n > 80 { // 50 expected
			t.Errorf("%s was drawn %d times of 300, want 25 to 80", drawn, n)
		}
	}
}

func TestSeatsAreNotDrawnWhenTheyAreFixed(t *testing.T) {
	for seed := range uint64(20) {
		m, order := New(Config{
			Record: &record.Match{Seed: seed}, Seated: true, Stream: NewStream(),
			Seats: []Participant{{Name: "A"}, {Name: "B"}, {Name: "C"}},
		})
		if !slices.Equal(order, []int{0, 1, 2}) || m.record.Seats[0].Name != "A" || m.record.Seats[2].Name != "C" {
			t.Fatalf("seed %d: got the order %v and the seats %v, want A, B, C", seed, order, m.record.Seats)
		}
	}
}

func TestRecordHasTheWholeStreamOfADelayedMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 1, 0)
		b.config.Stream = NewDelayedStream(time.Minute)
		b.run(t)
		spectator := &reader{stream: b.config.Stream}
		b.config.Stream.Watch(spectator)
		b.send(&driver.Frame{Texts: []driver.Text{all("one\n")}})
		if part, _ := b.config.Stream.Read(0, 100); len(part) != 0 || b.players[0].got != "one\n" {
			t.Errorf("spectators see %q, and the player %q, want nothing, and one", part, b.players[0].got)
		}
		b.send(&driver.Frame{Texts: []driver.Text{all("two\n")}, End: ended(1)})
		if !b.over() || string(b.recorder.record.Stream) != "one\ntwo\n" || string(spectator.got) != "one\ntwo\n" {
			t.Errorf("the record has %q, and the spectator %q, want both lines at the end", b.recorder.record.Stream, spectator.got)
		}
	})
}
