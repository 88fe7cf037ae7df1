package web

import (
	"context"
	"errors"

	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/protocol"
)

// historyList handles a HistoryMatchList.
func (s *session) historyList(ctx context.Context, _ call) error {
	list, err := s.shared.answers.ofHistory(ctx)
	switch {
	case errors.Is(err, errTooManyWait):
		return err // the protocol has no refusal of this request
	case errors.Is(err, context.DeadlineExceeded):
		return errTooManyWait
	case err != nil:
		s.log().Error("could not read the history", "error", err)
		return s.answerWith(protocol.NameHistoryMatchList, []string{})
	default:
		return s.answerRead(list)
	}
}

// historyMatch handles a HistoryMatch.
func (s *session) historyMatch(ctx context.Context, c call) error {
	var r protocol.MatchID
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	reply, err := s.historyOf(ctx, r.ID)
	if err == nil {
		s.out.Reply(reply, true)
	}
	return err
}

// historyOf returns the encoded history of an ended match, or why there is none. The
// error closes the connection: the protocol has no word for a host that is busy.
func (s *session) historyOf(ctx context.Context, id string) ([]byte, error) {
	if !lobby.ValidID(id) {
		return protocol.EncodeHistoryError(protocol.HistoryInvalidID), nil
	}
	done, err := s.shared.work(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	rec, err := s.shared.history.Get(ctx, id)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, errTooManyWait
	case errors.Is(err, store.ErrNotFound) || err == nil && rec.State == record.Running:
		return protocol.EncodeHistoryError(protocol.HistoryNotFound), nil
	case err != nil:
		s.log().Error("could not read a record", "match", id, "error", err)
		return protocol.EncodeHistoryError(protocol.HistoryUnreadable), nil
	}
	h := &protocol.History{ID: rec.ID, Game: rec.Game, Args: rec.Args, Stream: rec.Stream}
	for _, seat := range rec.Seats {
		if seat.Bot {
			h.Bots++
		} else {
			h.Players = append(h.Players, seat.Name)
		}
	}
	message := protocol.EncodeHistory(h)
	s.charge(len(message))
	return message, nil
}
