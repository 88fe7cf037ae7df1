//go:build unix

package engine

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"colosseum/internal/test/poll"
	"colosseum/sdk/driver"
)

// Both ways to exchange frames, by the name of a child.
var ways = map[string]string{"socket": "parity", "grpc": "plain"}

// overSocket reports whether frames travel over the socket, which is closed otherwise.
func overSocket(g *Game) bool {
	_, err := g.process.frames.Stat()
	return err == nil
}

func TestFramesTravelBothWays(t *testing.T) {
	for way, child := range ways {
		t.Run(way, func(t *testing.T) {
			s := newStarter(t, child)
			g := s.start()
			if overSocket(g) != (way == "socket") {
				t.Errorf("frames over the socket: %v, want it over %s", overSocket(g), way)
			}
			m := s.open(g)
			m.Answer(line(0, "1"))
			m.next(t)
			m.Answer(line(1, "2"))
			if f := m.next(t); f.End == nil || len(f.End.Seats) != 2 {
				t.Errorf("got %v, want a result for 2 seats", f)
			}
		})
	}
}

func TestConfinedGameUsesTheSocket(t *testing.T) {
	s := newStarter(t, "parity")
	s.confine()
	g := s.start()
	if !overSocket(g) {
		t.Error("it uses gRPC, want the socket")
	}
	m := s.open(g)
	m.Stop()
}

func TestMatchIsLostWithItsGameInBothWays(t *testing.T) {
	for way, child := range ways {
		t.Run(way, func(t *testing.T) {
			s := newStarter(t, child)
			g := s.start()
			m := s.open(g)
			if err := syscall.Kill(g.Pid(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if err := m.loss(t); !errors.Is(err, ErrGone) || err.Error() != "the game has stopped: its process was ended by SIGKILL" {
				t.Errorf("the match got %v, want the signal", err)
			}
			poll.Receive(t, "the game has ended", g.Done())
		})
	}
}

// A frozen game reads nothing: its matches end nevertheless, and so does it.
func TestFrozenGameKeepsNoMatchWaitingInBothWays(t *testing.T) {
	for way, child := range ways {
		t.Run(way, func(t *testing.T) {
			s := newStarter(t, child)
			s.spec.Grace = short
			g := s.start()
			m := s.open(g)
			s.freeze(g)
			for range 100_000 { // far more than the socket holds
				m.Answer(line(0, "1"))
			}
			poll.Until(t, "frames wait", func() bool { return g.Queued() > 0 })
			m.Stop()
			g.Close()
		})
	}
}

func TestGameThatBreaksItsConnectionIsEnded(t *testing.T) {
	for child, want := range map[string]string{
		"babbler":   "it sent more than 16 MiB at once",
		"multitude": "it sent more than 262144 texts, answers or other parts at once",
		"crowd":     "it sent more than 262144 texts, answers or other parts at once",
		"garbler":   "the game has stopped",
		"leaver":    "the game has stopped",
		"listless":  "the game has stopped",
	} {
		t.Run(child, func(t *testing.T) {
			s := newStarter(t, child)
			s.spec.Grace = short
			g := s.start()
			m := &testMatch{Inbox: newInbox()}
			var err error
			if m.Match, err = g.Open(&driver.Setup{Names: []string{"A"}}, m.Inbox); err != nil {
				t.Fatal(err)
			}
			poll.Until(t, "the game has ended", func() bool {
				m.Answer(line(0, "1")) // a game that does not read is found when it should
				select {
				case <-g.Done():
					return true
				default:
					return false
				}
			})
			if err := m.loss(t); !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), want) {
				t.Errorf("the match got %v, want %s", err, want)
			}
		})
	}
}
