package hosted

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/games/program"
	"colosseum/host/internal/games/sandbox"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/archive"
	"colosseum/host/internal/submissions/build"
	"colosseum/host/internal/submissions/language"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

const (
	wins  = "read x; echo win"
	loses = "read x; echo lose"
)

func TestProgramsPlayAMatch(t *testing.T) {
	h := open(t, 10)
	h.handIn(t, "ann", loses)
	ann := h.handIn(t, "ann", "read x; echo win; echo I win >&2")
	h.handIn(t, "bob", loses)
	last := h.play(t, []string{"bob", "ann"}, 1, 2)
	if !last.Info.Running || last.Reason != "" {
		t.Fatalf("got the end %+v, want that of a match that ran", last)
	}
	var seats []string
	for _, s := range h.record(t, last.Info.ID).Seats {
		seats = append(seats, fmt.Sprint(s.Name, " ", s.Player, " ", s.Version, " ", s.Rank, " ", s.Ended))
	}
	if want := []string{"bob bob 1 2 finished", "ann ann 2 1 finished"}; !slices.Equal(seats, want) {
		t.Errorf("got the seats %q, want %q", seats, want)
	}
	poll.Until(t, "the journal is kept", func() bool {
		text, _, err := h.store.Submissions().Journal(t.Context(), ann.Number, last.Info.ID)
		return err == nil && text == "I win"
	})
	poll.Until(t, "the match is counted", func() bool { s := h.Stats(); return s.Matches == 1 && s.Playing == 0 && s.Failures == 0 })
	for _, path := range []string{"bot.sh", "data/book.txt"} {
		info, err := os.Stat(filepath.Join(h.folder(keyOf(ann)), path))
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o222 != 0 {
			t.Errorf("%q: got %v and %v, want a file that cannot be written", path, info, err)
		}
	}
	h.sweep(time.Now().Add(time.Hour))
	if _, err := os.Stat(h.folder(keyOf(ann))); err != nil {
		t.Errorf("the files of an active version: got %v, want them", err)
	}
	h.handIn(t, "ann", "exit 1")
	h.sweep(time.Now().Add(time.Hour))
	if _, err := os.Stat(h.folder(keyOf(ann))); !os.IsNotExist(err) {
		t.Errorf("the files of a version that does not play: got %v, want that they are gone", err)
	}
	last = h.play(t, []string{"ann", "bob"}, 2, 1) // it was still active when the match was created
	if r := h.record(t, last.Info.ID); r.Seats[0].Rank != 1 {
		t.Errorf("got the seats %+v, want that the earlier version wins", r.Seats)
	}
}

func TestProgramThatFailsRests(t *testing.T) {
	h := open(t, 3)
	changed := h.Changed()
	h.handIn(t, "bob", wins)
	select {
	case <-changed:
	default:
		t.Error("got no change of the versions, want one")
	}
	ann := h.handIn(t, "ann", "read x; echo oops >&2; echo e9; exit 7")
	order := []string{"ann", "bob"}
	for range 2 {
		h.play(t, order, 1, 1)
	}
	poll.Until(t, "the matches are counted", func() bool { return h.Stats().Matches == 2 })
	if v := h.Versions("duel"); v["ann"] != 1 {
		t.Errorf("after two failures: got the versions %v, want that of ann", v)
	}
	last := h.play(t, order, 1, 1)
	poll.Until(t, "it rests", func() bool { return h.Versions("duel")["ann"] == 0 })
	h.play(t, order, 1, 1) // it was created before
	poll.Until(t, "the matches are counted", func() bool { return h.Stats().Matches == 4 })
	h.mu.Lock()
	defer h.mu.Unlock()
	want := "ann because it forfeited match " + last.Info.ID + ": illegal"
	if len(h.rested) != 1 || !strings.HasPrefix(h.rested[0], want) {
		t.Errorf("got %q, want one that begins with %q", h.rested, want)
	}
	text, _, err := h.store.Submissions().Journal(t.Context(), ann.Number, last.Info.ID)
	if err != nil || !strings.Contains(text, "illegal") || !strings.HasSuffix(text, "oops") {
		t.Errorf("got the journal %q and %v, want the reason and its stderr", text, err)
	}
}

func TestResigningIsNoFailure(t *testing.T) {
	h := open(t, 1)
	h.handIn(t, "ann", "read x; echo resign")
	h.handIn(t, "bob", wins)
	h.play(t, []string{"ann", "bob"}, 1, 1)
	poll.Until(t, "the match is counted", func() bool { return h.Stats().Matches == 1 })
	if s := h.Stats(); s.Failures != 0 || h.Versions("duel")["ann"] != 1 {
		t.Errorf("got %+v and the versions %v, want no failure and no rest", s, h.Versions("duel"))
	}
}

func TestProgramThatCannotBeStartedForfeits(t *testing.T) {
	h := open(t, 1)
	h.handIn(t, "ann", wins, filepath.Join(t.TempDir(), "missing"))
	h.handIn(t, "bob", loses)
	last := h.play(t, []string{"ann", "bob"}, 1, 1)
	if s := h.record(t, last.Info.ID).Seats[0]; s.Ended != "forfeit: disconnected" {
		t.Errorf("got the seat %+v, want a forfeit", s)
	}
	poll.Until(t, "it rests", func() bool { return h.Versions("duel")["ann"] == 0 })
}

// guest is a connected player that leaves its match.
type guest struct{ match.Absentee }

func (*guest) Joined(protocol.MatchInfo) {}
func (*guest) Update([]byte)             {}
func (*guest) Expired(_, _ string)       {}

func (*guest) Started(m *match.Match, seat int) { go m.Leave(seat) }

