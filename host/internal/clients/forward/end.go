package forward

import (
	"context"
	"errors"
	"fmt"
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
func (m *Mirror) recorded() *record.Match {
	m.mu.Lock()
	ended := m.over || !m.admitted || !m.started
	m.mu.Unlock()
	if ended {
		return nil
	}
	ctx, cancel := context.WithTimeout(m.ctx, endWithin)
	defer cancel()
	for ctx.Err() == nil {
		rec, err := m.hosts.record(ctx, m.id)
		switch {
		case err == nil && rec.State != record.Running:
			return rec
		case errors.Is(err, store.ErrNotFound):
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(endEvery):
		}
	}
	return nil
}

// finishLocked ends the match for its spectators, unless its host has done so, as in its
// record; nil: it is not known how it ended.
func (m *Mirror) finishLocked(rec *record.Match) {
	if !m.admitted && m.err == nil {
		m.refuseLocked(ErrUnreachable)
	}
	if m.over || !m.admitted {
		return
	}
	const reason = "the connection to the host of the match was lost"
	if !m.started {
		m.expireLocked(reason)
		return
	}
	m.over = true
	if rec == nil {
		m.stream.End(protocol.MatchResult{Players: []protocol.PlayerResult{}, Reason: reason + ": the history has how it ended"})
		return
	}
	_ = m.grow(0, rec.Stream) // the rest; a record is never too long
	m.stream.End(resultOf(rec))
}

// expireLocked reports that the waiting match is gone.
func (m *Mirror) expireLocked(reason string) {
	m.over, m.err = true, fmt.Errorf("Game %q does not exists", m.id)
	for s := range m.spectators {
		s.Expired(m.id, reason)
	}
}

// resultOf returns the result of a recorded match. The record has neither clocks nor lag.
func resultOf(r *record.Match) protocol.MatchResult {
	result := protocol.MatchResult{Reason: r.Reason, Aborted: r.State == record.Aborted, Players: make([]protocol.PlayerResult, len(r.Seats))}
	for i, s := range r.Seats {
		p := protocol.PlayerResult{Name: s.Name, Score: s.Score, Rank: s.Rank, Ended: string(s.Ended), Team: s.Team, Player: s.Player, Missed: s.Missed, Dropped: s.Dropped}
		if f := s.Fault; f != (record.Fault{}) {
			p.Fault = &protocol.Fault{Line: f.Line, Asked: f.Asked, Late: f.Late.Milliseconds()}
		}
		result.Players[i] = p
	}
	return result
}
