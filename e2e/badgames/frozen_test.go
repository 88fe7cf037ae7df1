package badgames

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

// TestFrozenGameEndsItsMatches stops a game's process while players think, while
// bots would, while a match is created, and before the host ends.
func TestFrozenGameEndsItsMatches(t *testing.T) {
	t.Parallel()
	const stall = "10s"
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], stall: %s}\ndrain: 0s\n", programs.Plugins, stall))
	freeze := func() (pid int) {
		pid = h.Child("roshambo")
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	create := func(bots int) (*programs.Client, string, error) {
		c, err := programs.Dial(h.URL)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		timeout, players := 600.0, 2
		id, err := c.Create(protocol.GameNew{
			Game: "roshambo", Params: protocol.GameParams{Players: &players, Bots: bots, Timeout: &timeout}, Args: map[string]string{"rounds": "9", "pace": "0"},
		})
		return c, id, err
	}
	var players []*programs.Client
	for n := range 6 {
		c, id, err := create((n + 1) % 2)
		if err != nil {
			t.Fatal(err)
		}
		players = append(players, c)
		if n%2 == 1 {
			other, err := programs.Dial(h.URL)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(other.Close)
			if err := other.Join(id, "bob"); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Join(id, "alice"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Skip(protocol.NameMatchStarted, nil); err != nil {
			t.Fatal(err)
		}
	}
	mark := h.Mark()
	freeze()
	for n, c := range players {
		if n >= 2 { // the players of two matches think for ten minutes
			if err := c.Conn.WriteMessage(2, []byte("ROCK\n")); err != nil {
				t.Fatal(err)
			}
		}
	}
	for n, c := range players {
		var ended protocol.EndedReply
		if _, err := c.Skip(protocol.NameMatchEnded, &ended); err != nil {
			t.Fatal(err)
		}
		// The host waits for both: the referee of a match, and the process.
		if r := ended.Result; !r.Aborted || r.Reason != "the game has stopped: it was frozen" && r.Reason != "the game was silent for "+stall {
			t.Errorf("match %d ended as %+v", n, r)
		}
	}
	h.AwaitAfter(t, mark, `msg="game ready" game=roshambo`)
	h.Serves(t, "roshambo")

	mark = h.Mark()
	freeze()
	if _, _, err := create(1); err == nil || !strings.HasSuffix(err.Error(), "Cannot create game: the game does not answer") {
		t.Errorf("a match of a frozen game was created: %v", err)
	}
	h.AwaitAfter(t, mark, `msg="game ready" game=roshambo`)
	h.Serves(t, "roshambo")

	pid := freeze()
	h.Stop(t, syscall.SIGTERM)
	if programs.Alive(pid) {
		t.Error("the frozen process is left")
	}
}

// TestDeadGameIsRefusedInWordsForPeople kills a game again and again at any
// moment of a creation.
func TestDeadGameIsRefusedInWordsForPeople(t *testing.T) {
	t.Parallel()
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s]}\ndrain: 0s\n", programs.Plugins))
	refused := 0
	for refused < 5 {
		h.Serves(t, "roshambo")
		c, err := programs.Dial(h.URL)
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(h.Child("roshambo"), syscall.SIGKILL)
		_, err = c.Create(protocol.GameNew{Game: "roshambo"})
		c.Close()
		if err == nil {
			continue // it was not dead yet
		}
		refused++
		text := err.Error()
		if !strings.Contains(text, "the game has stopped") && !strings.Contains(text, "is being started again") && !strings.Contains(text, "times in a row") {
			t.Errorf("the creator reads %q", text)
		}
		for _, word := range []string{"rpc", "desc", "grpc", "transport", "connection"} {
			if strings.Contains(text, word) {
				t.Errorf("the creator reads %q", text)
			}
		}
	}
}

// TestLoopingRefereeDoesNotLiveOnForAMatchThatWaits: a match that waits for its
// players moves to the new process.
func TestLoopingRefereeDoesNotLiveOnForAMatchThatWaits(t *testing.T) {
	t.Parallel()
	s := programs.NewShelf(t)
	s.Write("bad", strings.NewReplacer("IMPORTS", "", "CODE", "for n := 0; m.Players() > 0; n++ {\n if n < 0 {\n break\n}\n}").Replace(bad))
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], modes: {bad: script}, stall: 5s}\ndrain: 0s\n", s.Dir))
	c, err := programs.Dial(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	waits, err := c.Create(protocol.GameNew{Game: "bad"})
	if err != nil {
		t.Fatal(err)
	}
	old := h.Child("bad")
	loops, _ := h.Begin(t, "bad")
	if err := loops.Conn.WriteMessage(2, []byte("go\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := loops.Skip(protocol.NameMatchEnded, nil); err != nil {
		t.Fatal(err)
	}
	for programs.Alive(old) {
		time.Sleep(time.Millisecond) // a process that is not ours can only be polled
	}
	if err := c.Join(waits, "alice"); err != nil {
		t.Fatal(err)
	}
	if line, _, err := (&programs.Lines{C: c}).Next(); err != nil || line != "ready" {
		t.Errorf("the match that waited says %q, %v", line, err)
	}
}
