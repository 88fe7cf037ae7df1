// Package dialect says what SQLite and PostgreSQL do in different ways, so that package
// store has one text for both. Packages sqlite and postgres do it.
package dialect

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
)

// Database is a file of SQLite or a database of PostgreSQL that has records or will have
// some.
type Database interface {
	// String returns the path of the file, or the URL without the password.
	String() string
	// Connect opens a pool of connections; with readOnly they cannot write.
	Connect(size int, readOnly bool) (*sql.DB, error)
	// Prepare updates the schema for a process that owns nothing.
	Prepare(ctx context.Context, log *slog.Logger) error
	// Version returns the version of the schema, or an error if the database is not a
	// record of matches, and whether that version is the current one.
	Version(ctx context.Context, db *sql.DB) (version int, current bool, err error)
	// Committer returns what writes records for a process that owns nothing.
	Committer(ctx context.Context, db *sql.DB) (Committer, error)
	// Bound returns the context of a transaction that the caller cannot cancel.
	Bound(ctx context.Context) (context.Context, context.CancelFunc)
	// Size returns the bytes in use, and those that new records will use.
	Size(ctx context.Context, db Querier) (used, free int64, err error)

	// Explain adds to an error what an operator can do about it.
	Explain(err error) error
	// Busy reports whether a transaction was rolled back because of another one.
	Busy(err error) bool
	// Down reports whether the database cannot be reached, or cannot write now. The
	// transaction might be complete.
	Down(err error) bool

	Texts() Texts
}

// Querier is a pool, a connection or a transaction.
type Querier interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

// Texts are the parts of SQL texts that differ.
type Texts struct {
	Data     string // selects a number that changes with each commit
	Foreign  string // the same, on the connection that writes: with each commit of others
	Snapshot string // begins a transaction that reads one state
	Join     string // joins the tables to its left and right, reading the left one first
	Lock     string // at the end of a SELECT: keeps others from changing its row
	Running  string // selects whether matches of the contest $1 are running
	Arm      string // a SELECT %[1]s of a UNION ALL that is sorted and limited by %[2]s
	Fold     string // the name %s in the form in which equal names are equal

	// Submissions is a statement that keeps all transactions with it waiting until the end
	// of this one; "": one transaction writes at a time.
	Submissions string
}

// Folded returns an expression that is equal for names that differ in their case.
func (t Texts) Folded(name string) string { return fmt.Sprintf(t.Fold, name) }

// Merge returns the first rows of several lists, each of which an index has in this order.
func (t Texts) Merge(order string, lists ...string) string {
	for i, list := range lists {
		lists[i] = fmt.Sprintf(t.Arm, list, order)
	}
	return strings.Join(lists, " UNION ALL ") + order
}
