//go:build unix

package badgames

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// stopped reports whether all threads of a process are stopped.
func stopped(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	return !slices.ContainsFunc(threads, func(path string) bool {
		stat, err := os.ReadFile(path)
		return err == nil && !strings.Contains(string(stat), ") T ")
	})
}

// TestFrozenGameEndsItsMatches stops a game's process while players or bots think,
// while a match is created, and before the host ends.
func TestFrozenGameEndsItsMatches(t *testing.T) {
	t.Parallel()
	const stall = "3s"
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], stall: %s}\ndrain: 0s\n", programs.Plugins, stall))
	freeze := func() (pid int) {
		pid = h.Child("roshambo")
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		// On a busy machine, its threads can still answer after the signal.
		poll.Until(t, "all threads of the game are stopped", func() bool { return stopped(pid) })
		return pid
	}
	var players []*programs.Client // one of each match
	for range 3 {
		pair, err := h.Pair(9)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pair[1].Close) // keeps the other player connected: unreachable connections are closed
		players = append(players, h.AgainstBot(t, 9), pair[0].Client)
	}
	mark := h.Mark()
	freeze()
	for n, c := range players {
		if n >= 2 { // in two matches the players do not move
			c.Answer(t, "ROCK")
		}
	}
	for n, c := range players {
		// The host has one limit for the referee of a match, and one for the process.
		if r, _ := c.AwaitEnd(t); !r.Aborted || r.Reason != "the game has stopped: it was frozen" && r.Reason != "the game was silent for "+stall {
			t.Errorf("match %d: got %+v, want it aborted because the game was frozen or silent", n, r)
		}
	}
	h.AwaitAfter(t, mark, `msg="game ready" game=roshambo`)
	h.AwaitGame(t, "roshambo")

	mark = h.Mark()
	freeze()
	if _, err := h.Dial(t).Create(programs.Roshambo(9, 1)); err == nil || !strings.HasSuffix(err.Error(), "Cannot create game: the game does not answer") {
		t.Errorf("got %v, want the refusal that the game does not answer", err)
	}
	h.AwaitAfter(t, mark, `msg="game ready" game=roshambo`)
	h.AwaitGame(t, "roshambo")

	pid := freeze()
	h.Stop(t, syscall.SIGTERM)
	if programs.Alive(pid) {
		t.Errorf("got the frozen process %d running, want it ended", pid)
	}
}

// TestDeadGameIsRefusedInWordsForPeople kills a game's process while matches are
// created.
func TestDeadGameIsRefusedInWordsForPeople(t *testing.T) {
	t.Parallel()
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s]}\ndrain: 0s\n", programs.Plugins))
	refused := 0
	for refused < 5 {
		h.AwaitGame(t, "roshambo")
		c, err := programs.Dial(h.URL)
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(h.Child("roshambo"), syscall.SIGKILL)
		_, err = c.Create(protocol.GameNew{Game: "roshambo"})
		c.Close()
		if err == nil {
			continue // the match was created before the game was dead
		}
		refused++
		text := err.Error()
		if !strings.Contains(text, "the game has stopped") && !strings.Contains(text, "is being started again") && !strings.Contains(text, "times in a row") {
			t.Errorf("got %q, want that the game has stopped", text)
		}
		for _, word := range []string{"rpc", "desc", "grpc", "transport", "connection"} {
			if strings.Contains(text, word) {
				t.Errorf("got %q, want no %q in it", text, word)
			}
		}
	}
}

// The match that waits for its players moves to the new process.
func TestWaitingMatchDoesNotKeepALoopingRefereeAlive(t *testing.T) {
	t.Parallel()
	s := programs.NewFolder(t)
	s.Write("bad", "ready", "", "for n := 0; m.Players() > 0; n++ {\n if n < 0 {\n break\n}\n}")
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], modes: {bad: script}, stall: 5s}\ndrain: 0s\n", s.Dir))
	c := h.Dial(t)
	waits, err := c.Create(protocol.GameNew{Game: "bad"})
	if err != nil {
		t.Fatal(err)
	}
	old := h.Child("bad")
	loops, _ := h.Begin(t, "bad")
	loops.Answer(t, "go")
	loops.AwaitEnd(t)
	programs.AwaitExit(t, old)
	if err := c.Join(waits, "alice"); err != nil {
		t.Fatal(err)
	}
	if line, _, err := (&programs.Lines{C: c}).Next(); err != nil || line != "ready" {
		t.Errorf("got %q, %v, want ready from the match that waited", line, err)
	}
}
