//go:build unix

package engine

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"colosseum/internal/test/poll"
	"colosseum/sdk/driver"
)

// checkWords checks that an error for clients has no words of libraries.
func checkWords(t *testing.T, err error) {
	t.Helper()
	for _, word := range []string{"rpc error", "code =", "desc =", "grpc", "transport", "EOF", "connection", "context", "signal:", "exit status", "dial", "unix"} {
		if strings.Contains(err.Error(), word) {
			t.Errorf("a client would read %q, want it without %q", err, word)
		}
	}
}

func TestEndOfAGameIsExplainedWithoutWordsOfLibraries(t *testing.T) {
	tests := []struct {
		name string
		kill func(s *starter, g *Game)
	}{
		{"before a match is prepared", func(s *starter, g *Game) {
			_ = syscall.Kill(g.Pid(), syscall.SIGKILL)
			poll.Receive(t, "the game has ended", g.Done())
		}},
		{"a moment before a match is prepared", func(s *starter, g *Game) { _ = syscall.Kill(g.Pid(), syscall.SIGKILL) }},
		{"while a match is prepared", func(s *starter, g *Game) { s.freeze(g) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStarter(t, "parity")
			g := s.start()
			tt.kill(s, g)
			answer := make(chan error, 1)
			go func() { // ends with the call
				_, err := g.Prepare(context.Background(), driver.Request{})
				answer <- err
			}()
			_ = syscall.Kill(g.Pid(), syscall.SIGKILL) // while it waits, if it does
			err := poll.Receive(t, "the game has refused the preparation", answer)
			var fault *Fault
			if !errors.As(err, &fault) || !errors.Is(err, ErrGone) || err.Error() != "the game has stopped" {
				t.Fatalf("got %v, want %v", err, ErrGone)
			}
			checkWords(t, err)
			if log := s.log.String(); !strings.Contains(log, "could not prepare a match") || !strings.Contains(log, "rpc error") {
				t.Errorf("the log is\n%s, want the cause in it", log)
			}
		})
	}
	t.Run("during a match", func(t *testing.T) {
		s := newStarter(t, "parity")
		g := s.start()
		m := s.open(g)
		_ = syscall.Kill(g.Pid(), syscall.SIGTERM)
		err := m.loss(t)
		if err.Error() != "the game has stopped: its process was ended by SIGTERM" {
			t.Errorf("got %v, want that SIGTERM ended it", err)
		}
		checkWords(t, err)
		poll.Until(s.t, "the cause is in the log", func() bool { return strings.Contains(s.log.String(), "signal: terminated") })
	})
	t.Run("with its own error", func(t *testing.T) {
		s := newStarter(t, "thrower")
		s.spec.Grace = short
		_, err := s.start().Prepare(context.Background(), driver.Request{})
		if err == nil || err.Error() != "the game failed" {
			t.Errorf("got %v, want the game failed", err)
		}
		if log := s.log.String(); !strings.Contains(log, "Traceback") {
			t.Errorf("the log is\n%s, want Traceback in it", log)
		}
	})
}
