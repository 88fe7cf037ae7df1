package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Query says which matches that have ended to select. The zero value of a
// field means any.
type Query struct {
	Game         string
	Player       string // the exact name of one of the players
	State        State
	Since, Until time.Time // when it ended: Since <= ended < Until
	After        string    // a cursor that Select returned: what comes after that page
	Limit        int       // the most records of one page
}

// ErrCursor says that Query.After is none that Select has returned.
var ErrCursor = errors.New("not a cursor of this list")

// Select returns records without their answers and streams, the match that
// ended last first, and a cursor for the next page, which is empty when there
// is none. Matches that end meanwhile don't shift the pages.
func (r *Reader) Select(ctx context.Context, q Query) (page []*Record, next string, err error) {
	where, args, err := q.where()
	if err != nil {
		return nil, "", err
	}
	limit := max(q.Limit, 1)
	page, cursors, err := r.selectRows(ctx, where, append(args, limit+1))
	if err != nil {
		return nil, "", fmt.Errorf("select matches from %s: %w", r.path, explain(err))
	}
	if len(page) > limit {
		page, next = page[:limit], cursors[limit-1]
	}
	return page, next, nil
}

// where returns the condition and its values.
func (q Query) where() (string, []any, error) {
	terms, args := []string{"ended IS NOT NULL"}, []any{}
	add := func(term string, values ...any) {
		terms, args = append(terms, term), append(args, values...)
	}
	if q.Game != "" {
		add("game = ?", q.Game)
	}
	if q.State != "" {
		add("state = ?", string(q.State))
	}
	if q.Player != "" {
		// Seats are JSON as encoding/json writes it: in it this text stands
		// for a key and its value, and nothing else.
		name, err := json.Marshal(q.Player)
		if err != nil {
			return "", nil, err
		}
		add("instr(seats, ?) > 0", `"name":`+string(name)+`,`)
	}
	if !q.Since.IsZero() {
		add("ended >= ?", q.Since.UnixNano())
	}
	if !q.Until.IsZero() {
		add("ended < ?", q.Until.UnixNano())
	}
	if q.After != "" {
		ended, number, ok := strings.Cut(q.After, ".")
		at, err := strconv.ParseInt(ended, 10, 64)
		n, err2 := strconv.ParseInt(number, 10, 64)
		if !ok || err != nil || err2 != nil {
			return "", nil, ErrCursor
		}
		add("(ended, number) < (?, ?)", at, n)
	}
	return strings.Join(terms, " AND "), args, nil
}

func (r *Reader) selectRows(ctx context.Context, where string, args []any) (page []*Record, cursors []string, err error) {
	rows, err := r.db.QueryContext(ctx, `SELECT `+summary+`, ended || '.' || number FROM matches WHERE `+where+` ORDER BY ended DESC, number DESC LIMIT ?`, args...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var cursor string
		rec, err := scan(rows, &cursor)
		if err != nil {
			return nil, nil, err
		}
		page, cursors = append(page, rec), append(cursors, cursor)
	}
	return page, cursors, rows.Err()
}

// summary are the columns without what takes long to read.
var summary = strings.Replace(columns, "answers, stream", "NULL, NULL", 1)
