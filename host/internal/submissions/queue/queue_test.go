package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/games/program"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/archive"
	"colosseum/host/internal/submissions/language"
	"colosseum/internal/test/poll"
)

func TestAProgramIsTriedWithTheMostPlayers(t *testing.T) {
	b := newBench(t)
	b.start()
	_, log := b.await(b.handInTo("brawl", builtBy("true\n")...).Number, store.Accepted)
	if want := "trial: match 2 of 3 is finished\ntrial: match 3 of 3 is finished\n"; !strings.HasSuffix(log, want) {
		t.Errorf("got the log %q, want the end %q", log, want)
	}
	third := "bot.sh=if [ \"$COLOSSEUM_MATCH\" = 3 ]; then exit 3; fi\n" + good
	s, _ := b.await(b.handInTo("brawl", third).Number, store.Refused)
	if !strings.Contains(s.Reason, "in match 3 of its trial") {
		t.Errorf("got %+v, want it refused in match 3 of its trial", s)
	}
}

func TestAGoodProgramIsBuiltTriedAndAccepted(t *testing.T) {
	b := newBench(t)
	changed := make(chan struct{}, 1)
	b.config.Changed = func() { changed <- struct{}{} }
	b.start()
	one := b.handIn(builtBy("echo made >made.txt; echo the build prints\n")...)
	s, log := b.await(one.Number, store.Accepted)
	poll.Receive(t, "the acceptance is announced", changed)
	if !s.Active || s.Fault != "" || !slices.Equal(s.Run, []string{"sh", "./bot.sh"}) {
		t.Errorf("got %+v, want the active version with its command", s)
	}
	want := "a shell\n$ sh build.sh\nthe build prints\ntrial: match 1 of 2 is finished\ntrial: match 2 of 2 is finished\n"
	if log != want {
		t.Errorf("got the log %q, want %q", log, want)
	}
	packed, err := b.store.Program(t.Context(), one.Number)
	if err != nil {
		t.Fatal(err)
	}
	built, err := archive.Open(packed, archive.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := built.Find("made.txt"); !ok || string(f.Data) != "made\n" {
		t.Errorf("got %v, want what was built in it", built)
	}
	if got := b.ended("accepted"); len(got) != 1 || b.Stats().Building <= 0 {
		t.Errorf("got the ends %v and the time of builds %v, want one of them", got, b.Stats().Building)
	}
	if left, err := os.ReadDir(b.config.Folder); err != nil || len(left) != 0 {
		t.Errorf("got %v, %v in the folder of builds, want it empty", left, err)
	}
	if !slices.Equal(b.changes, []string{"trying"}) {
		t.Errorf("got the states %q, want trying", b.changes)
	}
}

func TestAFaultOfTheProgramRefusesIt(t *testing.T) {
	b := newBench(t)
	b.start()
	for _, tt := range []struct {
		name   string
		files  []string
		reason string
		log    string
	}{
		{"its build fails", builtBy("echo what is wrong >&2; exit 3\n"), "sh failed: exit status 3", "$ sh build.sh\nwhat is wrong\n"},
		{"its language is not known", []string{"bot.xyz=1"}, "language", ""},
		{"its trial fails", []string{"bot.sh=read -r line; echo oops >&2; exit 5\n"}, "in match 1 of its trial, in seat 1: ", "trial: the program's stderr ends with\noops\n"},
		{"it sends an illegal line", []string{"bot.sh=read -r line; echo lose; read -r line\n"}, "in match 1 of its trial, in seat 1: ", ""},
	} {
		one := b.handIn(tt.files...)
		s, log := b.await(one.Number, store.Refused)
		if s.Fault != store.FaultOfProgram || !strings.Contains(s.Reason, tt.reason) || s.Active || !strings.Contains(log, tt.log) {
			t.Errorf("%s: got %+v with the log %q, want it refused because %q, with %q in the log", tt.name, s, log, tt.reason, tt.log)
		}
	}
	poll.Until(t, "all are counted", func() bool { return b.Stats().Ended["refused"] == 4 })
}

// TestAVersionThatIsRemovedEndsQuietly removes versions while they are built, and before.
func TestAVersionThatIsRemovedEndsQuietly(t *testing.T) {
	b := newBench(t)
	removed := map[int64]bool{}
	b.config.Store = noted{b.store, b, func(s store.Submission) {
		if s.Version == 2 { // the queue has not read its source
			removed[s.Number] = true
			if err := b.store.Remove(t.Context(), s.Number); err != nil {
				t.Error(err)
			}
		}
	}}
	b.start()
	one := b.handIn(builtBy("echo begun; until [ -e ../tmp/go ]; do sleep 0.01; done\n")...)
	b.logged(one.Number, "begun")
	if err := b.store.Remove(t.Context(), one.Number); err != nil {
		t.Fatal(err)
	}
	b.handIn("bot.sh=" + good + "# 2\n")
	three := b.handIn("bot.sh=" + good + "# 3\n")
	folders, err := filepath.Glob(filepath.Join(b.config.Folder, "*", "build", "tmp"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("got %q, %v, want one build", folders, err)
	}
	if err := os.WriteFile(filepath.Join(folders[0], "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.await(three.Number, store.Accepted)
	if got := b.ended("accepted"); len(got) != 1 {
		t.Errorf("got the ends %v, want none of what was removed", got)
	}
	if s, log := b.look(one.Number); s.State != store.Removed || log != "" {
		t.Errorf("got %+v with the log %q, want it removed", s, log)
	}
	if len(removed) != 1 {
		t.Errorf("got %d removed when they were claimed, want 1", len(removed))
	}
}

// TestWhatAHostHasNotFinishedWaitsAgain stops a queue while it builds, and starts one whose
// host was killed meanwhile.
func TestWhatAHostHasNotFinishedWaitsAgain(t *testing.T) {
	b := newBench(t)
	stop := b.start()
	one := b.handIn(builtBy("echo begun; while [ ! -e ../tmp/go ]; do sleep 0.01; done\n")...)
	b.logged(one.Number, "begun")
	stop()
	if s, _ := b.look(one.Number); s.State != store.Queued || s.Fault != "" || s.Reason != "" {
		t.Errorf("after the end of a host: got %+v, want it queued without a fault", s)
	}
	if got := b.Stats(); len(got.Ended) != 0 || got.Working != 0 {
		t.Errorf("got %+v, want no end", got)
	}
	if err := b.store.Remove(t.Context(), one.Number); err != nil {
		t.Fatal(err)
	}
	two, three := b.handIn("bot.sh="+good), b.handIn("bot.sh="+good+"# 3\n")
	for _, host := range []string{"h", "other"} { // are killed when they have it
		if _, ok, err := b.store.Claim(t.Context(), host); !ok || err != nil {
			t.Fatalf("got %v, %v, want a claim", ok, err)
		}
	}
	left := filepath.Join(b.config.Folder, "1-left", "build")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	b.start()
	b.await(two.Number, store.Accepted)
	if s, _ := b.look(three.Number); s.State != store.Building || s.Host != "other" {
		t.Errorf("got %+v, want it left to the other host", s)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v for what a build has left, want it removed", err)
	}
}

// TestAHostThatCannotConfineIsAtFault: the program is tried again, and not refused.
func TestAHostThatCannotConfineIsAtFault(t *testing.T) {
	b := newBench(t)
	confined := b.config.Command
	failed := 0
	b.config.Command = func(run []string, l *language.Language, folder string) (program.Command, error) {
		if failed++; failed == 1 {
			return program.Command{}, fmt.Errorf("%w: no Landlock", program.ErrUnsupported)
		}
		return confined(run, l, folder)
	}
	b.start()
	one := b.handIn("bot.sh=" + good)
	if s, _ := b.await(one.Number, store.Accepted); s.Attempts != 2 || s.Fault != "" || s.Reason != "" {
		t.Errorf("got %+v, want it accepted at the second attempt", s)
	}
	if got, want := b.changes, []string{"trying", "queued host", "trying"}; !slices.Equal(got, want) {
		t.Errorf("got the states %q, want %q", got, want)
	}
	if got := b.ended("accepted"); got["failed"] != 1 {
		t.Errorf("got the ends %v, want one that failed", got)
	}
}

// broken is a store whose reads fail for some time. It always has one version.
type broken struct {
	releases, claims, sources, refusals int // that fail
	source                              []byte
	log                                 []string // what was called, and when
	begun                               time.Time
	end                                 context.CancelFunc
}

var errBroken = errors.New("the disk is broken")

func (s *broken) called(what string) {
	s.log = append(s.log, fmt.Sprintf("%s %v", what, time.Since(s.begun)))
}

func (s *broken) Release(context.Context, string) (int, error) {
	s.called("release")
	if s.releases--; s.releases >= 0 {
		return 0, errBroken
	}
	return 0, nil
}

func (s *broken) Claim(context.Context, string) (store.Submission, bool, error) {
	s.called("claim")
	if s.claims--; s.claims >= 0 {
		return store.Submission{}, false, errBroken
	}
	return store.Submission{Number: 1, Player: "Ana", Game: "duel", Version: 1, State: store.Building}, true, nil
}

func (s *broken) Source(context.Context, int64) ([]byte, error) {
	if s.sources--; s.sources >= 0 {
		return nil, errBroken
	}
	return s.source, nil
}

func (s *broken) SetState(_ context.Context, _ int64, host string, state store.SubmissionState, fault, reason string) error {
	s.called(fmt.Sprintf("%s of %s by %q", state, fault, host))
	if state != store.Refused {
		return nil
	}
	if s.refusals--; s.refusals >= 0 {
		return errBroken
	}
	s.end()
	return nil
}

func (s *broken) AddLog(context.Context, int64, []byte) error { return nil }

func (s *broken) Accept(context.Context, int64, string, []string, []byte) (store.Submission, error) {
	return store.Submission{}, errBroken
}

// TestAFaultOfTheHostIsTriedAgainLaterAndLater has a store that fails, and then a program
// that is refused.
func TestAFaultOfTheHostIsTriedAgainLaterAndLater(t *testing.T) {
	languages, err := language.Load()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		s := &broken{releases: 2, claims: 1, sources: 8, refusals: 2, source: treeOf("bot.xyz=1").Pack(), begun: time.Now(), end: end}
		q := New(Config{
			Host: "h", Store: s, Languages: languages, Folder: filepath.Join(folder, "builds"), Prepared: filepath.Join(folder, "prepared"), Log: slog.New(slog.DiscardHandler),
		})
		q.Run(ctx)
		want := []string{"release 0s", "release 1s", "release 2s", "claim 2s", "claim 3s"}
		at := 3 * time.Second
		for _, delay := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
			want = append(want, fmt.Sprintf("queued of host by \"h\" %v", at))
			at += delay * time.Second
			want = append(want, fmt.Sprintf("claim %v", at))
		}
		for _, delay := range []time.Duration{1, 2, 0} { // what came of it is stored in the end
			want = append(want, fmt.Sprintf("refused of program by \"h\" %v", at))
			at += delay * time.Second
		}
		if !slices.Equal(s.log, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(s.log, "\n"), strings.Join(want, "\n"))
		}
		if got := q.Stats(); got.Ended["failed"] != 8 || got.Ended["refused"] != 1 || got.Working != 0 {
			t.Errorf("got %+v, want 8 failed and one refused", got)
		}
	})
}
