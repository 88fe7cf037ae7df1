package web

import (
	"context"
	"errors"
	"fmt"

	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/protocol"
)

// branch creates a match that begins with the moves of another one, and returns its ID. If the
// other one runs, it is one of the client alone against bots, and ends. The error is for the
// client.
func (s *session) branch(ctx context.Context, r protocol.GameNew) (string, error) {
	b := r.Branch
	if !lobby.ValidID(b.Match) {
		return "", fmt.Errorf("Invalid ID: a match that begins with the moves of another one needs the ID of that, 13 characters of 0-9 and a-v") //nolint:staticcheck // the wire's text
	}
	if err := s.takePoints(historyPoints); err != nil {
		return "", err
	}
	done, err := s.shared.work(ctx) // the earlier match is played again
	if err != nil {
		s.shared.count(limit.ReadsWaiting)
		return "", err
	}
	defer done()
	var rec *record.Match
	var running *match.Match
	if b.Ticket != "" {
		if running, b.Seat, err = s.shared.alone(s.from.Key(), b.Match, b.Ticket, s.player); err != nil {
			return "", err
		}
		rec, _ = running.Snapshot()
	} else if rec, err = s.shared.history.Get(ctx, b.Match); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			return "", fmt.Errorf("no match %s has ended: a match can begin with the moves of one that has", b.Match)
		}
		s.log().Error("could not read a record", "match", b.Match, "error", err)
		return "", fmt.Errorf("the record of match %s cannot be read now: try again later", b.Match)
	}
	info, err := s.shared.lobby.Branch(ctx, s.client(), r, rec)
	if err != nil {
		return "", err
	}
	if s.shared.cluster != nil {
		s.shared.cluster.Published(ctx, info.ID)
	}
	if running != nil {
		running.TakeBack(info.ID)
	}
	return info.ID, nil
}

// Errors of alone, for the client.
var (
	errNotRunning = errors.New("the match does not run, or its seat is not yours")
	errNotAlone   = errors.New("that is possible only in a match against bots of the host alone, and in no contest")
)

// alone returns the running match of a client's ticket and the number of its seat, if all
// other seats have bots of the game, so that nobody is harmed if the client takes moves back
// or is shown some.
func (s *shared) alone(address, id, ticket, player string) (m *match.Match, number int, err error) {
	t, err := s.seats.Find(address, ticket)
	if err != nil {
		return nil, 0, err
	}
	m, number = t.Playing()
	if m == nil || t.ID() != id || t.Player() != player {
		return nil, 0, errNotRunning
	}
	if !m.Alone() {
		return nil, 0, errNotAlone
	}
	return m, number, nil
}
