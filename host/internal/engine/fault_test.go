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

	"colosseum/sdk/driver"
)

// words of the libraries and the system, which no client reads.
var foreign = []string{"rpc error", "code =", "desc =", "grpc", "transport", "EOF", "connection", "context", "signal:", "exit status", "dial", "unix"}

func checkWords(t *testing.T, err error) {
	t.Helper()
	for _, word := range foreign {
		if strings.Contains(err.Error(), word) {
			t.Errorf("a client would read %q, with %q", err, word)
		}
	}
}

func TestDeathOfAGameIsToldInOurWords(t *testing.T) {
	tests := []struct {
		name string
		die  func(s *stage, g *Game)
		want string
	}{
		{"before a match is prepared", func(s *stage, g *Game) {
			_ = syscall.Kill(g.Pid(), syscall.SIGKILL)
			<-g.Done()
		}, "the game has stopped"},
		{"a moment before a match is prepared", func(s *stage, g *Game) { _ = syscall.Kill(g.Pid(), syscall.SIGKILL) }, "the game has stopped"},
		{"while a match is prepared", func(s *stage, g *Game) { s.freeze(g) }, "the game has stopped"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, "parity")
			g := s.start()
			tt.die(s, g)
			answer := make(chan error, 1)
			go func() { // ends with the call
				_, err := g.Prepare(context.Background(), driver.Request{})
				answer <- err
			}()
			_ = syscall.Kill(g.Pid(), syscall.SIGKILL) // while it waits, if it does
			err := <-answer
			var fault *Fault
			if !errors.As(err, &fault) || !errors.Is(err, ErrGone) || err.Error() != tt.want {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			checkWords(t, err)
			if log := s.log.String(); !strings.Contains(log, "did not prepare a match") || !strings.Contains(log, "rpc error") {
				t.Errorf("the cause is not in the log:\n%s", log)
			}
		})
	}
	t.Run("during a match", func(t *testing.T) {
		s := newStage(t, "parity")
		g := s.start()
		at, _ := s.open(g)
		_ = syscall.Kill(g.Pid(), syscall.SIGTERM)
		err := at.loss(t)
		if err.Error() != "the game has stopped: its process was ended by SIGTERM" {
			t.Errorf("got %v", err)
		}
		checkWords(t, err)
		s.eventually("the cause is in the log", func() bool { return strings.Contains(s.log.String(), "signal: terminated") })
	})
	t.Run("with its own error", func(t *testing.T) {
		s := newStage(t, "thrower")
		_, err := s.start().Prepare(context.Background(), driver.Request{})
		if err == nil || err.Error() != "the game failed" {
			t.Errorf("got %v", err)
		}
		if log := s.log.String(); !strings.Contains(log, "Traceback") {
			t.Errorf("the cause is not in the log:\n%s", log)
		}
	})
}

func TestFrozenGameIsEnded(t *testing.T) {
	for name, answered := range map[string]bool{"while its referees work": true, "while players think": false} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, "parity")
			s.spec.Stall = beat
			g := s.start()
			a, tableA := s.open(g)
			b, tableB := s.open(g)
			s.freeze(g)
			if answered {
				tableA.Answer(says(0, "1"))
				tableB.Answer(says(0, "1"))
			}
			for _, at := range []*seat{a, b} {
				if err := at.loss(t); !errors.Is(err, ErrGone) || err.Error() != "the game has stopped: it was frozen" {
					t.Errorf("the match was told %v", err)
				}
			}
			<-g.Done()
		})
	}
}

// A game of one thread answers nothing while it thinks.
func TestGameThatWorksIsNotTakenForFrozen(t *testing.T) {
	s := newStage(t, "parity")
	g := s.start()
	s.freeze(g)
	before, known := work(g.Pid())
	if after, stillKnown := work(g.Pid()); !known || !stillKnown || after != before {
		t.Errorf("a frozen process has worked %d, then %d, known: %v, %v", before, after, known, stillKnown)
	}
	if err := syscall.Kill(g.Pid(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	_, table := s.open(g)
	table.Answer(says(0, "loop"))
	s.eventually("it works", func() bool {
		after, known := work(g.Pid())
		return !known || after > before
	})
}

func TestLowerLetsOthersComeBefore(t *testing.T) {
	s := newStage(t, "parity")
	g := s.start()
	g.Lower()
	threads, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(g.Pid()), "task"))
	if err != nil {
		t.Skip("there is no /proc here")
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(g.Pid()), "task", thread.Name(), "stat"))
		if err != nil {
			continue // it has just ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if nice := strings.Fields(rest)[16]; nice != "10" {
			t.Errorf("thread %s has niceness %s, want 10", thread.Name(), nice)
		}
	}
}

func TestReasonOfCloseIsToldToItsMatches(t *testing.T) {
	s := newStage(t, "parity")
	g := s.start()
	at, _ := s.open(g)
	g.CloseBecause(errors.New("it is old"))
	if err := at.loss(t); !errors.Is(err, ErrGone) || err.Error() != "the game has stopped: it is old" {
		t.Errorf("the match was told %v", err)
	}
}
