package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"

	"colosseum/host/internal/base/config"
)

// database is what SQLite and PostgreSQL do in different ways. The types sqliteFile
// and postgresServer implement it.
type database interface {
	// String returns the path of the file, or the URL without the password.
	String() string
	// connect opens a pool of connections; with readOnly they cannot write.
	connect(size int, readOnly bool) (*sql.DB, error)
	// own makes this process the owner of the matches of a host. It updates the schema,
	// and marks matches that the host has left running as aborted.
	own(ctx context.Context, host string, log *slog.Logger) (owned, error)
	// prepare updates the schema for a process that owns nothing.
	prepare(ctx context.Context, log *slog.Logger) error
	// version returns the version of the schema, or an error if the database is not a
	// record of matches, and whether that version is the current one.
	version(ctx context.Context, db *sql.DB) (version int, current bool, err error)
	// committer returns what writes records for a process that owns nothing.
	committer(ctx context.Context, db *sql.DB) (committer, error)
	// bound returns the context of a transaction that the caller cannot cancel.
	bound(ctx context.Context) (context.Context, context.CancelFunc)
	// size returns the bytes in use, and those that new records will use.
	size(ctx context.Context, db querier) (used, free int64, err error)
	// shrink gives free space back to the file system.
	shrink(ctx context.Context, s *Store) error

	// explain adds to an error what an operator can do about it.
	explain(err error) error
	// busy reports whether a transaction was rolled back because of another one.
	busy(err error) bool
	// down reports whether the database cannot be reached, or cannot write now. The
	// transaction might be complete.
	down(err error) bool

	texts() texts
}

// owned is what the owner of the matches of a host holds.
type owned struct {
	db      *sql.DB // one connection, which writes
	commits committer
	hosts   *Hosts // nil: there is only one host
	release func() error
	waits   bool // Finish waits until the record is written, instead of returning an error
}

// committer writes records.
type committer interface {
	// commit writes a batch in one transaction, or nothing. It sets the errors of
	// entries that it leaves out.
	commit(ctx context.Context, conn *sql.Conn, batch []entry) error
}

// texts are the parts of SQL texts that differ.
type texts struct {
	data     string // selects a number that changes with each commit
	foreign  string // the same, on the connection that writes: with each commit of others
	snapshot string // begins a transaction that reads one state
	join     string // joins the tables to its left and right, reading the left one first
	lock     string // at the end of a SELECT: keeps others from changing its row
	running  string // selects whether matches of the contest $1 are running
	arm      string // a SELECT %[1]s of a UNION ALL that is sorted and limited by %[2]s
	fold     string // the name %s in the form in which equal names are equal
}

// folded returns an expression that is equal for names that differ in their case.
func (t texts) folded(name string) string { return fmt.Sprintf(t.fold, name) }

// merge returns the first rows of several lists, each of which an index has in this order.
func (t texts) merge(order string, lists ...string) string {
	for i, list := range lists {
		lists[i] = fmt.Sprintf(t.arm, list, order)
	}
	return strings.Join(lists, " UNION ALL ") + order
}

// querier is a pool, a connection or a transaction.
type querier interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

// find returns the database at a path or URL, and how messages name it.
func find(where string) (d database, shown string, err error) {
	if config.InPostgres(where) {
		p, err := parsePostgres(where)
		if err != nil {
			return nil, "PostgreSQL", err
		}
		return p, p.String(), nil
	}
	return sqliteFile{resolve(where)}, where, nil
}

// explain adds advice to an error of opening a database, which is nil if its address is
// invalid.
func explain(d database, err error) error {
	if d == nil {
		return err
	}
	return d.explain(err)
}
