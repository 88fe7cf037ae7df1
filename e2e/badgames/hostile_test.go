// Package badgames tests that a game that does wrong harms nobody else.
package badgames

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

func TestMain(m *testing.M) { programs.Main(m, nil) }

// hostile begins a match of the game in testdata/hostile, and lets it do what
// fault says.
func hostile(t *testing.T, h *programs.Host, fault string) (c *programs.Client, id string) {
	t.Helper()
	c, err := programs.Dial(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if id, err = c.Create(protocol.GameNew{Game: "hostile", Args: map[string]string{"fault": fault}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Join(id, "alice"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Skip(protocol.NameMatchStarted, nil); err != nil {
		t.Fatal(err)
	}
	return c, id
}

// answer lets a match of the game hostile go on.
func answer(t *testing.T, c *programs.Client) {
	t.Helper()
	if err := c.Conn.WriteMessage(2, []byte("go\n")); err != nil {
		t.Fatal(err)
	}
}

func TestGameThatBreaksTheRulesHarmsNoOtherMatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := programs.Run("go", "build", "-o", filepath.Join(dir, "hostile", "hostile"), "./testdata/hostile"); err != nil {
		t.Fatal(err)
	}
	// The players read nothing while they wait for each other, and so answer no ping.
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s, %s], stall: 20s}\ndrain: 0s\nclients: {ping: 10m}\n", programs.Plugins, dir))
	tests := []struct {
		fault  string
		reason string // of the abort, told to the player; empty: the match ends well
		log    string // a line; empty: that the match has ended, with the reason
		all    bool   // other matches of the game end too
	}{
		{fault: "none"},
		{fault: "silent", reason: "the game was silent for 20s"},
		{fault: "frames", reason: "the game sends too much"},
		{fault: "text", reason: "the game sends too much"},
		{fault: "show", reason: "the game shows too much"},
		{fault: "giant", reason: "the game has stopped: it sent more than 16 MiB at once", all: true},
		{fault: "bot-answers", reason: "the game failed: it answers for seat 0"},
		{fault: "no-such-seat", reason: "the game failed: it asks seat 99"},
		{fault: "same-seat-twice", reason: "the game failed: it asks seat 0 of 1, or twice"},
		{fault: "tells-nobody", reason: "the game failed: it sends to seat 99"},
		{fault: "asks-again", reason: "the game failed: it sends a frame while its question waits"},
		{fault: "rests-for-ever", reason: "the game failed: it pauses for 18446744073709551615 ms"},
		{fault: "result-for-seven", reason: "the game failed: its result is for 7 seats"},
		{fault: "no-number", reason: "the game failed: its result has a score of NaN"},
		{fault: "ends-twice"},
		{fault: "other-matches", log: `msg="the game broke the rules of the wire" game=hostile error="it sent a frame of match `},
		{fault: "other-matches-without-end", reason: "the game ", log: "it sent too many frames of no match", all: true},
		{fault: "hangs-up", reason: "the game has stopped: it closed its connection", all: true},
	}
	h.Besides(t, func() {
		for _, tt := range tests {
			t.Run(tt.fault, func(t *testing.T) {
				h.Serves(t, "hostile")
				mark := h.Mark()
				witness, _ := hostile(t, h, "none")
				c, id := hostile(t, h, tt.fault)
				begin := time.Now()
				answers := 1
				if tt.fault == "show" {
					answers = 100 // more than it takes
				}
				for range answers {
					answer(t, c)
				}
				var ended protocol.EndedReply
				if _, err := c.Skip(protocol.NameMatchEnded, &ended); err != nil {
					t.Fatal(err)
				}
				t.Logf("told after %v; the host had %d MiB at most so far", time.Since(begin), programs.MemoryOf(t, h.Cmd.Process.Pid, "VmHWM:")>>10)
				state := map[bool]string{false: "finished", true: "aborted"}[tt.reason != ""]
				if r := ended.Result; r.Aborted != (tt.reason != "") || !strings.Contains(r.Reason, tt.reason) {
					t.Errorf("the match ended as %+v, want the reason %q", r, tt.reason)
				}
				if r := h.Record(t, id); r.State != state || r.Reason != ended.Result.Reason || state == "finished" && r.Seats[0].Score != 1 {
					t.Errorf("the record is %+v, want it %s", r, state)
				}
				if tt.log == "" {
					tt.log = `msg="match ended" match=` + id
				}
				h.AwaitAfter(t, mark, tt.log)
				if tt.all {
					ended = protocol.EndedReply{}
					if _, err := witness.Skip(protocol.NameMatchEnded, &ended); err != nil || !ended.Result.Aborted {
						t.Errorf("the other match ended with %+v, %v", ended.Result, err)
					}
					return
				}
				answer(t, witness)
				ended = protocol.EndedReply{}
				if _, err := witness.Skip(protocol.NameMatchEnded, &ended); err != nil || ended.Result.Aborted {
					t.Errorf("the other match ended with %+v, %v", ended.Result, err)
				}
			})
		}
		h.Serves(t, "hostile")
		c, err := programs.Dial(h.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Create(protocol.GameNew{Game: "hostile", Args: map[string]string{"fault": "never-prepares"}}); err == nil || !strings.Contains(err.Error(), "does not answer") {
			t.Errorf("a game that prepares no match: %v", err)
		}
	})
	h.Stop(t, syscall.SIGTERM)
}
