package match

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

func TestNotesOfBotsAreInTheRecordUpToALimit(t *testing.T) {
	withMatch(t, 1, 1, func(t *testing.T, b *testMatch) {
		note := func(text string) {
			b.send(&driver.Frame{BotAnswers: []driver.Answer{{Seat: 1, Note: text}}, Texts: []driver.Text{all("x\nx\n")}})
		}
		long := strings.Repeat("x", driver.MaxNote)
		note(" depth 9\x00")
		note("")
		for range maxNotes/driver.MaxNote - 1 {
			note(long + "x")
		}
		note(long)
		note("short")
		b.send(&driver.Frame{End: ended(2)})
		if !b.over() {
			t.Fatal("the match goes on, want it to end")
		}
		answers := b.recorder.record.Answers
		last := len(answers) - 1
		for i, want := range map[int]record.Answer{
			0: {Seat: 1, Note: "depth 9\ufffd"}, 1: {Seat: 1}, 2: {Seat: 1, Note: long, Lines: 4},
			last - 1: {Seat: 1}, last: {Seat: 1, Note: "short", Lines: 2 * last},
		} {
			if answers[i] != want {
				t.Errorf("answer %d: got %v, want %v", i, answers[i], want)
			}
		}
	})
}

func TestRefereeThatSendsEmptyFramesWithoutEndIsAborted(t *testing.T) {
	for name, frame := range map[string]*driver.Frame{"nothing": {}, "pauses": {Pause: time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
				for range maxEmpty {
					b.send(frame)
				}
				b.send(&driver.Frame{Texts: []driver.Text{all("x\n")}})
				for range maxEmpty {
					b.send(frame)
				}
				if b.over() {
					t.Fatalf("the match is aborted: %s, want it to go on", b.recorder.record.Reason)
				}
				b.send(frame)
				b.aborted(t, "the game sends too much: 4097 frames in a row with nothing in them")
			})
		})
	}
}

func TestRefereeThatSendsTooMuchBetweenQuestionsIsAborted(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		part := &driver.Frame{Texts: []driver.Text{all(strings.Repeat("x", maxTurn/2-1) + "\n")}}
		b.send(part)
		b.send(part)
		b.send(&driver.Frame{Question: &driver.Question{Seats: []int{0}, Seconds: 1}})
		b.line(0, "x")
		b.send(part)
		b.send(part)
		if b.over() {
			t.Fatalf("the match is aborted: %s, want it to go on", b.recorder.record.Reason)
		}
		b.send(&driver.Frame{Texts: []driver.Text{all("x\n")}})
		b.aborted(t, "the game sends too much: 524290 bytes for players between two questions, of at most 524288")
	})
}

func TestRefereeThatShowsTooMuchIsAborted(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		mega := []byte(strings.Repeat("x", 1<<20-1) + "\n")
		for range MaxStream >> 20 {
			b.send(&driver.Frame{Texts: []driver.Text{{To: driver.ToSpectators, Lines: mega}}})
		}
		if b.over() {
			t.Fatalf("the match is aborted: %s, want it to go on", b.recorder.record.Reason)
		}
		b.send(&driver.Frame{Texts: []driver.Text{{To: driver.ToSpectators, Lines: []byte("x\n")}}})
		b.aborted(t, "shows too much")
	})
}

func TestTheLongestOfTooManyBytesIsAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const part = 1 << 20
		total := NewTotal(10 * part)
		show := func(b *testMatch) {
			b.send(&driver.Frame{Texts: []driver.Text{{To: driver.ToSpectators, Lines: append(make([]byte, part-1), '\n')}}})
		}
		matches := make([]*testMatch, 3)
		for i := range matches {
			matches[i] = newTestMatch(t, 1, 0)
			matches[i].config.Total = total
			matches[i].run(t)
		}
		loud, quiet, finished := matches[0], matches[1], matches[2]
		show(finished)
		finished.send(&driver.Frame{End: ended(1)})
		for range 7 {
			show(loud)
		}
		for range 3 {
			show(quiet)
		}
		if loud.over() || quiet.over() || total.Bytes() != 10*part {
			t.Fatalf("aborted at %d bytes, want 10 MiB: an ended match does not count", total.Bytes())
		}
		show(quiet)
		loud.aborted(t, "show too much in all")
		for range 6 {
			show(quiet)
		}
		if quiet.over() || total.Bytes() != 10*part {
			t.Errorf("the other match is over: %v, and %d bytes count, want it to go on with 10 MiB", quiet.over(), total.Bytes())
		}
		show(quiet)
		quiet.aborted(t, "show too much in all")
		total.SetMax(0)
	})
}

