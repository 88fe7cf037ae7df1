package store

import (
	"context"
	"database/sql"
)

// updater changes the file in transactions, one at a time. In a host its connection is
// the one that writes records, so that the two wait for each other in turn instead of
// polling SQLite's lock.
type updater struct {
	db *sql.DB // one connection
	// turn admits one transaction: otherwise many registrations could all be ahead
	// of the next commit of records.
	turn chan struct{}
}

func newUpdater(db *sql.DB) *updater { return &updater{db: db, turn: make(chan struct{}, 1)} }

// transact runs a transaction. Ctx only ends the wait for its turn: a transaction that
// is cancelled could leave the connection, which writes records too, unusable.
func (u *updater) transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
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
	ctx = context.WithoutCancel(ctx)
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := do(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// changed reports whether a statement changed a row.
func changed(r sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}
