//go:build unix

// These tests stop and kill processes with signals, which Windows does not have.

package engine

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"colosseum/host/internal/games/sandbox"
	"colosseum/internal/test/poll"
	"colosseum/sdk/driver"
)

// limit is a timeout that only a game which hangs reaches: slowness is not an error.
const limit = poll.Limit

// short is a grace for a child that does not end by itself.
const short = 20 * time.Millisecond

// starter starts one of the games of children_test.go.
type starter struct {
	t       *testing.T
	dir     string // working folder of the game
	sockets string // folder of the host's socket folders
	log     *buffer
	spec    Spec
}

func newStarter(t *testing.T, child string) *starter {
	t.Helper()
	dir := t.TempDir()
	sockets, err := os.MkdirTemp("", "e") // the path of a socket has at most 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", sockets)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector lets a process linger
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &starter{t: t, dir: dir, sockets: sockets, log: &buffer{}}
	s.spec = Spec{
		Name: "odd", Command: []string{self, "be", child}, Dir: s.dir, StartTimeout: limit, Isolation: sandbox.Off,
		Log: slog.New(slog.NewTextHandler(s.log, nil)),
	}
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		left, err := os.ReadDir(sockets)
		if err != nil || len(left) > 0 {
			t.Errorf("left in the folder of sockets: %v, error %v, want nothing", left, err)
		}
		_ = os.RemoveAll(sockets)
		for _, file := range []string{"pid", "child"} {
			if b, err := os.ReadFile(filepath.Join(s.dir, file)); err == nil && !(file == "child" && child == "runaway") {
				pid, _ := strconv.Atoi(string(b)) // our own digits
				poll.Until(s.t, "the "+file+" of the game is gone", func() bool { return !alive(pid) })
			}
		}
		poll.Until(s.t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= before })
	})
	return s
}

// start starts the game and closes it at the end of the test.
func (s *starter) start() *Game {
	s.t.Helper()
	g, err := Start(context.Background(), s.spec)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(g.Close)
	return g
}

// confine lets the game start confined.
func (s *starter) confine() {
	s.t.Helper()
	needs, err := sandbox.Examine(s.spec.Command[0])
	if err != nil {
		s.t.Fatal(err)
	}
	s.spec.Isolation, s.spec.Policy = sandbox.BestEffort, sandbox.Policy{Execute: needs.Execute, Read: append(needs.Read, s.dir), Listen: true}
}

// freeze stops the game's process without ending it.
func (s *starter) freeze(g *Game) {
	s.t.Helper()
	if err := syscall.Kill(g.Pid(), syscall.SIGSTOP); err != nil {
		s.t.Fatal(err)
	}
	poll.Until(s.t, "all threads of the game are stopped", func() bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", g.Pid()))
		return !slices.ContainsFunc(threads, func(path string) bool {
			stat, err := os.ReadFile(path)
			return err == nil && !strings.Contains(string(stat), ") T ")
		})
	})
}

// open starts a match of parity and reads to its first question.
func (s *starter) open(g *Game) *testMatch {
	s.t.Helper()
	m := &testMatch{Inbox: newInbox()}
	var err error
	m.Match, err = g.Open(&driver.Setup{
		Seed: 1, Settings: driver.Settings{Timeout: 10, Params: map[string]string{"rounds": "1"}}, Names: []string{"A", "B"},
	}, m.Inbox)
	if err != nil {
		s.t.Fatal(err)
	}
	if f := m.next(s.t); f.Question == nil || string(f.Texts[0].Lines) != "go\n" {
		s.t.Fatalf("the first frame is %v, want go and a question", f)
	}
	return m
}

// testMatch is a match and its inbox.
type testMatch struct {
	Match
	*Inbox
}

// newInbox returns an inbox for all frames of a match of parity.
func newInbox() *Inbox { return NewInbox(64, 1<<20) }

// next returns the next frame.
func (m *testMatch) next(t *testing.T) *driver.Frame {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	f, err := m.Next(ctx)
	if err != nil {
		t.Fatalf("the match is lost: %v, want a frame", err)
	}
	return f
}

// loss waits for the end of the child and returns the error of the match.
func (m *testMatch) loss(t *testing.T) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	f, err := m.Next(ctx)
	if err == nil {
		t.Fatalf("got the frame %v, want the loss of the match", f)
	}
	return err
}

// line returns the line of a seat as the answers to a question.
func line(seat int, text string) []driver.Answer {
	return []driver.Answer{{Seat: seat, Line: text}}
}

// alive reports whether a process exists and is not a zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

type buffer struct {
	mu sync.Mutex // guards the field below
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
