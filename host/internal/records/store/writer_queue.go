package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
)

// entry is a row to write.
type entry struct {
	*dialect.Row
	done  chan<- error // nil for Begin, which does not wait
	bytes int          // estimated, of a row of Finish
}

const (
	maxFinishes = 512
	// maxBegins bounds the rows of Begin in the queue. Beyond it, when the disk
	// hangs, rows are dropped, because Begin must not block. Such a match leaves no
	// trace if the host is killed before its end.
	maxBegins = 4096
)

var errClosed = errors.New("the record is closed")

// Begin records that a match has begun. It does not block and cannot fail: the
// row is written with the next commit, and a failure is logged. The caller can
// change the record as soon as Begin returns.
func (s *Store) Begin(r *record.Match) {
	begun := *r
	begun.State, begun.Reason, begun.Ended, begun.Answers, begun.Stream = record.Running, "", time.Time{}, nil, nil
	values, err := valuesOf(&begun, &s.pack)
	if err != nil {
		s.lose(1, err)
		return
	}
	s.mu.Lock()
	generation := s.beginLocked(r.ID)
	switch {
	case s.closed:
		err = errClosed
	case s.begins == maxBegins:
		err = errors.New("the disk is too slow: too many records are waiting")
	default:
		s.begins++
		s.queue = append(s.queue, entry{Row: &dialect.Row{Values: values, Generation: generation}})
	}
	s.mu.Unlock()
	if err != nil {
		s.lose(1, err)
		return
	}
	s.wakeWriter()
}

// Finish records a match that has ended, together with its result if it belongs to a
// contest. It replaces the row of Begin, if there is one. It returns nil when the record
// is durable. After an error Finish can be called again. A record that could not be
// committed is kept in memory and tried again; if ctx ends first, the record might still
// be written.
//
// With PostgreSQL Finish waits until the record is written, and nothing was written after
// record.ErrFenced. After record.ErrPlayed the match is recorded as aborted.
func (s *Store) Finish(ctx context.Context, r *record.Match) error {
	if err := s.finishOne(ctx, r); err != nil {
		return fmt.Errorf("record match %s in %s: %w", r.ID, s.d, s.d.Explain(err))
	}
	return nil
}

func (s *Store) finishOne(ctx context.Context, r *record.Match) error {
	row, err := rowOf(r, &s.pack)
	if err != nil {
		return err
	}
	select {
	case s.slots <- struct{}{}: // the writer releases it
	case <-ctx.Done():
		return ctx.Err()
	}
	done := make(chan error, 1)
	e := entry{row, done, weight(row.Values)}
	s.mu.Lock()
	closed := s.closed
	if !closed {
		e.Generation = s.generationLocked(r.ID)
		s.waiting += e.bytes
		s.queue = append(s.queue, e)
	}
	s.mu.Unlock()
	if closed {
		<-s.slots
		return errClosed
	}
	s.wakeWriter()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// beginLocked returns the generation in which a match begins, and keeps it for its end.
func (s *Store) beginLocked(id string) int64 {
	if s.hosts == nil {
		return 0
	}
	generation := s.hosts.generation.Load()
	s.begun[id] = generation
	return generation
}

// generationLocked returns the generation in which a match began.
func (s *Store) generationLocked(id string) int64 {
	if s.hosts == nil {
		return 0
	}
	if g, ok := s.begun[id]; ok {
		return g
	}
	return s.hosts.generation.Load()
}

// usualPatience is the patience without SetPatience.
const usualPatience = 5 * time.Second

// SetPatience sets for how long Available is true while PostgreSQL does not answer. With
// several hosts it is at most config.MaxPatience. It must be called before Available.
func (s *Store) SetPatience(d time.Duration) { s.patience = d }

// Available reports whether matches should begin: not if records could not be written for
// some time, see SetPatience, if those that wait need more than 64 MiB, or if another host
// can have fenced this one. With SQLite it is always true.
func (s *Store) Available() bool {
	if !s.waits {
		return true
	}
	if s.hosts != nil && !s.hosts.knows(s.patience) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return (s.since.IsZero() || time.Since(s.since) < s.patience) && s.waiting <= maxLate
}
