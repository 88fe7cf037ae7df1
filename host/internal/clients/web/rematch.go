package web

import (
	"context"
	"errors"
	"fmt"

	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/store"
	"colosseum/protocol"
)

// rematch creates a match in which the participants of an ended one play again, unless
// one waits or runs, and returns its ID. The match is one of this host, or was created
// on another one before. Its error is for the client.
func (s *session) rematch(ctx context.Context, r protocol.GameNew) (string, error) {
	if !lobby.ValidID(r.Rematch) {
		return "", fmt.Errorf("Invalid ID: a rematch needs the ID of an ended match, 13 characters of 0-9 and a-v") //nolint:staticcheck // the wire's text
	}
	if info, ok := s.shared.lobby.FindRematch(r.Rematch); ok {
		return info.ID, nil
	}
	if err := s.takePoints(historyPoints); err != nil {
		return "", err
	}
	done, err := s.shared.work(ctx)
	if err != nil {
		s.shared.count(limit.ReadsWaiting)
		return "", err
	}
	rec, err := s.shared.history.Get(ctx, r.Rematch)
	done()
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", fmt.Errorf("no match %s has ended: a rematch needs the ID of one that has", r.Rematch)
	case err != nil:
		s.log().Error("could not read a record", "match", r.Rematch, "error", err)
		return "", fmt.Errorf("the record of match %s cannot be read now: try again later", r.Rematch)
	}
	info, err := s.shared.lobby.Rematch(ctx, s.client(), r, rec)
	if err == nil && s.shared.cluster != nil {
		s.shared.cluster.Published(ctx, info.ID)
	}
	return info.ID, err
}
