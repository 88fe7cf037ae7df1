package faults

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

// TestSignalsEndTheHostInOrder tells a host with a running match and a waiting
// one to stop, and starts another one on its records.
func TestSignalsEndTheHostInOrder(t *testing.T) {
	const rounds = 10
	tests := []struct {
		name, drain string
		// after is called when the host has said that it is shutting down.
		after func(t *testing.T, h *programs.Host, pair []*programs.Player)
		want  programs.Record
	}{
		{
			"the match ends in time", "1h",
			func(t *testing.T, h *programs.Host, pair []*programs.Player) {
				for _, p := range pair {
					for range rounds {
						if err := p.Conn.WriteMessage(websocket.BinaryMessage, []byte("ROCK\n")); err != nil {
							t.Fatal(err)
						}
					}
				}
				for _, p := range pair {
					if result, err := end(p); err != nil || result.Aborted {
						t.Errorf("a player saw %+v, %v", result, err)
					}
				}
			},
			programs.Record{State: "finished"},
		},
		{
			"it does not", "200ms",
			func(t *testing.T, h *programs.Host, pair []*programs.Player) {
				for _, p := range pair {
					if result, err := end(p); err != nil || !result.Aborted || result.Reason != "the host is shutting down" {
						t.Errorf("a player saw %+v, %v", result, err)
					}
				}
			},
			programs.Record{State: "aborted", Reason: "the host is shutting down"},
		},
		{
			"a second signal", "1h",
			func(t *testing.T, h *programs.Host, pair []*programs.Player) {
				if err := h.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				for _, p := range pair {
					if _, err := end(p); err == nil {
						t.Error("a player was told the end of a match that was cut off")
					}
				}
			},
			programs.Record{State: "aborted", Reason: "the host stopped during the match"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			h := programs.StartHostWith(t, data, fmt.Sprintf("plugins: {folders: [%s]}\ndrain: %s\n", programs.Plugins, tt.drain))
			pair, err := h.Pair(rounds)
			if err != nil {
				t.Fatal(err)
			}
			waiting, other := h.Enter(t), h.Enter(t)
			id, err := waiting.Create(protocol.GameNew{Game: "roshambo"})
			if err != nil {
				t.Fatal(err)
			}
			if err := waiting.Join(id, "waits"); err != nil {
				t.Fatal(err)
			}
			mark, begin := h.Mark(), time.Now()
			if err := h.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			h.AwaitAfter(t, mark, "shutting down")
			if _, err := waiting.Skip(protocol.NameLobbyDelete, nil); err != nil {
				t.Errorf("the one who waits: %v", err)
			}
			if tt.drain == "1h" {
				if _, err := other.Create(protocol.GameNew{Game: "roshambo"}); err == nil || !strings.Contains(err.Error(), "shutting down") {
					t.Errorf("a new match: %v", err)
				}
				if c, err := programs.Dial(h.URL); err == nil {
					c.Close()
					t.Error("a new client was let in")
				}
			}
			tt.after(t, h, pair)
			if tt.name != "a second signal" {
				for _, c := range []*programs.Client{pair[0].Client, waiting, other} {
					if _, _, err := c.Next(); !websocket.IsCloseError(err, protocol.CloseShutdown) {
						t.Errorf("a client was closed with %v", err)
					}
				}
			}
			pair[1].Close()
			<-h.Done
			t.Logf("it ended after %v", time.Since(begin))
			h.Stop(t, syscall.SIGKILL) // nothing is left
			if ended := h.Cmd.ProcessState; ended.Success() != (tt.name != "a second signal") {
				t.Errorf("it ended as %v", ended)
			}
			again := programs.StartHost(t, data)
			if r := again.Record(t, pair[0].ID); r.State != tt.want.State || r.Reason != tt.want.Reason {
				t.Errorf("the record is %+v, want %+v", r, tt.want)
			}
			again.Stop(t, syscall.SIGTERM)
		})
	}
}

// end reads to the end of the match.
func end(p *programs.Player) (*protocol.MatchResult, error) {
	var ended protocol.EndedReply
	_, err := p.Skip(protocol.NameMatchEnded, &ended)
	return ended.Result, err
}
