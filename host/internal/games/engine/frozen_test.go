//go:build unix

package engine

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"colosseum/host/internal/games/sandbox"
	"colosseum/internal/test/poll"
	"colosseum/sdk/driver"
)

func TestStoppedGameAnswersNoPreparation(t *testing.T) {
	s := newStarter(t, "parity")
	s.spec.Grace = short
	g := s.start()
	s.freeze(g)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := g.Prepare(ctx, driver.Request{}); !errors.Is(err, ErrSilent) || err.Error() != "the game does not answer" {
		t.Errorf("got %v, want %v", err, ErrSilent)
	}
}

// A frozen game reads no frames; thousands of matches must end nevertheless.
func TestStoppedGameKeepsNoMatchFromItsEnd(t *testing.T) {
	s := newStarter(t, "parity")
	s.spec.Grace = short
	g := s.start()
	s.freeze(g)
	for range 20_000 { // of two frames each: far more than the queue and the socket hold
		m, err := g.Open(&driver.Setup{Names: []string{"A", "B"}}, newInbox())
		if err != nil {
			t.Fatal(err)
		}
		m.Stop()
	}
}

// A game can ask without end and read no answer. Its matches must not wait for it,
// or they could not be stopped.
func TestStoppedGameKeepsNoMatchFromAnswering(t *testing.T) {
	s := newStarter(t, "parity")
	s.spec.Grace = short
	g := s.start()
	m := s.open(g)
	s.freeze(g)
	for range 200_000 { // far more than the queue and the socket hold
		m.Answer(line(0, "1"))
	}
}

func TestFrozenGameIsEnded(t *testing.T) {
	var matches []*testMatch
	var games []*Game
	for _, answered := range []bool{true, false} { // its referees work, or players think
		s := newStarter(t, "parity")
		s.spec.Stall = sandbox.WatchInterval
		g := s.start()
		a := s.open(g)
		b := s.open(g)
		s.freeze(g)
		if answered {
			a.Answer(line(0, "1"))
			b.Answer(line(0, "1"))
		}
		matches, games = append(matches, a, b), append(games, g)
	}
	for i, m := range matches {
		if err, want := m.loss(t), "the game has stopped: it was frozen"; !errors.Is(err, ErrGone) || err.Error() != want {
			t.Errorf("match %d got %v, want %s", i, err, want)
		}
	}
	for _, g := range games {
		poll.Receive(t, "the game has ended", g.Done())
	}
}

// A game with one thread does not answer while it computes.
func TestBusyGameIsNotFrozen(t *testing.T) {
	s := newStarter(t, "parity")
	g := s.start()
	s.freeze(g)
	before, known := sandbox.CPUTicks(g.Pid())
	if after, stillKnown := sandbox.CPUTicks(g.Pid()); !known || !stillKnown || after != before {
		t.Errorf("a frozen process used %d ticks, then %d, known: %v, %v; want the same twice", before, after, known, stillKnown)
	}
	if err := syscall.Kill(g.Pid(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	m := s.open(g)
	m.Answer(line(0, "loop"))
	poll.Until(s.t, "it works", func() bool {
		after, known := sandbox.CPUTicks(g.Pid())
		return !known || after > before
	})
}
