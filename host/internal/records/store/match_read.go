package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
)

// ErrNotFound is the error of Get for an unknown ID.
var ErrNotFound = errors.New("no such match in the record")

// Reader reads the record, even while a host in another process writes it. Its
// methods can be called concurrently.
type Reader struct {
	d         dialect.Database
	db        *sql.DB
	get, list *sql.Stmt
	pages     map[shape]*sql.Stmt
}

// readers is how many reads run at once; others wait. Clients use fewer: package
// limit keeps cores free for running matches.
const readers = 3

// OpenReader opens a record for reading only, next to running hosts or without.
func OpenReader(ctx context.Context, where string) (*Reader, error) {
	d, shown, err := find(where)
	if err == nil {
		var r *Reader
		if r, err = openReader(ctx, d); err == nil {
			return r, nil
		}
	}
	return nil, fmt.Errorf("open the record of matches %s: %w", shown, explain(d, err))
}

func openReader(ctx context.Context, d dialect.Database) (*Reader, error) {
	db, err := d.Connect(readers, true)
	if err != nil {
		return nil, err
	}
	r := &Reader{d: d, db: db}
	_, current, err := d.Version(ctx, db)
	if err == nil && !current {
		err = errors.New("its schema is outdated; start the host once to update it")
	}
	if err == nil {
		r.get, err = db.PrepareContext(ctx, `SELECT `+dialect.Columns+` FROM matches WHERE id = $1`)
	}
	if err == nil {
		r.list, err = db.PrepareContext(ctx, listSQL(d.Texts()))
	}
	if err == nil {
		r.pages, err = preparePages(ctx, db, d.Texts())
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return r, nil
}

// Close closes the database. Reads that are still running fail.
func (r *Reader) Close() error { return r.db.Close() }

// Get returns the record of an ended or running match, or ErrNotFound. Times are
// in UTC.
func (r *Reader) Get(ctx context.Context, id string) (*record.Match, error) {
	rec, err := scan(r.get.QueryRowContext(ctx, id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read match %s from %s: %w", id, r.d, r.d.Explain(err))
	}
	return rec, nil
}

// List returns the IDs of at most limit matches, the last to end first.
func (r *Reader) List(ctx context.Context, limit int) ([]string, error) {
	ids, err := r.ids(ctx, max(limit, 0)) // a negative LIMIT means no limit to SQLite
	if err != nil {
		return nil, fmt.Errorf("list the matches in %s: %w", r.d, r.d.Explain(err))
	}
	return ids, nil
}

func (r *Reader) ids(ctx context.Context, limit int) ([]string, error) {
	rows, err := r.list.QueryContext(ctx, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		var ended, number int64
		if err := rows.Scan(&id, &ended, &number); err != nil {
			return nil, err
		}
		ids = append(ids, id)
		if len(ids)%100 == 0 {
			runtime.Gosched() // running matches come first
		}
	}
	return ids, rows.Err()
}

// Select returns a page of records without answers and streams, the match that
// ended last first, and the cursor for the next page, which is empty on the last
// page. Matches that end between two calls do not shift the pages. The cost
// depends on the page alone, not on the size of the record or on the filters.
func (r *Reader) Select(ctx context.Context, q Query) (page []*record.Match, next string, err error) {
	limit := max(q.Limit, 1)
	read := limit
	if q.Keep != nil {
		read = scanBatch
	}
	for scanned := 0; scanned == 0 || scanned < maxScanned && q.Keep != nil; scanned += read {
		list, more, err := r.rows(ctx, q, read)
		if err != nil {
			return nil, "", err
		}
		for i, x := range list {
			if q.Keep != nil && !q.Keep(x.match) {
				continue
			}
			page = append(page, x.match)
			if len(page) == limit && (more || i+1 < len(list)) {
				return page, x.place().String(), nil
			}
		}
		if !more || len(list) == 0 {
			return page, "", nil
		}
		q.After = list[len(list)-1].place().String()
	}
	return page, q.After, nil
}

// A page with Query.Keep reads at most maxScanned matches, scanBatch at once.
const (
	scanBatch  = 100
	maxScanned = 500
)

// rows returns the first matches of a query, without Keep, and whether there are more.
func (r *Reader) rows(ctx context.Context, q Query, limit int) (list []row, more bool, err error) {
	for _, q.Player = range append([]string{q.Player}, q.Others...) {
		args, err := q.args(limit + 1)
		if err != nil {
			return nil, false, err
		}
		rows, err := r.selectRows(ctx, q.shape(), args)
		if err != nil {
			return nil, false, fmt.Errorf("select matches from %s: %w", r.d, r.d.Explain(err))
		}
		list = append(list, rows...)
	}
	if len(q.Others) > 0 {
		slices.SortFunc(list, func(a, b row) int { return cmp.Or(cmp.Compare(b.ended, a.ended), cmp.Compare(b.number, a.number)) })
		list = slices.CompactFunc(list, func(a, b row) bool { return a.number == b.number })
	}
	more = len(list) > limit
	return list[:min(len(list), limit)], more, nil
}

// row is a match with its place in the order of a page.
type row struct {
	match         *record.Match
	ended, number int64
}

func (x row) place() place { return place{x.ended, x.number} }

func (r *Reader) selectRows(ctx context.Context, s shape, args []any) (list []row, err error) {
	rows, err := r.pages[s].QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var x row
		if x.match, err = scan(rows, &x.ended, &x.number); err != nil {
			return nil, err
		}
		list = append(list, x)
		runtime.Gosched() // running matches come first
	}
	return list, rows.Err()
}
