package store

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
)

// Range selects the matches that ended from Since, and before Until.
type Range struct {
	Game         string // empty: all
	Since, Until time.Time
	After        string // cursor of the page before, as returned by Ended
}

// sql selects the whole records of matches that ended after a place and before a time,
// in the order of their ends. Like the pages of Select it reads only as many rows as it
// returns.
func (q Range) sql(t dialect.Texts) string {
	list := func(aborted string) string {
		text := `SELECT ` + whole + `, e.ended AS ending, e.match AS place FROM endings e ` + t.Join + ` matches m ON m.number = e.match
			WHERE e.player = '' AND e.aborted = ` + aborted + ` AND (e.ended, e.match) > ($1, $2) AND e.ended < $3`
		if q.Game != "" {
			text += ` AND e.game = $5`
		}
		return text
	}
	return t.Merge(` ORDER BY ending, place LIMIT $4`, list("FALSE"), list("TRUE"))
}

// whole lists all columns.
var whole = "m." + strings.Join(strings.Fields(strings.ReplaceAll(dialect.Columns, ",", " ")), ", m.")

// Ended calls visit for the whole records of at most limit matches of a range, the match that
// ended first first, and returns the cursor for the next page, which is empty after the last
// one. It holds one record at a time, and stops at the first error of visit, which it returns
// as it is.
func (r *Reader) Ended(ctx context.Context, q Range, limit int, visit func(*record.Match) error) (next string, err error) {
	last := place{ended: nanos(q.Since), number: math.MinInt64}
	if q.After != "" {
		if last, err = parsePlace(q.After); err != nil {
			return "", err
		}
	}
	args := []any{last.ended, last.number, nanos(q.Until), limit}
	if q.Game != "" {
		args = append(args, q.Game)
	}
	failed := func(err error) (string, error) {
		return "", fmt.Errorf("read the matches in %s: %w", r.d, r.d.Explain(err))
	}
	rows, err := r.db.QueryContext(ctx, q.sql(r.d.Texts()), args...)
	if err != nil {
		return failed(err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		m, err := scan(rows, &last.ended, &last.number)
		if err != nil {
			return failed(err)
		}
		if err := visit(m); err != nil {
			return "", err
		}
	}
	if err := rows.Err(); err != nil {
		return failed(err)
	}
	if n < limit {
		return "", nil
	}
	return last.String(), nil
}
