// Package badgames tests that a broken or hostile game harms no other match.
package badgames

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/waits"
	"colosseum/protocol"
)

func TestMain(m *testing.M) {
	waits.Together()
	programs.Main(m, nil)
}

// hostile starts a match of the game in testdata/hostile with a fault.
func hostile(t *testing.T, h *programs.Host, fault string) (c *programs.Client, id string) {
	t.Helper()
	c, id = h.Join(t, protocol.GameNew{Game: "hostile", Args: map[string]string{"fault": fault}}, "alice")
	if _, err := c.Skip(protocol.NameMatchStarted, nil); err != nil {
		t.Fatal(err)
	}
	return c, id
}

func TestGameThatBreaksTheRulesHarmsNoOtherMatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := programs.Build("colosseum/e2e/badgames/testdata/hostile", filepath.Join(dir, "hostile", "hostile"), false); err != nil {
		t.Fatal(err)
	}
	// Players that do not read answer no ping, so ping late.
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s, %s], stall: 10m}\ndrain: 0s\nclients: {ping: 10m}\n", programs.Plugins, dir))
	tests := []struct {
		fault  string
		reason string // of the abort, as sent to the player; empty: the match finishes
		log    string // part of a line; empty: that the match has ended
		all    bool   // all matches of the game are aborted
	}{
		{fault: "none"},
		{fault: "frames", reason: "the game sends too much"},
		{fault: "text", reason: "the game sends too much"},
		{fault: "show", reason: "the game shows too much"},
		{fault: "giant", reason: "the game has stopped: it sent more than 16 MiB at once", all: true},
		{fault: "bot-answers", reason: "the game failed: it answers for seat 0"},
		{fault: "no-such-seat", reason: "the game failed: it asks seat 99"},
		{fault: "same-seat-twice", reason: "the game failed: it asks seat 0 of 1, or asks it twice"},
		{fault: "sends-to-nobody", reason: "the game failed: it sends to seat 99"},
		{fault: "asks-again", reason: "the game failed: it sends a frame while its question waits"},
		{fault: "pauses-forever", reason: "the game failed: it pauses for 9223372036854 ms"},
		{fault: "result-for-seven", reason: "the game failed: its result is for 7 seats"},
		{fault: "no-number", reason: "the game failed: its result has a score of NaN"},
		{fault: "ends-twice"},
		{fault: "other-matches", log: `msg="the game broke the rules of the wire" game=hostile error="it sent a frame of match `},
		{fault: "other-matches-without-end", reason: "the game ", log: "it sent too many frames for unknown matches", all: true},
		{fault: "hangs-up", reason: "the game has stopped: it closed its connection", all: true},
	}
	h.DuringDuels(t, func() {
		for _, tt := range tests {
			t.Run(tt.fault, func(t *testing.T) {
				h.AwaitGame(t, "hostile")
				mark := h.Mark()
				other, _ := hostile(t, h, "none")
				c, id := hostile(t, h, tt.fault)
				begin := time.Now()
				answers := 1
				if tt.fault == "show" {
					answers = 100 // more than it takes
				}
				for range answers {
					c.Answer(t, "go")
				}
				result, _ := c.AwaitEnd(t)
				t.Logf("ended after %v; the host has used up to %d MiB", time.Since(begin), programs.MemoryOf(t, h.Cmd.Process.Pid, "VmHWM:")>>10)
				state := map[bool]string{false: "finished", true: "aborted"}[tt.reason != ""]
				if result.Aborted != (tt.reason != "") || !strings.Contains(result.Reason, tt.reason) {
					t.Errorf("got %+v, want the reason %q", result, tt.reason)
				}
				if r := h.Record(t, id); r.State != state || r.Reason != result.Reason || state == "finished" && r.Seats[0].Score != 1 {
					t.Errorf("got the record %+v, want it %s: %s", r, state, result.Reason)
				}
				if tt.log == "" {
					tt.log = `msg="match ended" match=` + id
				}
				h.AwaitAfter(t, mark, tt.log)
				if !tt.all {
					other.Answer(t, "go")
				}
				if result, _ := other.AwaitEnd(t); result.Aborted != tt.all {
					t.Errorf("other match: got %+v, want aborted: %t", result, tt.all)
				}
			})
		}
	})
	t.Cleanup(func() { h.Stop(t, syscall.SIGTERM) }) // after those that wait at the same time
	t.Run("never-prepares", func(t *testing.T) {
		t.Parallel()
		h.AwaitGame(t, "hostile")
		if _, err := h.Dial(t).Create(protocol.GameNew{Game: "hostile", Args: map[string]string{"fault": "never-prepares"}}); err == nil || !strings.Contains(err.Error(), "does not answer") {
			t.Errorf("got %v, want the refusal that the game does not answer", err)
		}
	})
	// Another host, because a short limit of silence would be wrong for the games above on a busy machine.
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], stall: 1s}\ndrain: 0s\n", dir))
		waits, _ := hostile(t, h, "none")
		c, id := hostile(t, h, "silent")
		c.Answer(t, "go")
		const want = "the game was silent for 1s"
		if result, _ := c.AwaitEnd(t); !result.Aborted || result.Reason != want {
			t.Errorf("got %+v, want it aborted: %s", result, want)
		}
		if r := h.Record(t, id); r.State != "aborted" || r.Reason != want {
			t.Errorf("got the record %+v, want it aborted: %s", r, want)
		}
		// A match that waits for its player is not silent.
		waits.Answer(t, "go")
		if result, _ := waits.AwaitEnd(t); result.Aborted {
			t.Errorf("other match: got %+v, want it finished", result)
		}
		h.Stop(t, syscall.SIGTERM)
	})
}
