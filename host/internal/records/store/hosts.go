package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/postgres"
	"colosseum/host/internal/records/record"
)

const (
	// hostConnections is how many of its own transactions run at once: a beat does not
	// wait while another host is being fenced.
	hostConnections = 2
	// leaveTimeout bounds how long a host that ends waits for the server.
	leaveTimeout = 5 * time.Second
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
	lock       *nameLock
	fenced     atomic.Bool // Beat has returned record.ErrFenced, and Renew has not succeeded since
	// beaten is when the last beat that has succeeded, or the generation, began.
	beaten atomic.Pointer[time.Time]
}

// openHosts takes the locks of a host and begins its next generation. What a host can record
// depends on its generation alone.
func openHosts(ctx context.Context, d *postgres.Server, host string, wait time.Duration, log *slog.Logger) (_ *Hosts, err error) {
	if err := d.Prepare(ctx, log); err != nil {
		return nil, err
	}
	h := &Hosts{d: d, name: host}
	if h.lock, err = lockName(ctx, d, host, wait, log); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			h.lock.release()
			if h.db != nil {
				h.db.Close()
			}
		}
	}()
	if h.db, err = d.Connect(hostConnections, false); err != nil {
		return nil, err
	}
	aborted, err := h.register(ctx)
	if aborted > 0 {
		log.Warn("a host stopped while matches were running; recorded them as aborted", "matches", aborted)
	}
	return h, err
}

// close ends this host.
func (h *Hosts) close() error {
	err := h.leave()
	h.lock.release()
	return errors.Join(err, h.db.Close())
}

// leave makes the others forget this host, unless matches are left, which they must
// record as aborted.
func (h *Hosts) leave() error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	_, err := h.db.ExecContext(ctx, `UPDATE hosts SET live = FALSE WHERE name = $1 AND generation = $2
		AND NOT EXISTS (SELECT 1 FROM matches WHERE host = $1 AND ended IS NULL)`, h.name, h.generation.Load())
	if err != nil {
		return fmt.Errorf("leave the hosts: %w", err)
	}
	return nil
}

// register begins the next generation of the host, and marks the matches that run as
// aborted: its own, and those of hosts that cannot live next to it.
func (h *Hosts) register(ctx context.Context) (aborted int, err error) {
	var generation int64
	begun := time.Now()
	err = h.transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		// It waits for the commits that are under way and have seen the last generation,
		// also those of a process with this name that has lost its locks. Otherwise one
		// of them could replace a match that is recorded as aborted here.
		if _, err := tx.ExecContext(ctx, `SELECT TRUE FROM hosts WHERE name = $1 OR live AND ($1 = '' OR name = '') ORDER BY name FOR UPDATE`, h.name); err != nil {
			return err
		}
		// A host that is alone ends all others, and each of those ends it.
		if _, err := tx.ExecContext(ctx, `UPDATE hosts SET generation = generation + 1, live = FALSE WHERE live AND name <> $1 AND ($1 = '' OR name = '')`, h.name); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, `INSERT INTO hosts (name, generation, beat, live) VALUES ($1, 1, 0, TRUE)
			ON CONFLICT (name) DO UPDATE SET generation = hosts.generation + 1, live = TRUE RETURNING generation`, h.name).Scan(&generation); err != nil {
			return err
		}
		ids, err := abortMatches(ctx, tx, ` AND (host = $2 OR host = '' OR $2 = '')`, h.name)
		aborted = len(ids)
		return err
	})
	if err == nil {
		h.generation.Store(generation)
		h.beaten.Store(&begun)
	}
	return aborted, err
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
