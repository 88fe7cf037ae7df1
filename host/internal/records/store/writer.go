package store

import (
	"context"
	"time"

	"colosseum/host/internal/records/dialect"
)

// wakeWriter makes the writer look at the queue.
func (s *Store) wakeWriter() {
	select {
	case s.wake <- struct{}{}:
	default: // it is awake, or about to be
	}
}

// write is the writer goroutine. When the store is closed and the queue is
// empty, it returns the error of the last commit.
func (s *Store) write() error {
	for range s.wake {
		s.mu.Lock()
		batch, begins, closed := s.queue, s.begins, s.closed
		s.queue, s.begins = nil, 0
		begun := time.Now()
		if s.since.IsZero() && len(batch) > 0 {
			s.since = begun
		}
		s.mu.Unlock()

		err := s.commit(rowsOf(batch))
		if len(batch) > 0 {
			s.count(batch, time.Since(begun), err)
			s.noteFault(err)
		}
		switch {
		case err != nil && s.waits && !closed:
			s.putBack(batch, begins, err)
			continue
		case err != nil:
			s.lose(begins, err)
			if !s.waits {
				s.keep(batch)
			}
		case len(batch) > 0:
			s.recovered()
		}
		for _, e := range batch {
			if e.done != nil {
				s.answer(e, err)
			}
		}
		if tried, lateErr := s.writeLate(closed); tried {
			err = lateErr
		} else if len(batch) == 0 && !closed {
			s.probe()
		}
		if closed { // nothing is queued after Close
			return err
		}
	}
	panic("unreachable: wake is never closed")
}

// rowsOf returns the rows of a batch.
func rowsOf(batch []entry) []*dialect.Row {
	rows := make([]*dialect.Row, len(batch))
	for i, e := range batch {
		rows[i] = e.Row
	}
	return rows
}

// answer returns the result of a commit to its call of Finish.
func (s *Store) answer(e entry, err error) {
	if err == nil {
		err = e.Err
	}
	s.mu.Lock()
	s.waiting -= e.bytes
	if err == nil {
		delete(s.begun, e.Values[dialect.ColumnID].(string)) // not after record.ErrFenced, which another call must get again
	}
	s.mu.Unlock()
	e.done <- err
	<-s.slots
}

// commit writes a batch in one transaction. No context cancels it, because SQLite would
// then roll back on its own.
func (s *Store) commit(batch []*dialect.Row) error {
	if len(batch) == 0 {
		return nil
	}
	ctx, cancel := s.d.Bound(context.Background())
	defer cancel()
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := s.commits.Commit(ctx, conn, batch); err != nil {
		return err
	}
	for _, e := range batch {
		if e.Late || e.Ended {
			s.generation.Add(1)
			break
		}
	}
	return nil
}

// putBack puts a batch that could not be committed back to the front of the queue, for
// another attempt.
func (s *Store) putBack(batch []entry, begins int, why error) {
	s.mu.Lock()
	s.queue = append(batch, s.queue...)
	s.begins += begins
	first := !s.failing
	s.failing = true
	s.mu.Unlock()
	if first {
		s.log.Error("could not record matches; those that end wait, and it is tried again every second",
			"store", s.d.String(), "error", s.d.Explain(why))
	}
	s.retry.Reset(retryEvery)
}

// lose counts rows of Begin that were not written. It logs the first one;
// recovered logs how many there were.
func (s *Store) lose(n int, why error) {
	if n == 0 {
		return
	}
	s.mu.Lock()
	first := s.lost == 0
	s.lost += n
	s.mu.Unlock()
	if first {
		s.log.Error("could not record that matches began; matches that are running when the host stops will be missing",
			"file", s.d.String(), "error", s.d.Explain(why))
	}
}

func (s *Store) recovered() {
	s.mu.Lock()
	n, failed := s.lost, s.failing
	s.lost, s.failing, s.since = 0, false, time.Time{}
	s.mu.Unlock()
	if n > 0 || failed {
		s.log.Info("matches are recorded again", "file", s.d.String(), "begins_lost", n)
	}
}
