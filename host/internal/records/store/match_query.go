package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
)

// Query selects ended matches. The zero value of a field selects all.
type Query struct {
	Game         string
	Player       string   // the exact name of one of the players
	Others       []string // other names of that player
	State        record.State
	Since, Until time.Time // when it ended: Since <= ended < Until
	After        string    // cursor of the page before, as returned by Select
	Limit        int       // most records in a page

	// Keep selects more than the database can; nil keeps all. Select then reads at most
	// maxScanned matches, so a page can be shorter than Limit although there is a next one.
	Keep func(*record.Match) bool
}

// ErrCursor is the error of Select when Query.After is not one of its cursors.
var ErrCursor = errors.New("not a cursor of this list")

// shape says which filters a query has. It determines the SQL text; everything
// else is a parameter.
type shape struct{ game, state bool }

func (q Query) shape() shape { return shape{game: q.Game != "", state: q.State != ""} }

// sql returns the SQL text. Without a filter for the state, the database merges the
// lists of both states. PostgreSQL permits no parameters that a text does not use, so
// those of the filters come last.
func (s shape) sql(t dialect.Texts) string {
	list := func(aborted string) string {
		text := `SELECT ` + summary + `, e.ended AS ending, e.match AS place FROM endings e ` + t.Join + ` matches m ON m.number = e.match
			WHERE e.player = $1 AND e.aborted = ` + aborted + ` AND e.ended >= $2 AND (e.ended, e.match) < ($3, $4)`
		if s.game {
			text += ` AND e.game = $6`
		}
		return text
	}
	const order = ` ORDER BY ending DESC, place DESC LIMIT $5`
	switch {
	case s.state && s.game:
		return list("$7") + order
	case s.state:
		return list("$6") + order
	}
	return t.Merge(order, list("FALSE"), list("TRUE"))
}

// listSQL selects the IDs of all ended matches. It reads only the index.
func listSQL(t dialect.Texts) string {
	return t.Merge(` ORDER BY ended DESC, match DESC LIMIT $1`,
		`SELECT id, ended, match FROM endings WHERE player = '' AND aborted = FALSE`,
		`SELECT id, ended, match FROM endings WHERE player = '' AND aborted = TRUE`)
}

// preparePages prepares the queries of all shapes.
func preparePages(ctx context.Context, db *sql.DB, t dialect.Texts) (map[shape]*sql.Stmt, error) {
	pages := map[shape]*sql.Stmt{}
	for _, s := range []shape{{}, {game: true}, {state: true}, {game: true, state: true}} {
		stmt, err := db.PrepareContext(ctx, s.sql(t))
		if err != nil {
			return nil, err
		}
		pages[s] = stmt
	}
	return pages, nil
}

// String returns the place as a cursor.
func (p place) String() string { return fmt.Sprint(p.ended, ".", p.number) }

// parsePlace returns the place of a cursor, or ErrCursor.
func parsePlace(cursor string) (place, error) {
	at, number, ok := strings.Cut(cursor, ".")
	var p place
	var err, err2 error
	p.ended, err = strconv.ParseInt(at, 10, 64)
	p.number, err2 = strconv.ParseInt(number, 10, 64)
	if !ok || err != nil || err2 != nil {
		return place{}, ErrCursor
	}
	return p, nil
}

// args returns the parameters of a query.
func (q Query) args(limit int) ([]any, error) {
	since := int64(math.MinInt64)
	if !q.Since.IsZero() {
		since = nanos(q.Since)
	}
	// There is only one upper bound: of two, SQLite would seek one and scan to the other.
	ended, number := int64(math.MaxInt64), int64(math.MaxInt64)
	if q.After != "" {
		after, err := parsePlace(q.After)
		if err != nil {
			return nil, err
		}
		ended, number = after.ended, after.number
	}
	if !q.Until.IsZero() {
		if until := nanos(q.Until); until <= ended {
			ended, number = until, math.MinInt64
		}
	}
	args := []any{q.Player, since, ended, number, limit}
	if q.Game != "" {
		args = append(args, q.Game)
	}
	if q.State != "" {
		args = append(args, q.State == record.Aborted)
	}
	return args, nil
}

// summary lists the columns, with NULL for the large ones.
var summary = func() string {
	var list []string
	for name := range strings.SplitSeq(dialect.Columns, ",") {
		switch name = strings.TrimSpace(name); name {
		case "answers", "clocks", "notes", "spent", "stream":
			list = append(list, "NULL")
		default:
			list = append(list, "m."+name)
		}
	}
	return strings.Join(list, ", ")
}()