// A referee without end would fill the memory with answers: of bots, for which nobody
// waits, or of a player that sends illegal lines forever.
func TestMatchWithoutEndIsAborted(t *testing.T) {
	long := strings.Repeat("x", 4096)
	t.Run("of bots", func(t *testing.T) {
		withMatch(t, 1, 1, func(t *testing.T, b *testMatch) {
			turn := &driver.Frame{BotAnswers: []driver.Answer{{Seat: 1, Line: "x"}}, Question: &driver.Question{Seats: []int{1}, Seconds: 1}}
			n := 0
			for ; !b.over() && n <= maxAnswers/answerWeight; n += 1000 {
				for range 1000 {
					b.put(turn)
				}
			}
			b.aborted(t, "the match does not end")
			if n < maxAnswers/answerWeight/2 {
				t.Errorf("aborted after %d answers, want %d at least", n, maxAnswers/answerWeight/2)
			}
		})
	})
	t.Run("of a player", func(t *testing.T) {
		withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
			n := 0
			for ; !b.over() && n <= maxAnswers/len(long); n++ {
				b.ask(10, 0)
				b.line(0, long)
				b.referee.answer(t)
			}
			b.aborted(t, "the match does not end")
			if n < maxAnswers/len(long)/2 {
				t.Errorf("aborted after %d answers, want %d at least", n, maxAnswers/len(long)/2)
			}
		})
	})
}

func TestGameThatBreaksTheRulesOfTheWireIsAborted(t *testing.T) {
	score := func(s driver.SeatResult) *driver.Frame {
		e := ended(2)
		e.Seats[1] = s
		return &driver.Frame{End: e}
	}
	ask := func(seconds float64, seats ...int) *driver.Frame {
		return &driver.Frame{Question: &driver.Question{Seats: seats, Seconds: seconds}}
	}
	tests := []struct {
		name   string
		frames []*driver.Frame
		want   string
	}{
		{"answers for a player", []*driver.Frame{{BotAnswers: []driver.Answer{{Seat: 0}}}}, "it answers for seat 0"},
		{"answers for nobody", []*driver.Frame{{BotAnswers: []driver.Answer{{Seat: 2}}}}, "it answers for seat 2"},
		{"sends to nobody", []*driver.Frame{{Texts: []driver.Text{{Seat: 2}}}}, "it sends to seat 2 of 2"},
		{"unknown audience", []*driver.Frame{{Texts: []driver.Text{{To: 4}}}}, "unknown audience 4"},
		{"pauses too long", []*driver.Frame{{Pause: maxPause + time.Millisecond}}, "it pauses for 60001 ms"},
		{"result for one", []*driver.Frame{{End: ended(1)}}, "its result is for 1 seats of 2"},
		{"score that is not a number", []*driver.Frame{score(driver.SeatResult{Score: math.NaN(), Ended: "finished"})}, "score of NaN"},
		{"endless score", []*driver.Frame{score(driver.SeatResult{Score: math.Inf(1), Ended: "finished"})}, "score of +Inf"},
		{"unknown rank", []*driver.Frame{score(driver.SeatResult{Rank: 3, Ended: "finished"})}, "rank 3 of 2"},
		{"no rank", []*driver.Frame{score(driver.SeatResult{Ended: "finished"})}, "rank 0 of 2"},
		{"nobody is the first", []*driver.Frame{{End: &driver.Result{Seats: []driver.SeatResult{{Rank: 2, Ended: "finished"}, {Rank: 2, Ended: "finished"}}}}}, "rank 2 instead of 1"},
		{"huge score", []*driver.Frame{score(driver.SeatResult{Score: -1e308, Ended: "finished"})}, "score of -1e+308"},
		{"aborted for one", []*driver.Frame{score(driver.SeatResult{Rank: 1, Ended: "aborted"})}, `ended "aborted"`},
		{"text without its end", []*driver.Frame{{Texts: []driver.Text{all("a\nb")}}}, "a text without a line feed at its end"},
		{"empty text", []*driver.Frame{{Texts: []driver.Text{all("")}}}, "a text without a line feed at its end"},
		{"unknown team", []*driver.Frame{score(driver.SeatResult{Rank: 1, Team: 3, Ended: "finished"})}, "team 3 in a match of 2"},
		{"team with two ranks", []*driver.Frame{{End: &driver.Result{Seats: []driver.SeatResult{{Rank: 1, Team: 1, Ended: "finished"}, {Rank: 2, Team: 1, Ended: "finished"}}}}}, "the ranks 1 and 2 for seats of team 1"},
		{"unknown end", []*driver.Frame{score(driver.SeatResult{Rank: 1, Ended: "exploded"})}, `ended "exploded"`},
		{"no time", []*driver.Frame{ask(0, 0)}, "it gives 0 seconds"},
		{"too much time", []*driver.Frame{ask(601, 0)}, "it gives 601 seconds"},
		{"time that is not a number", []*driver.Frame{ask(math.NaN(), 0)}, "it gives NaN seconds"},
		{"asks nobody", []*driver.Frame{ask(1)}, "it asks nobody"},
		{"asks an unknown seat", []*driver.Frame{ask(1, 2)}, "it asks seat 2 of 2"},
		{"asks twice", []*driver.Frame{ask(1, 0, 0)}, "it asks seat 0 of 2, or asks it twice"},
		{"asks again before the answer", []*driver.Frame{ask(1, 0), ask(1, 0)}, "while its question waits"},
		{"sends a text before the answer", []*driver.Frame{ask(1, 0), {Texts: []driver.Text{all("x\n")}}}, "while its question waits"},
		{"ends before the answer", []*driver.Frame{ask(1, 0), {End: ended(2)}}, "while its question waits"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withMatch(t, 1, 1, func(t *testing.T, b *testMatch) {
				for _, f := range tt.frames {
					b.send(f)
				}
				b.aborted(t, "the game failed: ")
				if !strings.Contains(b.recorder.record.Reason, tt.want) {
					t.Errorf("the reason is %q, want it to contain %q", b.recorder.record.Reason, tt.want)
				}
			})
		})
	}
}

