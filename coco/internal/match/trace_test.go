package match

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/internal/locale"
	"colosseum/internal/test/race"
	"colosseum/protocol"
)

func TestForfeitIsExplained(t *testing.T) {
	const ms = time.Millisecond
	illegal := protocol.PlayerResult{Name: "ann", Ended: protocol.ForfeitIllegal}
	timeout := protocol.PlayerResult{Name: "ann", Ended: protocol.ForfeitTimeout}
	gone := protocol.PlayerResult{Name: "ann", Ended: protocol.Forfeit + "disconnected"}
	with := func(r protocol.PlayerResult, f protocol.Fault) protocol.PlayerResult {
		r.Fault = &f
		return r
	}
	tests := []struct {
		name string
		play func(tr *trace)
		own  protocol.PlayerResult
		want []string
	}{
		{"an illegal line, by coco alone", func(tr *trace) {
			tr.received([]byte("a\nb\nc\nyour "))
			tr.received([]byte("move\n"))
			tr.sent([]byte("FIRST\nE"))
			tr.sent([]byte("2\x1b\n"))
			tr.received([]byte("no such field\n"))
		}, illegal, []string{`The refused line: "E2\x1b"`, `Received before it: "b" "c" "your move"`, `Received after it: "no such field"`}},
		{"an illegal line, which the server knows", func(tr *trace) {
			tr.received([]byte("go\n"))
			tr.sent([]byte("BAD\n"))
			tr.sent([]byte("SENT AHEAD\n"))
			tr.received([]byte("the end\n"))
		}, with(illegal, protocol.Fault{Line: "BAD", Asked: "go"}), []string{`The refused line: "BAD"`, `Received before it: "go"`}},
		{"long texts", func(tr *trace) {
			tr.received([]byte(strings.Repeat("x", 10_000) + "\n"))
			tr.sent([]byte(strings.Repeat("ü", 10_000) + "\n"))
		}, illegal, []string{`The refused line: "` + strings.Repeat("ü", 100) + `"…`, `Received before it: "` + strings.Repeat("x", 200) + `"…`}},
		{"silence", func(tr *trace) {
			tr.received([]byte("go\n"))
			tr.sent([]byte("ONE\n"))
			time.Sleep(50 * ms)
			tr.received([]byte("go on\n"))
			time.Sleep(5001 * ms)
			tr.received([]byte("RETIRE\n"))
			time.Sleep(ms)
		}, with(timeout, protocol.Fault{Asked: "go on"}), []string{`The program had last received: "go on"`, "That was 5.002 s before the end of the match; the program wrote no line after it (5 s are allowed for an answer)"}},
		{"silence without a line feed", func(tr *trace) {
			tr.received([]byte("go\n"))
			tr.sent([]byte("RO"))
			tr.sent([]byte("CK"))
			time.Sleep(5 * time.Second)
		}, timeout, []string{`The program had last received: "go"`, "That was 5 s before the end of the match; the program wrote no line after it (5 s are allowed for an answer)", `It wrote "ROCK" without a line feed at the end`}},
		{"a late line, by coco alone", func(tr *trace) {
			tr.sent([]byte("READY\n"))
			tr.received([]byte("go\n"))
			time.Sleep(5250 * ms)
			tr.sent([]byte("ROCK\n"))
			time.Sleep(20 * ms)
		}, timeout, []string{`The program had last received: "go"`, `The program wrote "ROCK" 5.25 s after that, when 5 s are allowed: it was 0.25 s too late`}},
		{"a late first line", func(tr *trace) {
			tr.received([]byte("go\n"))
			time.Sleep(7250 * ms)
			tr.sent([]byte("ROCK\n"))
			time.Sleep(20 * ms)
		}, timeout, []string{`The program had last received: "go"`, `The program wrote "ROCK" 7.25 s after that (5 s are allowed for an answer), 0.02 s before the end of the match`}},
		{"a late line on a slow network", func(tr *trace) {
			tr.received([]byte("go\n"))
			time.Sleep(4900 * ms)
			tr.sent([]byte("ROCK\n"))
			time.Sleep(300 * ms)
		}, timeout, []string{`The program had last received: "go"`, `The program wrote "ROCK" 4.9 s after that (5 s are allowed for an answer), 0.3 s before the end of the match`}},
		{"a late line, which the server knows", func(tr *trace) {
			tr.received([]byte("go\n"))
		}, with(timeout, protocol.Fault{Line: "ROCK", Asked: "go", Late: 30}), []string{`The program had last received: "go"`, `The line "ROCK" came 0.03 s too late`}},
		{"nothing was received", func(tr *trace) {}, timeout, []string{"The program had received nothing"}},
		{"gone", func(tr *trace) {
			tr.received([]byte("go\n"))
			tr.sent([]byte("ROCK\n"))
			tr.received([]byte("go on\n"))
		}, gone, []string{`The program had last received: "go" "go on"`, `The program's last line: "ROCK"`}},
		{"no forfeit", func(tr *trace) { tr.sent([]byte("ROCK\n")) }, protocol.PlayerResult{Name: "ann", Ended: protocol.EndedFinished}, nil},
		{"of another player", func(tr *trace) { tr.sent([]byte("ROCK\n")) }, protocol.PlayerResult{Name: "bob", Ended: protocol.ForfeitIllegal}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := &trace{}
				tr.know(protocol.MatchInfo{Timeout: 5})
				tt.play(tr)
				got := tr.end(&protocol.MatchResult{Players: []protocol.PlayerResult{tt.own}}, "ann", nil, time.Now())
				if !slices.EqualFunc(got, tt.want, func(text *locale.Text, want string) bool { return text.Error() == want }) {
					t.Errorf("got\n%q\nwant\n%q", got, tt.want)
				}
			})
		})
	}
}

func TestTraceIsBounded(t *testing.T) {
	race.Skip(t, "one goroutine computes")
	tr := &trace{}
	for range 1000 {
		tr.received(make([]byte, 100_000))
		tr.received(make([]byte, 10))
		tr.sent(make([]byte, 100_000))
	}
	for what, b := range map[string][]byte{"received": tr.recent, "after": tr.after, "open": tr.open, "asked": tr.asked} {
		if len(b) > recentBytes {
			t.Errorf("%s: got %d bytes, want at most %d", what, len(b), recentBytes)
		}
	}
}

func TestMatchOfAContestIsAWalkoverIfTheOthersDidNotCome(t *testing.T) {
	for _, tt := range []struct{ name, contest, reason, want string }{
		{"a contest", "friday", "eve did not join in time", "eve did not join in time"},
		{"a contest that has ended", "friday", "the contest was removed", ""},
		{"no contest", "", "eve did not join in time", ""},
	} {
		var tr trace
		tr.know(protocol.MatchInfo{ID: "m", Contest: tt.contest})
		tr.closed(tt.reason)
		m := Match{}
		m.trace.walkover = tr.walkover
		if got := m.Summary().Walkover; got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
