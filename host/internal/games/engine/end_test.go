//go:build unix

package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/internal/test/poll"
	"colosseum/sdk/driver"
)

func TestAllMatchesOfAKilledGameGetItsSignal(t *testing.T) {
	s := newStarter(t, "parity")
	g := s.start()
	a := s.open(g)
	b := s.open(g)
	if err := syscall.Kill(g.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	const want = "the game has stopped: its process was ended by SIGKILL"
	for _, m := range []*testMatch{a, b} {
		if err := m.loss(t); !errors.Is(err, ErrGone) || err.Error() != want {
			t.Errorf("the match got %v, want %s", err, want)
		}
	}
	poll.Receive(t, "the game has ended", g.Done())
	if err := g.Err(); !errors.Is(err, ErrGone) || err.Error() != want {
		t.Errorf("the game ended with %v, want %s", err, want)
	}
	if _, err := g.Open(&driver.Setup{}, newInbox()); !errors.Is(err, ErrGone) {
		t.Errorf("a match after the end: error %v, want %v", err, ErrGone)
	}
	if _, err := g.Prepare(context.Background(), driver.Request{}); !errors.Is(err, ErrGone) || err.Error() != "the game has stopped" {
		t.Errorf("a preparation after the end: error %v, want %v", err, ErrGone)
	}
}

func TestMatchOfAGameThatExitsGetsItsStatusAndTheLogItsLastLine(t *testing.T) {
	s := newStarter(t, "parity")
	g := s.start()
	m := s.open(g)
	m.Answer(line(0, "exit"))
	if err, want := m.loss(t), "the game has stopped: its process ended with status 7"; err.Error() != want {
		t.Errorf("the match got %v, want %s", err, want)
	}
	poll.Receive(t, "the game has ended", g.Done())
	if log := s.log.String(); !strings.Contains(log, `msg="no moves left"`) {
		t.Errorf("the log is %s, want the last line of the game", log)
	}
}

func TestMatchOfAGameThatRecursesEndlesslyGetsThatReason(t *testing.T) {
	s := newStarter(t, "parity")
	g := s.start()
	m := s.open(g)
	m.Answer(line(0, "recurse"))
	// The test's program has no function of package main, so there is no line.
	if err, want := m.loss(t), "the game has stopped: endless recursion"; err.Error() != want {
		t.Errorf("the match got %v, want %s", err, want)
	}
	poll.Receive(t, "the game has ended", g.Done())
}

func TestMatchesGetTheReasonOfClose(t *testing.T) {
	s := newStarter(t, "parity")
	g := s.start()
	m := s.open(g)
	g.CloseBecause(errors.New("it is old"))
	if err, want := m.loss(t), "the game has stopped: it is old"; !errors.Is(err, ErrGone) || err.Error() != want {
		t.Errorf("the match got %v, want %s", err, want)
	}
}

func TestCloseEndsEveryKindOfChild(t *testing.T) {
	tests := []struct {
		name, child string
		signal      syscall.Signal
		grace       time.Duration
	}{
		{"healthy", "parity", 0, limit},
		{"stopped", "parity", syscall.SIGSTOP, short},
		{"without a lifeline", "deaf", 0, short},
		{"with a child", "family", 0, short},
		{"with a child outside of its group", "runaway", 0, short},
		{"killed, with a child outside of its group", "runaway", syscall.SIGKILL, short},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStarter(t, tt.child)
			s.spec.Grace = tt.grace
			g := s.start()
			if b, err := os.ReadFile(filepath.Join(s.dir, "child")); err == nil && tt.child == "runaway" {
				pid, _ := strconv.Atoi(string(b)) // our own digits
				defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
			}
			var m *testMatch
			if tt.child != "deaf" {
				m = s.open(g)
			}
			switch tt.signal {
			case syscall.SIGSTOP:
				s.freeze(g)
			case syscall.SIGKILL:
				if err := syscall.Kill(g.Pid(), tt.signal); err != nil {
					t.Fatal(err)
				}
			}
			g.Close()
			if alive(g.Pid()) {
				t.Errorf("process %d is alive, want it ended", g.Pid())
			}
			if m != nil {
				if err := m.loss(t); !errors.Is(err, ErrGone) {
					t.Errorf("its match got %v, want %v", err, ErrGone)
				}
			}
		})
	}
}

func TestHealthyChildEndsWithItsLifeline(t *testing.T) {
	g := newStarter(t, "parity").start()
	if err := g.process.lifeline.Close(); err != nil {
		t.Fatal(err)
	}
	poll.Receive(t, "the game has ended", g.Done()) // nothing else ends it
}

func TestGameWhoseChildHoldsItsSocketEndsWithItsProcess(t *testing.T) {
	for name, end := range map[string]func(g *Game){
		"closed": (*Game).Close,
		"killed": func(g *Game) { _ = syscall.Kill(g.Pid(), syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStarter(t, "heir")
			s.spec.Grace = short
			g := s.start()
			m := s.open(g)
			if err := os.WriteFile(filepath.Join(s.dir, "inherit"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			var pid int
			poll.Until(s.t, "the game has started its child", func() bool {
				b, _ := os.ReadFile(filepath.Join(s.dir, "heir"))
				pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
				return strings.HasSuffix(string(b), "\n")
			})
			defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
			end(g)
			poll.Receive(t, "the game has ended", g.Done())
			if err := m.loss(t); !errors.Is(err, ErrGone) {
				t.Errorf("its match got %v, want %v", err, ErrGone)
			}
		})
	}
}
