package store

import (
	"context"
	"database/sql"
	"errors"
)

// Fence records the running matches of a dead host as aborted, and prevents it from
// recording anything more. It returns their IDs, and whether the host was fenced: it is
// not if its row has changed, because it lives or another host was faster. After an error
// the host can be fenced, too.
func (h *Hosts) Fence(ctx context.Context, dead HostRow) (aborted []string, fenced bool, err error) {
	err = h.transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		fenced = false
		// It waits for a commit of that host, and later ones see the new generation.
		err := tx.QueryRowContext(ctx, `SELECT TRUE FROM hosts WHERE name = $1 AND generation = $2 AND beat = $3 AND live FOR UPDATE`,
			dead.Name, dead.Generation, dead.Beat).Scan(&fenced)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE hosts SET generation = generation + 1, live = FALSE WHERE name = $1`, dead.Name); err != nil {
			return err
		}
		aborted, err = abortMatches(ctx, tx, ` AND host = $2`, dead.Name)
		return err
	})
	if err != nil {
		return nil, false, h.wrap("fence the host "+dead.Name, err)
	}
	return aborted, fenced, nil
}

// Renew begins a new generation of this host, after it was fenced. Matches that have begun
// before cannot be recorded: Finish returns record.ErrFenced for them. It fails while the
// host does not have the lock of its name: two processes with one name would end each
// other's matches forever.
func (h *Hosts) Renew(ctx context.Context) error {
	if !h.lock.held.Load() {
		return h.wrap("begin a new generation of the host", errUnlocked)
	}
	if _, err := h.register(ctx); err != nil {
		return h.wrap("begin a new generation of the host", err)
	}
	h.fenced.Store(false)
	return nil
}

var errUnlocked = errors.New("this host does not have the lock of its name: PostgreSQL was restarted a moment ago, or another process uses the name")
