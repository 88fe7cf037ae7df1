package store

import (
	"fmt"
	"time"
)

// late holds the rows of ended matches that the disk did not take, until it
// does. It is for the writer goroutine alone.
type late struct {
	rows  []entry // oldest first
	bytes int     // about, of all of them
	lost  int     // rows that were given up since the last success
	due   time.Time
	retry *time.Timer
}

const (
	// retryEvery is how often late rows are tried again.
	retryEvery = time.Second
	// maxLate bounds the memory for late rows, in bytes. Full (nobody has
	// made room for long): the oldest are given up.
	maxLate = 64 << 20
)

// keep notes the rows of ended matches in a batch that failed.
func (s *Store) keep(batch []entry) {
	l := &s.late
	for _, e := range batch {
		if e.done != nil {
			l.rows = append(l.rows, entry{row: e.row, late: true})
			l.bytes += weight(e.row)
		}
	}
	for l.bytes > maxLate {
		if l.lost == 0 {
			s.log.Error("too many records wait for the disk: the oldest are given up", "file", s.path)
		}
		l.lost++
		l.bytes -= weight(l.rows[0].row)
		l.rows = l.rows[1:]
	}
	s.wait()
}

// writeLate writes the late rows, when there are some and it is time, or the
// last chance. What was recorded of their matches meanwhile stays.
func (s *Store) writeLate(last bool) (tried bool, err error) {
	l := &s.late
	n := len(l.rows)
	if n == 0 || time.Now().Before(l.due) && !last {
		return false, nil
	}
	if err = s.commit(l.rows); err != nil {
		err = fmt.Errorf("%d matches are not recorded: %w", n, err)
	} else {
		s.log.Info("records that waited for the disk are written", "file", s.path, "matches", n, "given_up", l.lost)
		l.rows, l.bytes, l.lost = nil, 0, 0
		s.mu.Lock()
		s.counts.Records += uint64(n)
		s.mu.Unlock()
	}
	s.wait()
	return true, err
}

// wait sets the time of the next try, if there is something to try.
func (s *Store) wait() {
	l := &s.late
	s.mu.Lock()
	s.kept = len(l.rows)
	s.mu.Unlock()
	if len(l.rows) > 0 {
		l.due = time.Now().Add(retryEvery)
		l.retry.Reset(retryEvery)
	}
}

// weight is about what a row takes of the memory.
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
