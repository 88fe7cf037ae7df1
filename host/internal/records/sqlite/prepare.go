package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/internal/filelock"
)

// Own makes this process the host of the file: it locks the file against other hosts until
// release is called, updates the schema, and marks matches that a host has left running as
// aborted. It returns the one connection that writes.
func (d File) Own(ctx context.Context, log *slog.Logger) (_ *sql.DB, _ dialect.Committer, release func() error, err error) {
	file, err := lock(d.path + ".lock")
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() {
		if err != nil {
			_ = filelock.Release(file)
		}
	}()
	createPrivate(d.path)
	db, err := d.Connect(1, false)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	if err := prepareFile(ctx, db, log); err != nil {
		return nil, nil, nil, err
	}
	if err := abortRunning(ctx, db, log); err != nil {
		return nil, nil, nil, err
	}
	commits, err := d.Committer(ctx, db)
	if err != nil {
		return nil, nil, nil, err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", commitTimeout.Milliseconds()))
	return db, commits, func() error { return filelock.Release(file) }, err
}

// abortRunning marks matches that were running when a host stopped as aborted.
// They end now, because the time of the stop is unknown.
func abortRunning(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	res, err := db.ExecContext(ctx, `UPDATE matches SET state = 'aborted', reason = '`+dialect.HostStopped+`', ended = $1
		WHERE ended IS NULL`, time.Now().UnixNano())
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n > 0 {
		log.Warn("a host stopped while matches were running; recorded them as aborted", "matches", n)
	}
	return nil
}

// Prepare creates the file or updates its schema, which needs that no host runs.
func (d File) Prepare(ctx context.Context, log *slog.Logger) error {
	version, err := versionOf(ctx, d.path)
	if err == nil && version < len(migrations) {
		err = prepareOwned(ctx, d.path, log)
	}
	return err
}

// versionOf returns the version of the schema in a file, which is 0 if there is no
// file.
func versionOf(ctx context.Context, path string) (int, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	db, err := connect(path, 1, true)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	return identify(ctx, db)
}

// prepareOwned creates a file or updates its schema, while it owns the file.
func prepareOwned(ctx context.Context, path string, log *slog.Logger) error {
	owned, err := lock(path + ".lock")
	if err != nil {
		return fmt.Errorf("the file must be created or updated first: %w", err)
	}
	defer filelock.Release(owned)
	createPrivate(path)
	db, err := connect(path, 1, false)
	if err != nil {
		return err
	}
	defer db.Close()
	return prepareFile(ctx, db, log)
}

// prepareFile checks that the file is a record before it changes anything, and
// then updates its schema.
func prepareFile(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	version, err := identify(ctx, db)
	if err != nil {
		return err
	}
	if version == 0 { // a file that has tables would need a VACUUM
		if _, err := db.ExecContext(ctx, "PRAGMA auto_vacuum = incremental"); err != nil {
			return err
		}
	}
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode = wal").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file system does not support SQLite's write-ahead log (journal mode %s); use a local disk", mode)
	}
	return migrate(ctx, db, version, migrations, log)
}
