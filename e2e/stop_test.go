package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/protocol"
)

// TestSignalsEndTheHostInOrder tells a host with a running match and a waiting
// one to stop, and starts another one on its records.
func TestSignalsEndTheHostInOrder(t *testing.T) {
	const rounds = 10
	tests := []struct {
		name, drain string
		// after is called when the host has said that it is shutting down.
		after func(t *testing.T, h *host, pair []*bencher)
		want  record
	}{
		{
			"the match ends in time", "50s",
			func(t *testing.T, h *host, pair []*bencher) {
				for _, p := range pair {
					for range rounds {
						if err := p.conn.WriteMessage(websocket.BinaryMessage, []byte("ROCK\n")); err != nil {
							t.Fatal(err)
						}
					}
				}
				for _, p := range pair {
					if result, err := p.end(); err != nil || result.Aborted {
						t.Errorf("a player saw %+v, %v", result, err)
					}
				}
			},
			record{State: "finished"},
		},
		{
			"it does not", "200ms",
			func(t *testing.T, h *host, pair []*bencher) {
				for _, p := range pair {
					if result, err := p.end(); err != nil || !result.Aborted || result.Reason != "the host is shutting down" {
						t.Errorf("a player saw %+v, %v", result, err)
					}
				}
			},
			record{State: "aborted", Reason: "the host is shutting down"},
		},
		{
			"a second signal", "50s",
			func(t *testing.T, h *host, pair []*bencher) {
				if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				for _, p := range pair {
					if _, err := p.end(); err == nil {
						t.Error("a player was told the end of a match that was cut off")
					}
				}
			},
			record{State: "aborted", Reason: "the host stopped during the match"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			h := startHostWith(t, data, fmt.Sprintf("plugins: {folders: [%s]}\ndrain: %s\n", plugins, tt.drain))
			pair, err := h.pair(rounds)
			if err != nil {
				t.Fatal(err)
			}
			waiting, other := h.enter(t), h.enter(t)
			id, err := waiting.create(protocol.GameNew{Game: "roshambo"})
			if err != nil {
				t.Fatal(err)
			}
			if err := waiting.join(id, "waits"); err != nil {
				t.Fatal(err)
			}
			mark, begin := h.mark(), time.Now()
			if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			h.awaitAfter(t, mark, "shutting down")
			if _, err := waiting.skip(protocol.NameLobbyDelete, nil); err != nil {
				t.Errorf("the one who waits: %v", err)
			}
			if tt.drain == "50s" {
				if _, err := other.create(protocol.GameNew{Game: "roshambo"}); err == nil || !strings.Contains(err.Error(), "shutting down") {
					t.Errorf("a new match: %v", err)
				}
				if c, err := dial(h.url); err == nil {
					c.close()
					t.Error("a new client was let in")
				}
			}
			tt.after(t, h, pair)
			if tt.name != "a second signal" {
				for _, c := range []*client{pair[0].client, waiting, other} {
					if _, _, err := c.next(); !websocket.IsCloseError(err, protocol.CloseShutdown) {
						t.Errorf("a client was closed with %v", err)
					}
				}
			}
			pair[1].close()
			select {
			case <-h.done:
			case <-time.After(patience):
				t.Error("the host goes on")
			}
			t.Logf("it ended after %v", time.Since(begin))
			h.stop(t, syscall.SIGKILL) // nothing is left
			if ended := h.cmd.ProcessState; ended.Success() != (tt.name != "a second signal") {
				t.Errorf("it ended as %v", ended)
			}
			again := startHost(t, data)
			if r := again.record(t, pair[0].id); r.State != tt.want.State || r.Reason != tt.want.Reason {
				t.Errorf("the record is %+v, want %+v", r, tt.want)
			}
			again.stop(t, syscall.SIGTERM)
		})
	}
}

// end reads to the end of the match.
func (p *bencher) end() (*protocol.MatchResult, error) {
	var ended protocol.EndedReply
	_, err := p.skip(protocol.NameMatchEnded, &ended)
	return ended.Result, err
}
