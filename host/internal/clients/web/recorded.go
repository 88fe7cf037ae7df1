package web

import (
	"context"
	"errors"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/protocol"
)

const (
	// endWithin is how long spectators wait for the end of a match whose host is gone. The
	// others record it as aborted after 8 s (see cluster.Open).
	endWithin = 15 * time.Second
	// endEvery is the time between two looks at its record.
	endEvery = 200 * time.Millisecond
)

// recorded returns the record of a match whose host has not sent its end, as when it
// stopped a moment after it; nil: the end is not known.
func (m *mirror) recorded() *record.Match {
	m.mu.Lock()
	ended := m.over || !m.admitted || !m.started
	m.mu.Unlock()
	if ended {
		return nil
	}
	ctx, cancel := context.WithTimeout(m.ctx, endWithin)
	defer cancel()
	for ctx.Err() == nil {
		if done, ok := m.server.Work(ctx); ok {
			rec, err := m.server.history.Get(ctx, m.id)
			done()
			switch {
			case err == nil && rec.State != record.Running:
				return rec
			case errors.Is(err, store.ErrNotFound):
				return nil
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(endEvery):
		}
	}
	return nil
}

// resultOf returns the result of a recorded match. The record has neither clocks nor lag.
func resultOf(r *record.Match) protocol.MatchResult {
	result := protocol.MatchResult{Reason: r.Reason, Aborted: r.State == record.Aborted, Players: make([]protocol.PlayerResult, len(r.Seats))}
	for i, s := range r.Seats {
		p := protocol.PlayerResult{Name: s.Name, Score: s.Score, Rank: s.Rank, Ended: string(s.Ended), Team: s.Team, Player: s.Player}
		if f := s.Fault; f != (record.Fault{}) {
			p.Fault = &protocol.Fault{Line: f.Line, Asked: f.Asked, Late: f.Late.Milliseconds()}
		}
		result.Players[i] = p
	}
	return result
}
