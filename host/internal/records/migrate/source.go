package migrate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // registers the driver

	"colosseum/host/internal/records/store"
)

// source is the file. All reads see one state of it.
type source struct {
	db      *sql.DB
	conn    *sql.Conn // in a transaction that reads
	watch   *sql.Conn // sees changes of others
	version int64     // of watch, when the transaction began
	ended   int64     // when matches end that a killed host has left running
	running int64     // their number
}

// openFile opens a file with the current schema.
func openFile(ctx context.Context, path string) (_ *source, err error) {
	check, err := store.OpenReader(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := check.Close(); err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=ro&_error_rc=1&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	s := &source{db: db}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.conn, err = db.Conn(ctx); err != nil {
		return nil, err
	}
	if s.watch, err = db.Conn(ctx); err != nil {
		return nil, err
	}
	if s.version, err = s.dataVersion(ctx); err != nil {
		return nil, err
	}
	if _, err = s.conn.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return nil, err
	}
	// The first read takes the snapshot.
	err = s.conn.QueryRowContext(ctx, `SELECT count(*) FROM matches WHERE ended IS NULL`).Scan(&s.running)
	return s, err
}

func (s *source) close() {
	for _, c := range []*sql.Conn{s.conn, s.watch} {
		if c != nil {
			_ = c.Close()
		}
	}
	_ = s.db.Close()
}

func (s *source) dataVersion(ctx context.Context) (v int64, err error) {
	return v, s.watch.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v)
}

// unchanged returns an error if others have changed the file since it was opened.
func (s *source) unchanged(ctx context.Context) error {
	v, err := s.dataVersion(ctx)
	if err == nil && v != s.version {
		err = errors.New("the file has changed in between, for example by host players: let no command use it, and start again with an empty database")
	}
	return err
}

// columns returns the names of the columns of a table.
func (s *source) columns(ctx context.Context, table string) (names []string, err error) {
	rows, err := s.conn.QueryContext(ctx, `SELECT name FROM pragma_table_info(?) ORDER BY cid`, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

func (s *source) count(ctx context.Context, t *table) (n int64, err error) {
	return n, s.conn.QueryRowContext(ctx, `SELECT count(*) FROM `+t.name).Scan(&n)
}

// lastNumber returns the highest number that a table has ever had, as far as the file
// knows it.
func (s *source) lastNumber(ctx context.Context, t *table) (n int64, err error) {
	return n, s.conn.QueryRowContext(ctx, `SELECT max(coalesce((SELECT max(number) FROM `+t.name+`), 0), coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0))`, t.name).Scan(&n)
}

// rows returns the rows of a table after a key, in the order of the keys; nil: all.
func (s *source) rows(ctx context.Context, t *table, after []any) (*sql.Rows, error) {
	where := ""
	if after != nil {
		where = fmt.Sprintf(" WHERE (%s) > (%s)", list(t.key), strings.TrimSuffix(strings.Repeat("?, ", len(after)), ", "))
	}
	return s.conn.QueryContext(ctx, `SELECT `+list(t.columns)+` FROM `+t.name+where+` ORDER BY `+list(t.key), after...)
}

// row returns the row with a key as it is to be in PostgreSQL, or sql.ErrNoRows.
func (s *source) row(ctx context.Context, t *table, key []any) ([]any, error) {
	rows, err := s.conn.QueryContext(ctx, `SELECT `+list(t.columns)+` FROM `+t.name+` WHERE (`+list(t.key)+`) = (`+strings.TrimSuffix(strings.Repeat("?, ", len(key)), ", ")+`)`, key...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, errors.Join(rows.Err(), sql.ErrNoRows)
	}
	return s.scan(rows, t)
}

// scan returns the current row as it is to be in PostgreSQL. A match that runs is one that
// a killed host has left behind; it is aborted, as at a host's start.
func (s *source) scan(rows *sql.Rows, t *table) ([]any, error) {
	row, into := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range row {
		into[i] = &row[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	if t.name == "matches" {
		s.abort(t, row)
	}
	return row, t.convert(row)
}

func (s *source) abort(t *table, row []any) {
	at := map[string]int{}
	for i, c := range t.columns {
		at[c] = i
	}
	if row[at["ended"]] == nil {
		row[at["ended"]], row[at["state"]], row[at["reason"]] = s.ended, "aborted", "the host stopped during the match"
	}
}
