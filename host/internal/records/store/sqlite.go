package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteFile is a database in a file.
type sqliteFile struct{ path string }

func (d sqliteFile) String() string { return d.path }

func (d sqliteFile) texts() texts {
	return texts{
		data:     `PRAGMA data_version`,
		foreign:  `PRAGMA data_version`, // there it does not count the connection's own commits
		snapshot: `BEGIN DEFERRED`,
		join:     `CROSS JOIN`,
		running:  `SELECT EXISTS (SELECT 1 FROM matches WHERE ended IS NULL AND fixture ->> 'contest' = $1)`,
		arm:      `%[1]s`,
		fold:     `%s`, // the column has COLLATE NOCASE
	}
}

// busyTimeout is how long a statement waits while another program, such as the
// sqlite3 shell, locks the file. Commits have the shorter commitTimeout, because
// players wait for them, and are tried again.
const (
	busyTimeout   = 5 * time.Second
	commitTimeout = time.Second
)

// logLimit is the size in bytes that the write-ahead log keeps on the disk.
const logLimit = 64 << 20

// connect opens a pool of connections; with readOnly they cannot write.
func connect(path string, size int, readOnly bool) (*sql.DB, error) {
	q := url.Values{"_txlock": {"immediate"}, "_error_rc": {"1"}}
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()))
	if readOnly {
		q.Set("mode", "ro")
	} else {
		q.Add("_pragma", "synchronous(full)")                             // every commit waits for the disk
		q.Add("_pragma", "fullfsync(on)")                                 // on macOS, fsync alone does not
		q.Add("_pragma", fmt.Sprintf("journal_size_limit(%d)", logLimit)) // truncates the log after a burst
	}
	db, err := sql.Open("sqlite", uri(path, q.Encode()))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// uri returns SQLite's URI of a file. The path is escaped because ?, # and % have a
// meaning in it.
func uri(path, options string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + options
}

func (d sqliteFile) connect(size int, readOnly bool) (*sql.DB, error) {
	return connect(d.path, size, readOnly)
}

func (d sqliteFile) version(ctx context.Context, db *sql.DB) (version int, current bool, err error) {
	version, err = identify(ctx, db)
	return version, version == len(migrations), err
}

// bound returns a context without an end: SQLite would roll back on its own, and the
// connection could be unusable.
func (d sqliteFile) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithoutCancel(ctx), func() {}
}

// explain adds advice to an error of SQLite.
func (d sqliteFile) explain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	advice := map[int]string{
		sqlite3.SQLITE_BUSY:     "another program keeps the file locked",
		sqlite3.SQLITE_CANTOPEN: "check that the file exists and that the host can read and write it and its folder",
		sqlite3.SQLITE_CORRUPT:  "the file is damaged; move it away or replace it by a backup",
		sqlite3.SQLITE_NOTADB:   "the file is not an SQLite database",
		sqlite3.SQLITE_FULL:     "the disk is full",
		sqlite3.SQLITE_READONLY: "the host has no permission to write to the file, its -wal and -shm files, or their folder",
		sqlite3.SQLITE_IOERR:    "reading or writing the disk failed",
	}[e.Code()&0xff]
	if advice == "" {
		return err
	}
	return fmt.Errorf("%s: %w", advice, err)
}

func (d sqliteFile) busy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

func (d sqliteFile) down(error) bool { return false }

// probe commits a change that changes nothing, to see whether writing works.
func (d sqliteFile) probe(ctx context.Context, db *sql.DB) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
	return err
}

// resolve follows symbolic links, so that all names of a file share one lock.
func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
