package store

import (
	"context"
	"fmt"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/sqlite"
)

// late holds the rows of ended matches that could not be committed, for later
// attempts. Only the writer goroutine uses it.
type late struct {
	rows  []*dialect.Row // oldest first
	bytes int            // estimated size of all rows
	lost  int            // rows dropped since the last success
	due   time.Time
}

const (
	// retryEvery is the time between two attempts to commit late rows.
	retryEvery = time.Second
	// maxLate bounds the memory of late rows, in bytes. Beyond it, when the disk
	// has been full for long, the oldest rows are dropped.
	maxLate = 64 << 20
)

// keep adds the rows of Finish in a failed batch to the late rows.
func (s *Store) keep(batch []entry) {
	l := &s.late
	for _, e := range batch {
		if e.Ended {
			l.rows = append(l.rows, &dialect.Row{Values: e.Values, Result: e.Result, Late: true})
			l.bytes += weight(e.Values)
		}
	}
	for l.bytes > maxLate {
		if l.lost == 0 {
			s.log.Error("too many records are waiting to be written: dropping the oldest", "file", s.d.String())
		}
		l.lost++
		l.bytes -= weight(l.rows[0].Values)
		l.rows = l.rows[1:]
	}
	s.scheduleRetry()
}

// writeLate commits the late rows, if there are any and a retry is due or last is
// set. It does not overwrite a newer record of the same match.
func (s *Store) writeLate(last bool) (tried bool, err error) {
	l := &s.late
	n := len(l.rows)
	if n == 0 || time.Now().Before(l.due) && !last {
		return false, nil
	}
	err = s.commit(l.rows)
	s.noteFault(err)
	if err != nil {
		err = fmt.Errorf("could not record %d matches: %w", n, err)
	} else {
		s.log.Info("wrote the records that were waiting", "file", s.d.String(), "matches", n, "given_up", l.lost)
		l.rows, l.bytes, l.lost = nil, 0, 0
		s.mu.Lock()
		s.stats.Records += uint64(n)
		s.mu.Unlock()
	}
	s.scheduleRetry()
	return true, err
}

// scheduleRetry sets the time of the next attempt if there are late rows.
func (s *Store) scheduleRetry() {
	l := &s.late
	s.mu.Lock()
	s.kept = len(l.rows)
	s.mu.Unlock()
	if len(l.rows) > 0 {
		l.due = time.Now().Add(retryEvery)
		s.retry.Reset(retryEvery)
	}
}

// probe writes one page when the last commit failed and no row waits for another attempt,
// so that the store notices the end of a fault without a new match.
func (s *Store) probe() {
	s.mu.Lock()
	failed := s.fault != ""
	s.mu.Unlock()
	if d, ok := s.d.(sqlite.File); ok && failed && len(s.late.rows) == 0 {
		s.noteFault(d.Probe(context.Background(), s.db))
	}
}

// noteFault keeps why a commit failed; nil: it succeeded. With PostgreSQL it does nothing:
// Available has another rule there.
func (s *Store) noteFault(err error) {
	if s.waits {
		return
	}
	text := ""
	if err != nil {
		text = s.d.Explain(err).Error()
		s.retry.Reset(retryEvery)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = text
}

// weight estimates the memory of a row, in bytes.
func weight(row []any) int {
	n := 1 << 10
	for _, v := range row {
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}
	return n
}
