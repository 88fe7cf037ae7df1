package serve

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/coco/internal/match"
	"colosseum/coco/internal/player"
	"colosseum/internal/locale"
	"colosseum/protocol"
)

func TestVerdicts(t *testing.T) {
	forfeit := endOf("x", 1, true, nil)
	forfeit.Result.Players[0].Ended = protocol.ForfeitTimeout // of a match that both lost
	draw := endOf("x", 1, true, nil)
	draw.Result.Players[1].Rank = 1
	together := endOf("x", 1, true, nil)
	for i := range together.Result.Players {
		together.Result.Players[i].Rank, together.Result.Players[i].Team = 1, 1
	}
	stopped := endOf("x", 1, true, nil)
	stopped.Result.Aborted = true
	gone := endOf("x", 1, true, errors.New("no connection"))
	gone.Result = nil
	never := gone
	never.Begun = false
	left := gone
	left.Err = &player.Failed{Text: locale.Errorf("the program failed: exit status 1")}
	unstarted := never
	unstarted.Err = left.Err
	walkover := never
	walkover.Walkover = "eve did not join in time"
	both := endOf("x", 1, true, nil)
	for i := range both.Result.Players {
		both.Result.Players[i].Rank, both.Result.Players[i].Ended = 1, protocol.ForfeitTimeout
	}
	alone := endOf("x", 1, true, nil)
	alone.Result.Players = slices.DeleteFunc(alone.Result.Players, func(p protocol.PlayerResult) bool { return p.Rank != 1 })
	for _, tt := range []struct {
		name, want string
		out        MatchEnd
	}{
		{"first", won, endOf("x", 1, true, nil)},
		{"alone", finished, alone},
		{"second", lost, endOf("x", 2, true, nil)},
		{"both first", drawn, draw},
		{"both first as a team", won, together},
		{"a forfeit", lost, forfeit},
		{"aborted", aborted, stopped},
		{"without a result", unknown, gone},
		{"the program failed, and coco left", lost, left},
		{"the program failed before the start", notPlayed, unstarted},
		{"the others did not come", won, walkover},
		{"all have forfeited", drawn, both},
		{"not begun", notPlayed, never},
	} {
		if got := tt.out.ending(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLogHasALineForEachEvent(t *testing.T) {
	var b bytes.Buffer
	report := Log(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	failed := endOf("m", 2, true, &player.Failed{Text: locale.Errorf("the program failed: exit status 1")})
	walkover := MatchEnd{Summary: match.Summary{Info: info("w"), Walkover: "eve did not join in time"}, Name: "bob", Err: errors.New("the match was closed")}
	walkover.complete()
	exited := endOf("e", 2, true, nil)
	exited.Result.Players[0].Ended, exited.Exit = protocol.ForfeitTimeout, "exit status 0"
	exited.complete()
	failed.Result.Reason, failed.LogPath = "bob forfeits", "logs/m.log"
	failed.Why, failed.Stderr = []*locale.Text{locale.Errorf("it was late")}, []string{"Traceback\x1b[2J"}
	for _, e := range []Event{
		{Kind: Entered, Contest: "friday"},
		{Kind: Connected, Player: "bob", Games: []string{"dama", "chess"}},
		{Kind: Started, Match: info("m"), Running: 1},
		{Kind: Disconnected, Err: errors.New("the connection was lost"), Delay: 250 * time.Millisecond, Running: 1},
		{Kind: Ended, End: &failed},
		{Kind: Ended, End: &walkover},
		{Kind: Ended, End: &exited},
		{Kind: Dropped, Match: info("n")},
		{Kind: Draining, Running: 2},
	} {
		report(e)
	}
	want := `level=INFO msg=entered contest=friday running=0
level=INFO msg=connected player=bob running=0
level=WARN msg="another coco serve of this player was ended: to serve several games, name them all in one" player=bob games="dama chess" running=0
level=INFO msg="match started" match=m game=g running=1
level=WARN msg="no connection" error="the connection was lost" retry_in=250ms running=1
level=WARN msg="match ended" match=m game=g opponents=eve result=lost score=2-1 reason="bob forfeits" error="the program failed: exit status 1" log=logs/m.log running=0
level=WARN msg=why match=m line="it was late"
level=WARN msg=stderr match=m line="Traceback\x1b[2J"
level=INFO msg="match ended" match=w game=g opponents="" result=won reason="eve did not join in time" running=0
level=WARN msg="match ended" match=e game=g opponents=eve result=lost score=2-1 error="the program ended before the match did: exit status 0" running=0
level=WARN msg="match not joined: other matches took too long to end" match=n game=g running=0
level=INFO msg=draining running=2
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestStatusSaysWhatTheDaemonDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStatus(nil, nil, "ws://host/", "g, 2 at once")
		want := func(lines ...string) {
			t.Helper()
			if got := s.linesLocked(time.Now()); !slices.Equal(got, lines) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
			}
		}
		want("ws://host/, g, 2 at once", "connecting for 0:00; 0 matches run", "0 won, 0 drawn, 0 lost")
		s.Report(Event{Kind: Connected, Player: "bob"})
		time.Sleep(65 * time.Second)
		m := info("m")
		m.Connected, m.Reserved = []string{"eve"}, []string{"bob"}
		s.Report(Event{Kind: Started, Match: m})
		time.Sleep(time.Hour)
		want("bob on ws://host/, g, 2 at once", "connected for 1:01:05; 1 match runs", "  g m, 1:00:00, against eve", "0 won, 0 drawn, 0 lost")
		out := endOf("m", 1, true, nil)
		out.Result.Reason = "all rounds played"
		at := time.Now().Format(time.TimeOnly)
		s.Report(Event{Kind: Ended, End: &out})
		s.Report(Event{Kind: Disconnected, Err: errors.New("the connection was lost"), Delay: 8 * time.Second})
		want("bob on ws://host/, g, 2 at once", "the connection was lost; next attempt in 0:08; 0 matches run", "1 won, 0 drawn, 0 lost", "  "+at+" won against eve, 2-1 (g m): all rounds played")
		s.Report(Event{Kind: Entered, Contest: "friday"})
		s.Report(Event{Kind: Entered, Contest: "monday"})
		if got, want := s.linesLocked(time.Now())[0], "bob on ws://host/, g, 2 at once, entered in friday monday"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		s.Report(Event{Kind: Draining})
		if got := s.linesLocked(time.Now())[1]; got != "draining: no new matches; 0 matches run" {
			t.Errorf("got %q, want that it drains", got)
		}
	})
}

// TestStatusIsBounded: a daemon runs for months.
func TestStatusIsBounded(t *testing.T) {
	s := NewStatus(nil, nil, "ws://host/", "g")
	failed := endOf("m", 2, true, &player.Failed{Text: locale.Errorf("the program failed")})
	for n := range 10_000 {
		s.Report(Event{Kind: Started, Match: info(fmt.Sprint(n))})
		out := failed
		out.Info = info(fmt.Sprint(n))
		s.Report(Event{Kind: Ended, End: &out})
	}
	if len(s.last) != shownResults || cap(s.last) > 10*shownResults || len(s.running) != 0 || len(s.remarks) != maxRemarks {
		t.Errorf("got %d results of %d, %d matches and %d remarks, want %d, none and %d", len(s.last), cap(s.last), len(s.running), len(s.remarks), shownResults, maxRemarks)
	}
}
