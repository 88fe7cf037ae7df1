package store

import (
	"context"
	"database/sql"
	"time"

	"colosseum/host/internal/records/dialect"
)

// updater changes the database in transactions, one at a time. In a host its connection
// is the one that writes records, so that the two wait for each other in turn instead of
// polling SQLite's lock.
type updater struct {
	d  dialect.Database
	db *sql.DB // one connection
	// turn admits one transaction: otherwise many registrations could all be ahead
	// of the next commit of records.
	turn chan struct{}
}

func newUpdater(d dialect.Database, db *sql.DB) *updater {
	return &updater{d: d, db: db, turn: make(chan struct{}, 1)}
}

// change runs a transaction, and tries again until the timeout while others hold its locks.
func (u *updater) change(ctx context.Context, timeout time.Duration, do func(context.Context, *sql.Tx) error) error {
	return dialect.Again(ctx, timeout, u.d.Busy, func() error { return u.transact(ctx, do) })
}

// transact runs a transaction. Ctx only ends the wait for its turn: a transaction that
// is cancelled could leave the connection, which writes records too, unusable.
func (u *updater) transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	return u.use(ctx, func(ctx context.Context, conn *sql.Conn) error {
		tx, err := conn.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() // does nothing after Commit
		if err := do(ctx, tx); err != nil {
			return err
		}
		return tx.Commit()
	})
}

// use calls f with the connection when its turn has come.
func (u *updater) use(ctx context.Context, f func(context.Context, *sql.Conn) error) error {
	select {
	case u.turn <- struct{}{}:
		defer func() { <-u.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	conn, err := u.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := u.d.Bound(ctx)
	defer cancel()
	return f(ctx, conn)
}

// changed reports whether a statement changed a row.
func changed(r sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}
