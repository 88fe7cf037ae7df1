package faults

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// TestSignalsEndTheHostInOrder stops a host with a running match and a waiting one,
// and starts another host with its records.
func TestSignalsEndTheHostInOrder(t *testing.T) {
	t.Parallel()
	const rounds = 10
	tests := []struct {
		name, drain string
		// after is called when the host has logged that it is shutting down.
		after func(t *testing.T, h *programs.Host, pair []*programs.Player)
		want  programs.Record
	}{
		{
			"the match ends in time", "1h",
			func(t *testing.T, h *programs.Host, pair []*programs.Player) {
				for _, p := range pair {
					for range rounds {
						p.Answer(t, "ROCK")
					}
				}
				for _, p := range pair {
					if result, _ := p.AwaitEnd(t); result.Aborted {
						t.Errorf("got %+v, want a finished match", result)
					}
				}
			},
			programs.Record{State: "finished"},
		},
		{
			"it does not", "200ms",
			func(t *testing.T, h *programs.Host, pair []*programs.Player) {
				for _, p := range pair {
					if result, _ := p.AwaitEnd(t); !result.Aborted || result.Reason != "the host is shutting down" {
						t.Errorf("got %+v, want a match aborted by the shutdown", result)
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
					if _, err := p.Skip(protocol.NameMatchEnded, nil); err == nil {
						t.Error("got MatchEnded, want a lost connection")
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
			if tt.name == "a second signal" {
				playRound(t, h)
			}
			other := h.Dial(t)
			waiting, _ := h.Join(t, protocol.GameNew{Game: "roshambo"}, "waits")
			mark, begin := h.Mark(), time.Now()
			if err := h.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			h.AwaitAfter(t, mark, "shutting down")
			if _, err := waiting.Skip(protocol.NameLobbyDelete, nil); err != nil {
				t.Errorf("player of the waiting match: got %v, want LobbyDelete", err)
			}
			if tt.drain == "1h" {
				if _, err := other.Create(protocol.GameNew{Game: "roshambo"}); err == nil || !strings.Contains(err.Error(), "shutting down") {
					t.Errorf("new match: got %v, want a refusal", err)
				}
				if c, err := programs.Dial(h.URL); err == nil {
					c.Close()
					t.Error("got a new connection, want a refusal")
				}
			}
			tt.after(t, h, pair)
			if tt.name != "a second signal" {
				for _, c := range []*programs.Client{pair[0].Client, waiting, other} {
					if _, _, err := c.Next(); !websocket.IsCloseError(err, protocol.CloseShutdown) {
						t.Errorf("got %v, want close code %d", err, protocol.CloseShutdown)
					}
				}
			}
			pair[1].Close()
			poll.Receive(t, "the host has ended", h.Done, func() any { return strings.Join(h.Logged(), "\n") })
			t.Logf("the host ended after %v", time.Since(begin))
			h.Stop(t, syscall.SIGKILL) // waits for the children
			if ended := h.Cmd.ProcessState; ended.Success() != (tt.name != "a second signal") {
				t.Errorf("got %v, want a failure only after a second signal", ended)
			}
			again := programs.StartHost(t, data)
			if r := again.Record(t, pair[0].ID); r.State != tt.want.State || r.Reason != tt.want.Reason {
				t.Errorf("got the record %+v, want %+v", r, tt.want)
			}
			again.Stop(t, syscall.SIGTERM)
		})
	}
}

// playRound plays a match of one round to its end. Its record is written after those of
// all matches that have begun before, for which the start of a match does not wait.
func playRound(t *testing.T, h *programs.Host) {
	t.Helper()
	pair, err := h.Pair(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pair {
		p.Answer(t, "ROCK")
	}
	for _, p := range pair {
		p.AwaitEnd(t)
		p.Close()
	}
}