func TestBrokenResumptionAbortsTheMatch(t *testing.T) {
	for want, resumed := range map[string][]int{
		"it resumes the turn of seat 1, which it does not ask": {1},
		"it resumes 2 turns, and asks 1 seats":                 {0, 0},
	} {
		withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
			b.send(&driver.Frame{Question: &driver.Question{Seats: []int{0}, Seconds: 10, Resumed: resumed}})
			b.aborted(t, "the game failed: "+want)
		})
	}
}

func TestReasonsAreCleanedForTerminals(t *testing.T) {
	long := strings.Repeat("é", maxReason)
	for reason, want := range map[string]string{
		"A wins\x1b[2J\tby\nfar\u009b": "A wins\ufffd[2J by far\ufffd",
		"– ♔ wins":                     "– ♔ wins",
		"x" + long:                     "x" + long[:maxReason-2] + "…",
	} {
		for _, aborted := range []bool{false, true} {
			withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
				end := ended(2)
				end.Reason, end.Aborted = reason, aborted
				b.send(&driver.Frame{End: end})
				if got := b.recorder.record.Reason; !b.over() || got != want || b.players[0].result.Reason != want {
					t.Errorf("%q: recorded %q, want %q", reason, got, want)
				}
			})
		}
	}
}

// A game that gives up need not have filled in its result.
func TestAbortedMatchHasNoRanks(t *testing.T) {
	withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
		end := ended(2)
		end.Reason, end.Aborted, end.Seats[0].Score = "it gave up", true, math.Inf(1)
		b.send(&driver.Frame{End: end})
		b.aborted(t, "it gave up")
		for _, s := range b.recorder.record.Seats {
			if s.Rank != 0 || s.Score != 0 || s.Ended != driver.EndedAborted {
				t.Errorf("recorded %+v, want no rank and no score", s)
			}
		}
	})
}

func TestEveryEndOfTheSDKIsAccepted(t *testing.T) {
	for _, end := range []driver.Ended{
		driver.EndedFinished,
		driver.ForfeitIllegal, driver.ForfeitTimeout, driver.ForfeitDisconnected, driver.ForfeitResigned,
	} {
		t.Run(string(end), func(t *testing.T) {
			withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
				b.send(&driver.Frame{End: &driver.Result{Seats: []driver.SeatResult{{Rank: 1, Ended: end}}}})
				if !b.over() || b.recorder.record.State != record.Finished || b.recorder.record.Seats[0].Ended != end {
					t.Errorf("recorded %+v, want seat 0 to have ended as %q", b.recorder.record, end)
				}
			})
		})
	}
}

func TestClientsKnowTheEndsOfTheSDK(t *testing.T) {
	for got, want := range map[string]driver.Ended{
		protocol.EndedFinished: driver.EndedFinished, protocol.EndedAborted: driver.EndedAborted,
		protocol.ForfeitIllegal: driver.ForfeitIllegal, protocol.ForfeitTimeout: driver.ForfeitTimeout,
	} {
		if got != string(want) {
			t.Errorf("package protocol has %q, want %q", got, want)
		}
	}
}

func TestLongReasonIsCut(t *testing.T) {
	withMatch(t, 1, 0, func(t *testing.T, b *testMatch) {
		e := ended(1)
		e.Reason = strings.Repeat("é", 1<<20)
		b.send(&driver.Frame{End: e})
		if !b.over() {
			t.Fatal("the match goes on, want it ended")
		}
		got := b.players[0].result.Reason
		if len(got) > maxReason+len("…") || !strings.HasSuffix(got, "é…") || strings.ContainsRune(got, '\uFFFD') {
			t.Errorf("the reason has %d bytes: %.20q, want %d at most and an ellipsis", len(got), got, maxReason)
		}
	})
}

func TestTextsReachTheirAudience(t *testing.T) {
	withMatch(t, 2, 1, func(t *testing.T, b *testMatch) {
		b.send(&driver.Frame{Texts: []driver.Text{
			{To: driver.ToSeat, Seat: 0, Lines: []byte("only 0\n")},
			{To: driver.ToSpectators, Lines: []byte("spectators\n")},
			{To: driver.ToOthers, Seat: 0, Lines: []byte("not 0\n")},
			all("all\n"),
			{To: driver.ToSeat, Seat: 2, Lines: []byte("the bot\n")},
		}})
		stream, _ := b.config.Stream.Read(0, 1000)
		want(t, []string{b.players[0].got, b.players[1].got, string(stream)}, "only 0\nall\n", "not 0\nall\n", "spectators\nnot 0\nall\n")
	})
}
