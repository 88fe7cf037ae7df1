package store

import (
	"time"

	"colosseum/host/internal/records/dialect"
)

const (
	// retryEvery is the time between two attempts to commit late rows.
	retryEvery = time.Second
	// maxLate bounds the memory of late rows, in bytes. Beyond it, when the disk
	// has been full for long, the oldest rows are dropped.
	maxLate = 64 << 20
)

// late holds the rows of ended matches that could not be committed, for later
// attempts. Only the writer's goroutine uses it.
type late struct {
	rows  []*dialect.Row // oldest first
	bytes int            // estimated size of all rows
	lost  int            // rows dropped since the last success
	due   time.Time
}

// add adds the ends of matches in a batch. It returns whether it had to drop rows for the
// first time since the last success.
func (l *late) add(batch []entry) (dropping bool) {
	for _, e := range batch {
		if e.Ended {
			l.rows = append(l.rows, &dialect.Row{Values: e.Values, Result: e.Result, Late: true})
			l.bytes += weight(e.Values)
		}
	}
	for l.bytes > maxLate {
		dropping = dropping || l.lost == 0
		l.lost++
		l.bytes -= weight(l.rows[0].Values)
		l.rows = l.rows[1:]
	}
	return dropping
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
