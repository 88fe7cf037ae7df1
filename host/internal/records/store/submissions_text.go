package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// What is kept of a log: its first and its last bytes.
const (
	logHead = 48 << 10
	logTail = 16 << 10
)

// What is kept of the journals of a version: the last bytes of each of the last matches.
const (
	journalBytes   = 4 << 10
	journalMatches = 50
)

// submissionLog is the log of a submission.
type submissionLog struct {
	head, tail []byte
	total      int // bytes that were added; those between head and tail are not kept
}

func readLog(row *sql.Row) (l submissionLog, err error) {
	err = row.Scan(&l.head, &l.tail, &l.total)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return l, err
}

const logSQL = `SELECT head, tail, total FROM submission_logs WHERE submission = $1`

func (l *submissionLog) add(text []byte) {
	l.total += len(text)
	n := min(len(text), logHead-len(l.head))
	l.head, l.tail = append(l.head, text[:n]...), append(l.tail, text[n:]...)
	l.tail = l.tail[max(0, len(l.tail)-logTail):]
}

// from returns what is kept from a byte on, with a line for what is not.
func (l *submissionLog) from(n int) (text []byte) {
	if n < 0 || n > l.total {
		n = 0
	}
	tail := l.total - len(l.tail) // where it begins
	if n < len(l.head) {
		text = append(text, l.head[n:]...)
		n = len(l.head)
	}
	if n < tail {
		text = fmt.Appendf(text, "\n[%d bytes are missing here]\n", tail-n)
		n = tail
	}
	return append(text, l.tail[n-tail:]...)
}

// AddLog appends a text to the log of a submission. The first 48 KiB of a log and its last
// 16 KiB are kept.
func (s *Submissions) AddLog(ctx context.Context, number int64, text []byte) error {
	return s.change(ctx, fmt.Sprintf("add to the log of submission %d", number), func(ctx context.Context, tx *sql.Tx) error {
		if _, err := submission(ctx, tx, `number = $1 AND state <> 'removed'`+s.d.Texts().Lock, number); err != nil {
			return err
		}
		l, err := readLog(tx.QueryRowContext(ctx, logSQL, number))
		if err != nil {
			return err
		}
		l.add(text)
		_, err = tx.ExecContext(ctx, `INSERT INTO submission_logs (submission, head, tail, total) VALUES ($1, $2, $3, $4)
			ON CONFLICT (submission) DO UPDATE SET head = excluded.head, tail = excluded.tail, total = excluded.total`,
			number, notNull(l.head), notNull(l.tail), l.total)
		return err
	})
}

// Log returns the log of a submission from a byte on, and the number of all its bytes. Both
// numbers count bytes that are no longer kept; a line in the text says how many of them are
// missing. From a number above the total on, as after a Requeue, it returns all. A
// submission without a log has an empty one.
func (s *Submissions) Log(ctx context.Context, number int64, from int) (text []byte, total int, err error) {
	l, err := readLog(s.read.QueryRowContext(ctx, logSQL, number))
	if err != nil {
		return nil, 0, s.wrap(fmt.Sprintf("read the log of submission %d", number), err)
	}
	return l.from(from), l.total, nil
}

// notNull returns bytes that are not NULL.
func notNull(b []byte) []byte {
	if b == nil {
		b = []byte{}
	}
	return b
}

// AddJournal keeps what a program has written to its stderr in a match, instead of an
// earlier text for the match: the last 4 KiB, of the last 50 matches of a submission.
func (s *Submissions) AddJournal(ctx context.Context, number int64, match, text string) error {
	text = text[max(0, len(text)-journalBytes):]
	return s.change(ctx, fmt.Sprintf("keep the journal of submission %d", number), func(ctx context.Context, tx *sql.Tx) error {
		if _, err := submission(ctx, tx, `number = $1 AND state <> 'removed'`+s.d.Texts().Lock, number); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO submission_journals (submission, match, at, output) VALUES ($1, $2, $3, $4)
			ON CONFLICT (submission, match) DO UPDATE SET at = excluded.at, output = excluded.output`,
			number, match, time.Now().UnixNano(), []byte(text)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf(`DELETE FROM submission_journals WHERE submission = $1 AND number <= (
			SELECT number FROM submission_journals WHERE submission = $1 ORDER BY number DESC LIMIT 1 OFFSET %d)`, journalMatches), number)
		return err
	})
}

// Journal returns what AddJournal has kept of a match, and whether there is something.
func (s *Submissions) Journal(ctx context.Context, number int64, match string) (text string, found bool, err error) {
	var b []byte
	err = s.read.QueryRowContext(ctx, `SELECT output FROM submission_journals WHERE submission = $1 AND match = $2`, number, match).Scan(&b)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return string(b), err == nil, s.wrap(fmt.Sprintf("read the journal of submission %d", number), err)
}

// Journals returns the matches with a journal, the last one first.
func (s *Submissions) Journals(ctx context.Context, number int64) (list []JournalEntry, err error) {
	defer func() { err = s.wrap(fmt.Sprintf("list the journals of submission %d", number), err) }()
	rows, err := s.read.QueryContext(ctx, `SELECT match, at FROM submission_journals WHERE submission = $1 ORDER BY number DESC`, number)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var e JournalEntry
		var at int64
		if err := rows.Scan(&e.Match, &at); err != nil {
			return nil, err
		}
		e.At = time.Unix(0, at).UTC()
		list = append(list, e)
	}
	return list, rows.Err()
}
