package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/postgres"
	"colosseum/host/internal/records/record"
)

// Hosts are the hosts that share the records in PostgreSQL. A host is one of them as long
// as its Store is open. The methods can be called concurrently.
type Hosts struct {
	d    *postgres.Server
	name string  // of this host
	db   *sql.DB // not that of the commits, so that a beat does not wait for one
	// generation is that of this host. Each transaction that records matches compares it
	// with the table's.
	generation atomic.Int64
	unlock     func()      // releases the locks of the host; see hosts_own.go
	locked     atomic.Bool // it has them
	fenced     atomic.Bool // Beat has returned record.ErrFenced, and Renew has not succeeded since
	// beaten is when the last beat that has succeeded, or the generation, began.
	beaten atomic.Pointer[time.Time]
}

// knows reports whether this host knows that it is not fenced: it has beaten within the
// given time, which must be less than the 8 s after which others fence it (see
// cluster.Open). A host that was frozen or cut off does not know, until it has beaten again.
func (h *Hosts) knows(within time.Duration) bool {
	if h.name == "" { // it is alone
		return true
	}
	beaten, now := h.beaten.Load(), time.Now()
	if h.fenced.Load() || beaten == nil {
		return false
	}
	// The monotonic clock can stand still while the system is suspended, and the other one
	// can be set back.
	return max(now.Sub(*beaten), now.Round(0).Sub(beaten.Round(0))) < within
}

// hostConnections is how many of its own transactions run at once: a beat does not wait
// while another host is being fenced.
const hostConnections = 2

// HostRow is a host as the others see it. Its beat changes as long as it lives, and its
// generation grows with each start.
type HostRow struct {
	Name             string
	Generation, Beat int64
}

// Beat is a sign of life. After another host has fenced this one, its error is
// record.ErrFenced.
func (h *Hosts) Beat(ctx context.Context) error {
	begun := time.Now()
	beats, err := changed(h.db.ExecContext(ctx, `UPDATE hosts SET beat = beat + 1 WHERE name = $1 AND generation = $2`, h.name, h.generation.Load()))
	if err != nil {
		return h.wrap("beat", err)
	}
	if !beats {
		h.fenced.Store(true)
		return record.ErrFenced
	}
	h.beaten.Store(&begun)
	return nil
}

// List returns the hosts by name, without those that have ended or were fenced.
func (h *Hosts) List(ctx context.Context) ([]HostRow, error) {
	rows, err := h.db.QueryContext(ctx, `SELECT name, generation, beat FROM hosts WHERE live AND name <> '' ORDER BY name COLLATE "C"`)
	if err != nil {
		return nil, h.wrap("list the hosts", err)
	}
	defer rows.Close()
	var list []HostRow
	for rows.Next() {
		var one HostRow
		if err := rows.Scan(&one.Name, &one.Generation, &one.Beat); err != nil {
			return nil, h.wrap("list the hosts", err)
		}
		list = append(list, one)
	}
	if err := rows.Err(); err != nil {
		return nil, h.wrap("list the hosts", err)
	}
	return list, nil
}

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
	if !h.locked.Load() {
		return h.wrap("begin a new generation of the host", errUnlocked)
	}
	if _, err := h.register(ctx); err != nil {
		return h.wrap("begin a new generation of the host", err)
	}
	h.fenced.Store(false)
	return nil
}

var errUnlocked = errors.New("this host does not have the lock of its name: PostgreSQL was restarted a moment ago, or another process uses the name")

// transact runs a transaction, and again after a conflict with another one.
func (h *Hosts) transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	return dialect.Again(ctx, dialect.BusyTimeout, h.d.Busy, func() error {
		tx, err := h.db.BeginTx(ctx, nil)
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

func (h *Hosts) wrap(what string, err error) error {
	return fmt.Errorf("%s in %s: %w", what, h.d, h.d.Explain(err))
}

// abortSQL marks running matches as aborted. They end now, because the time of the stop
// is unknown.
const abortSQL = `UPDATE matches SET state = 'aborted', reason = '` + dialect.HostStopped + `', ended = $1 WHERE ended IS NULL`

// abortMatches marks the running matches of a host as aborted.
func abortMatches(ctx context.Context, tx *sql.Tx, which string, args ...any) (ids []string, err error) {
	rows, err := tx.QueryContext(ctx, abortSQL+which+` RETURNING id`, append([]any{time.Now().UnixNano()}, args...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