// A match with a connected player does not take the only core for itself.
func TestProgramPlaysConnectedPlayers(t *testing.T) {
	h := open(t, 1)
	h.handIn(t, "ann", wins)
	h.alone <- struct{}{}
	gone := make(chan lobby.Change, 1)
	info, err := h.lobby.CreateFor(t.Context(), lobby.Client{}, protocol.GameNew{Name: "T", Game: "duel"}, &lobby.Seats{
		Order: []string{"ann", "bob"}, Programs: []int{1, 0}, Within: time.Minute, Changed: func(c lobby.Change) {
			if c.Gone {
				gone <- c
			}
		},
	})
	if err == nil {
		err = h.lobby.Join(&guest{}, lobby.Client{Player: "bob"}, protocol.LobbyJoinMatch{ID: info.ID, Name: "bob"})
	}
	if err != nil {
		t.Fatal(err)
	}
	poll.Receive(t, "the match has ended", gone)
	r := h.record(t, info.ID)
	if a, b := r.Seats[0], r.Seats[1]; a.Version != 1 || a.Rank != 1 || b.Version != 0 || b.Ended != "forfeit: disconnected" {
		t.Errorf("got the seats %+v, want that version 1 of ann wins, because bob has left", r.Seats)
	}
}

func TestFaultOfTheHostRemovesTheMatch(t *testing.T) {
	h := open(t, 1)
	h.handIn(t, "ann", wins)
	h.handIn(t, "bob", loses)
	h.mu.Lock()
	h.broken = true
	h.mu.Unlock()
	last := h.play(t, []string{"ann", "bob"}, 1, 1)
	if last.Info.Running || last.Absent != nil || last.Reason != "the host could not run version 1 of ann" {
		t.Errorf("got the end %+v, want a match that was removed, with nobody absent", last)
	}
	h.mu.Lock()
	h.broken = false
	h.mu.Unlock()
	if last := h.play(t, []string{"ann", "bob"}, 1, 1); !last.Info.Running {
		t.Errorf("got the end %+v, want a match that ran", last)
	}
	poll.Until(t, "the match is counted", func() bool { return h.Stats().Matches == 1 })
	if s := h.Stats(); s.Faults != 1 || s.Failures != 0 || len(h.Versions("duel")) != 2 {
		t.Errorf("got %+v, want one fault of the host, and that nobody rests", s)
	}
	if last := h.play(t, []string{"ann", "bob"}, 1, 7); last.Info.Running {
		t.Errorf("a version that does not exist: got the end %+v, want a match that was removed", last)
	}
}

// source is a program in C that wins.
const source = `#include <stdio.h>
int main(void) { char b[100]; if (fgets(b, sizeof b, stdin)) { puts("win"); fflush(stdout); } fgets(b, sizeof b, stdin); }`

// TestConfinedProgramsPlayALadder is TestLadderOfPrograms for programs that are built and
// confined, as on a host.
func TestConfinedProgramsPlayALadder(t *testing.T) {
	if missing := sandbox.Supported().Missing(); len(missing) > 0 {
		t.Skip(missing[0].Text)
	}
	set, err := language.Load()
	if err != nil {
		t.Fatal(err)
	}
	c, err := set.Find("c")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Installed(t.Context()); err != nil {
		t.Skip(err)
	}
	tree := archive.Tree{{Path: "bot.c", Data: []byte(source)}}
	plan, err := set.Recognize(tree, nil)
	if err != nil {
		t.Fatal(err)
	}
	limits := build.Limits{Time: poll.Limit, CPU: poll.Limit, Memory: 2 << 30, Disk: 1 << 30, File: 1 << 28, Files: 10_000, Processes: 100, Output: 1 << 20}
	built, err := build.Build(t.Context(), plan, tree, t.TempDir(), limits, sandbox.Require, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, 10)
	h.make = func(s store.Submission, folder string) (program.Command, error) {
		return build.Command(s.Run, c, folder, program.Isolation{Level: sandbox.Require, Memory: 256 << 20, CPU: time.Minute})
	}
	players, matches := 4, 20
	if long.Run() {
		players, matches = 40, 2000
	}
	h.playLadder(t, players, matches, func(h *testHost, player string, _ int) { h.accept(t, player, built, plan.Run) })
}

// TestLadderOfPrograms plays a ladder of 40 programs in real processes, with records in
// SQLite. It prints how many matches it plays in an hour.
func TestLadderOfPrograms(t *testing.T) {
	players, matches := 6, 60
	if long.Run() {
		players, matches = 40, 2000
	}
	open(t, 10).playLadder(t, players, matches, func(h *testHost, player string, number int) {
		h.handIn(t, player, []string{wins, loses}[number%2])
	})
}

// playLadder plays matches of a ladder between players with programs.
func (h *testHost) playLadder(t *testing.T, players, matches int, handIn func(h *testHost, player string, number int)) {
	t.Helper()
	var b strings.Builder
	b.WriteString("name: top\ngame: duel\nformat: ladder\nentries:\n")
	for i := range players {
		name := fmt.Sprintf("p%02d", i)
		handIn(h, name, i)
		fmt.Fprintf(&b, "  - {player: %s}\n", name)
	}
	o := h.withContests(t)
	begun := time.Now()
	if _, err := o.Create(t.Context(), []byte(b.String())); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "the ladder has played", func() bool { return h.Stats().Matches >= uint64(matches) })
	took := time.Since(begun)
	s := h.Stats()
	t.Logf("%d matches in %v: %.0f an hour", s.Matches, took, float64(s.Matches)/took.Hours())
	if s.Faults > 0 || s.Failures > 0 {
		t.Errorf("got %+v, want no faults and no failures", s)
	}
}
