package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/lobby"
	"colosseum/host/internal/record"
	"colosseum/protocol"
)

// matchHosts are two hosts whose listings the test copies. Matches are placed on the
// second one.
type matchHosts struct {
	near, far         *lobby.Lobby
	matches           *Matches
	handlers          map[string]func(context.Context, []byte) (any, error)
	err               error // of requests; nil: the second host answers
	place             string
	published, listed []string // IDs
}

func (h *matchHosts) Place(string) string                        { return h.place }
func (h *matchHosts) Published(_ context.Context, id string)     { h.published = append(h.published, id) }
func (h *matchHosts) Owner(_ context.Context, id string) string  { return "" }
func (h *matchHosts) Handle(name string, f func(context.Context, []byte) (any, error)) {
	if h.handlers[name] == nil {
		h.handlers[name] = f // of the second host, which is first
	}
}

func (h *matchHosts) Request(ctx context.Context, host, name string, in, out any) error {
	if host != "far" {
		return fmt.Errorf("a request to %q", host)
	}
	if h.err != nil {
		return h.err
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	answer, err := h.handlers[name](ctx, body)
	if err != nil {
		return err
	}
	if body, err = json.Marshal(answer); err != nil {
		return err
	}
	return json.Unmarshal(body, out)
}

func newMatchHosts(t *testing.T) *matchHosts {
	t.Helper()
	h := &matchHosts{near: newLobby(t), far: newLobby(t), handlers: map[string]func(context.Context, []byte) (any, error){}, place: "far"}
	NewMatches(h, h.far)
	h.matches = NewMatches(h, h.near)
	return h
}
