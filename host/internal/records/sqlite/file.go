// Package sqlite keeps records in a file of SQLite: its schema and its lock, how matches
// are written, what its errors mean, and backups.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"colosseum/host/internal/records/dialect"
)

// File is a database in a file.
type File struct{ path string }

// At returns the file at a path. Symbolic links are followed, so that all names of a file
// share one lock.
func At(path string) File {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return File{path}
}

// String returns the path.
func (d File) String() string { return d.path }

// Texts implements [dialect.Database].

func (d File) Texts() dialect.Texts {
	return dialect.Texts{
		Data:     `PRAGMA data_version`,
		Foreign:  `PRAGMA data_version`, // there it does not count the connection's own commits
		Snapshot: `BEGIN DEFERRED`,
		Join:     `CROSS JOIN`,
		Running:  `SELECT EXISTS (SELECT 1 FROM matches WHERE ended IS NULL AND fixture ->> 'contest' = $1)`,
		Arm:      `%[1]s`,
		Fold:     `%s`, // the column has COLLATE NOCASE
	}
}

// commitTimeout is how long a commit of a host waits while another program locks the file.
// It is shorter than [dialect.BusyTimeout], because players wait for it, and it is tried
// again.
const commitTimeout = time.Second

// logLimit is the size in bytes that the write-ahead log keeps on the disk.
const logLimit = 64 << 20

// connect opens a pool of connections; with readOnly they cannot write.
func connect(path string, size int, readOnly bool) (*sql.DB, error) {
	q := url.Values{"_txlock": {"immediate"}, "_error_rc": {"1"}}
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", dialect.BusyTimeout.Milliseconds()))
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

// logIsLong reports whether the write-ahead log of a file is longer than that.
func logIsLong(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > logLimit
}

// uri returns SQLite's URI of a file. The path is escaped because ?, # and % have a
// meaning in it.
func uri(path, options string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + options
}

// Connect implements [dialect.Database].
func (d File) Connect(size int, readOnly bool) (*sql.DB, error) {
	return connect(d.path, size, readOnly)
}

// Version implements [dialect.Database].
func (d File) Version(ctx context.Context, db *sql.DB) (version int, current bool, err error) {
	version, err = identify(ctx, db)
	return version, version == len(migrations), err
}

// Bound returns a context without an end: SQLite would roll back on its own, and the
// connection could be unusable.
func (d File) Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithoutCancel(ctx), func() {}
}

// Explain adds advice to an error of SQLite.
func (d File) Explain(err error) error {
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

// Busy implements [dialect.Database].
func (d File) Busy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// Down implements [dialect.Database]: a file is always there.
func (d File) Down(error) bool { return false }

// Probe commits a change that changes nothing, to see whether writing works.
func (d File) Probe(ctx context.Context, db *sql.DB) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
	return err
}
