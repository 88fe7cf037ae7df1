package web

import (
	"context"
	"errors"
	"slices"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// hintPoints is the cost of a hint, for which a game searches.
const hintPoints = 20

// Hints finds hints: a *analysis.Analyst. The error is for the client.
type Hints interface {
	Hint(ctx context.Context, rec *record.Match) (best string, err error)
}

// Errors of hints, for the client.
var (
	errNoHints   = errors.New("this host gives no hints")
	errNotAsked  = errors.New("it is not your turn")
	errManyHints = errors.New("too many hints: wait a moment")
)

// hint handles a MatchHint: it sends the client the move that the game finds best, if it plays
// against bots alone. The record counts it.
func (s *session) hint(c call) error {
	m, number := c.seat.Playing()
	refuse := func(err error) error {
		s.out.Push(protocol.Encode(protocol.NameMatchHint, protocol.MatchHint{Line: protocol.Refused[string](err)}))
		return nil
	}
	switch {
	case m == nil:
		return nil // it has just ended
	case s.shared.hints == nil:
		return refuse(errNoHints)
	case !m.Alone():
		return refuse(errNotAlone)
	}
	rec, asked := m.Snapshot()
	if !slices.Contains(asked, number) {
		return refuse(errNotAsked)
	}
	if _, refused := s.shared.readers.Take(s.from, hintPoints, 0); refused != "" || !s.hinting.CompareAndSwap(false, true) {
		return refuse(errManyHints)
	}
	go func() { // ends with the hint, which takes some seconds at most
		defer s.hinting.Store(false)
		best, err := s.shared.hints.Hint(context.Background(), rec)
		if err != nil {
			_ = refuse(err)
			return
		}
		m.Hinted(number)
		s.out.Push(protocol.Encode(protocol.NameMatchHint, protocol.MatchHint{Line: protocol.Ok(best)}))
	}()
	return nil
}
