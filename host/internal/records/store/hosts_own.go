package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/postgres"
)

const (
	// ownTimeout is how long a start waits until the server has noticed that the process
	// before is dead.
	ownTimeout = 10 * time.Second
	// ownPause is the time between two attempts.
	ownPause = 200 * time.Millisecond
	// lockPause is the same for locks that were lost while the host runs.
	lockPause = time.Second
	// leaveTimeout bounds how long a host that ends waits for the server.
	leaveTimeout = 5 * time.Second
)

var errOther = errors.New("another host uses these records: hosts that share them need names (the settings of cluster), and different ones")

// ownServer takes the locks of a host, for which it waits, and begins its next generation. The locks only prevent
// mistakes, and can be missing for some seconds after the server was restarted. What a
// host can record depends on its generation alone.
func ownServer(ctx context.Context, d *postgres.Server, host string, wait time.Duration, log *slog.Logger) (o owned, err error) {
	if err := d.Prepare(ctx, log); err != nil {
		return o, err
	}
	h := &Hosts{d: d, name: host}
	if h.unlock, err = lockHostName(ctx, d, host, wait, &h.locked, log); err != nil {
		return o, err
	}
	defer func() {
		if err != nil {
			h.unlock()
			for _, db := range []*sql.DB{o.db, h.db} {
				if db != nil {
					db.Close()
				}
			}
		}
	}()
	if o.db, err = d.Connect(1, false); err != nil {
		return o, err
	}
	if h.db, err = d.Connect(hostConnections, false); err != nil {
		return o, err
	}
	o.hosts, o.waits, o.commits = h, true, d.HostCommitter(host)
	o.release = func() error {
		err := h.leave()
		h.unlock()
		return errors.Join(err, h.db.Close())
	}
	aborted, err := h.register(ctx)
	if aborted > 0 {
		log.Warn("a host stopped while matches were running; recorded them as aborted", "matches", aborted)
	}
	return o, err
}

// lockHostName takes the locks of a host, and keeps them until unlock. Locked is whether it has
// them, as far as it knows.
func lockHostName(ctx context.Context, d *postgres.Server, host string, wait time.Duration, locked *atomic.Bool, log *slog.Logger) (unlock func(), err error) {
	text, args := ownLocks(host)
	take := func(ctx context.Context) (*postgres.Session, error) { return d.Hold(ctx, text, args) }
	held, err := take(ctx)
	for begun := time.Now(); held == nil; held, err = take(ctx) {
		if err == nil && time.Since(begun) > wait {
			err = errOther
		}
		if err == nil {
			err = dialect.Pause(ctx, ownPause)
		}
		if err != nil {
			return nil, err
		}
	}
	locked.Store(true)
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var keeper sync.WaitGroup
	keeper.Go(func() { keep(keeping, held, take, locked, log) }) // ends with stop
	return func() {
		stop()
		keeper.Wait()
	}, nil
}

// ownLocks returns the SQL that takes the locks of a host, and reports whether it has
// them.
func ownLocks(host string) (text string, args []any) {
	if host == "" {
		return `SELECT pg_try_advisory_lock($1)`, []any{lockAlone}
	}
	return `SELECT pg_try_advisory_lock_shared($1) AND pg_try_advisory_lock($2, hashtext($3))`, []any{lockAlone, lockHost, host}
}

// keep takes locks again after their connection was lost, until ctx ends.
func keep(ctx context.Context, held *postgres.Session, take func(context.Context) (*postgres.Session, error), locked *atomic.Bool, log *slog.Logger) {
	for {
		select {
		case <-held.Lost():
		case <-ctx.Done():
			locked.Store(false)
			held.Close()
			return
		}
		locked.Store(false)
		held.Close()
		warned := false
		for next := (*postgres.Session)(nil); next == nil; {
			if dialect.Pause(ctx, lockPause) != nil {
				return
			}
			var err error
			if next, err = take(ctx); next != nil {
				held = next
				locked.Store(true)
			} else if err == nil && !warned {
				warned = true
				log.Error("another host uses these records under the name of this one", "error", errOther)
			}
		}
	}
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
