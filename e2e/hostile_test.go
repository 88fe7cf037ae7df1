package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/protocol"
)

// hostile begins a match of the game in testdata/hostile, and lets it do what
// fault says.
func (h *host) hostile(t *testing.T, fault string) (c *client, id string) {
	t.Helper()
	c, err := dial(h.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	if id, err = c.create(protocol.GameNew{Game: "hostile", Args: map[string]string{"fault": fault}}); err != nil {
		t.Fatal(err)
	}
	if err := c.join(id, "alice"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.skip(protocol.NameMatchStarted, nil); err != nil {
		t.Fatal(err)
	}
	return c, id
}

// answer lets a match of the game hostile go on.
func (c *client) answer(t *testing.T) {
	t.Helper()
	if err := c.conn.WriteMessage(2, []byte("go\n")); err != nil {
		t.Fatal(err)
	}
}

func TestGameThatBreaksTheRulesHarmsNoOtherMatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := run("go", "build", "-o", filepath.Join(dir, "hostile", "hostile"), "./testdata/hostile"); err != nil {
		t.Fatal(err)
	}
	h := startHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s, %s], stall: 5s}\ndrain: 0s\n", plugins, dir))
	tests := []struct {
		fault  string
		reason string // of the abort, told to the player; empty: the match ends well
		log    string // a line; empty: that the match has ended, with the reason
		all    bool   // other matches of the game end too
	}{
		{fault: "none"},
		{fault: "silent", reason: "the game was silent for 5s"},
		{fault: "frames", reason: "the game talks without end"},
		{fault: "text", reason: "the game talks without end"},
		{fault: "show", reason: "the game shows too much"},
		{fault: "giant", reason: "the game has stopped: it sent more than 16 MiB at once", all: true},
		{fault: "bot-answers", reason: "the game failed: it answers for seat 0"},
		{fault: "no-such-seat", reason: "the game failed: it asks seat 99"},
		{fault: "same-seat-twice", reason: "the game failed: it asks seat 0 of 1, or twice"},
		{fault: "tells-nobody", reason: "the game failed: it sends to seat 99"},
		{fault: "asks-again", reason: "the game failed: it goes on while its question waits"},
		{fault: "rests-for-ever", reason: "the game failed: it rests for 18446744073709551615 ms"},
		{fault: "result-for-seven", reason: "the game failed: its result is for 7 seats"},
		{fault: "no-number", reason: "the game failed: its result has a score of NaN"},
		{fault: "ends-twice"},
		{fault: "other-matches", log: `msg="the game broke the rules of the wire" game=hostile error="it speaks of match `},
		{fault: "other-matches-without-end", reason: "the game ", log: "it sent frames of no match without end", all: true},
		{fault: "hangs-up", reason: "the game has stopped: it hung up", all: true},
	}
	h.besides(t, func() {
		for _, tt := range tests {
			t.Run(tt.fault, func(t *testing.T) {
				h.serves(t, "hostile")
				mark := h.mark()
				witness, _ := h.hostile(t, "none")
				c, id := h.hostile(t, tt.fault)
				begin := time.Now()
				c.answer(t)
				var ended protocol.EndedReply
				if _, err := c.skip(protocol.NameMatchEnded, &ended); err != nil {
					t.Fatal(err)
				}
				t.Logf("told after %v; the host had %d MiB at most so far", time.Since(begin), memoryOf(t, h.cmd.Process.Pid, "VmHWM:")>>10)
				state := map[bool]string{false: "finished", true: "aborted"}[tt.reason != ""]
				if r := ended.Result; r.Aborted != (tt.reason != "") || !strings.Contains(r.Reason, tt.reason) {
					t.Errorf("the match ended as %+v, want the reason %q", r, tt.reason)
				}
				if r := h.record(t, id); r.State != state || r.Reason != ended.Result.Reason || state == "finished" && r.Seats[0].Score != 1 {
					t.Errorf("the record is %+v, want it %s", r, state)
				}
				if tt.log == "" {
					tt.log = `msg="match ended" match=` + id
				}
				h.awaitAfter(t, mark, tt.log)
				if tt.all {
					ended = protocol.EndedReply{}
					if _, err := witness.skip(protocol.NameMatchEnded, &ended); err != nil || !ended.Result.Aborted {
						t.Errorf("the other match ended with %+v, %v", ended.Result, err)
					}
					return
				}
				witness.answer(t)
				ended = protocol.EndedReply{}
				if _, err := witness.skip(protocol.NameMatchEnded, &ended); err != nil || ended.Result.Aborted {
					t.Errorf("the other match ended with %+v, %v", ended.Result, err)
				}
			})
		}
		h.serves(t, "hostile")
		c, err := dial(h.url)
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		if _, err := c.create(protocol.GameNew{Game: "hostile", Args: map[string]string{"fault": "never-prepares"}}); err == nil || !strings.Contains(err.Error(), "does not answer") {
			t.Errorf("a game that prepares no match: %v", err)
		}
	})
	h.stop(t, syscall.SIGTERM)
}
