package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// applicationID marks the host's files in SQLite's header: "COLO" in ASCII.
const applicationID = 0x434f4c4f

// step brings the schema from one version to the next.
type step struct {
	sql string
	// fill, if not nil, runs after the SQL in the same transaction. It is for
	// work that takes long in a large file, and logs its progress.
	fill func(ctx context.Context, tx *sql.Tx, log *slog.Logger) error
}

// migrations are the steps of the schema: step i leads from version i to i+1. A
// released step is never changed; add another one.
var migrations = []step{
	{sql: `CREATE TABLE matches (
		number   INTEGER PRIMARY KEY,    -- in the order in which matches were first written
		id       TEXT    NOT NULL UNIQUE,
		name     TEXT    NOT NULL,
		game     TEXT    NOT NULL,
		plugin   TEXT    NOT NULL,
		version  TEXT    NOT NULL,
		args     TEXT    NOT NULL,       -- JSON object of strings, or null
		params   TEXT    NOT NULL,       -- JSON object of strings, or null
		timeout  REAL    NOT NULL,       -- seconds for one answer
		seed     INTEGER NOT NULL,       -- the 64 bits; above 2^63 shown as negative
		verified INTEGER NOT NULL,       -- 0 or 1
		seats    TEXT    NOT NULL,       -- JSON array of {name, bot, score, rank, ended}
		started  INTEGER,                -- Unix time in nanoseconds
		ended    INTEGER,                -- Unix time in nanoseconds; null while running
		state    TEXT    NOT NULL,       -- running, finished or aborted
		reason   TEXT    NOT NULL,
		answers  BLOB,                   -- encode.go
		stream   BLOB,                   -- encode.go
		CHECK ((ended IS NULL) = (state = 'running'))
	) STRICT;
	-- This index finds both the newest matches and the running ones (null).
	CREATE INDEX matches_ended ON matches (ended);`},
	// The newest matches of one game.
	{sql: `CREATE INDEX matches_game ON matches (game, ended);`},
	// Pages of ended matches by any filters: see endings.go.
	{sql: endingsTable, fill: fillEndings},
	// Clocks: the match's as a JSON object of seconds, null for none; and what is left
	// in the banks after each answer (encode.go).
	{sql: `ALTER TABLE matches ADD COLUMN clock TEXT; ALTER TABLE matches ADD COLUMN clocks BLOB`},
	// Registered players: see players.go.
	{sql: playersTable},
	// Contests, and the place of a match in one: see contests.go.
	{sql: contestsTables},
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

// identify returns the version of the schema in a file, which is 0 for an empty
// file, or an error if the file is not a record. It changes nothing.
func identify(ctx context.Context, db *sql.DB) (version int, err error) {
	var id uint32
	var tables int
	for _, q := range []struct {
		query string
		into  any
	}{
		{"PRAGMA application_id", &id},
		{"PRAGMA user_version", &version},
		{"SELECT count(*) FROM sqlite_schema", &tables},
	} {
		if err := db.QueryRowContext(ctx, q.query).Scan(q.into); err != nil {
			return 0, err
		}
	}
	fresh := id == 0 && version == 0 && tables == 0
	switch {
	case !fresh && id != applicationID:
		return 0, errors.New("this SQLite database is not a record of matches")
	case version > len(migrations):
		return 0, fmt.Errorf("a newer host wrote it (its schema has version %d, this host supports up to %d)", version, len(migrations))
	}
	return version, nil
}

// migrate applies the steps after the given version, each in a transaction.
func migrate(ctx context.Context, db *sql.DB, version int, steps []step, log *slog.Logger) error {
	for v := version; v < len(steps); v++ {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d", steps[v].sql, applicationID, v+1))
		if err == nil && steps[v].fill != nil {
			err = steps[v].fill(ctx, tx, log)
		}
		if err == nil {
			err = tx.Commit()
		} else {
			tx.Rollback()
		}
		if err != nil {
			return fmt.Errorf("update the schema to version %d: %w", v+1, err)
		}
	}
	return nil
}

// abortRunning marks matches that were running when a host stopped as aborted.
// They end now, because the time of the stop is unknown.
func abortRunning(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	res, err := db.ExecContext(ctx, `UPDATE matches SET state = 'aborted', reason = 'the host stopped during the match', ended = ?
		WHERE ended IS NULL`, time.Now().UnixNano())
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n > 0 {
		log.Warn("a host stopped while matches were running; recorded them as aborted", "matches", n)
	}
	return nil
}

// explain adds to an error of SQLite what an operator can do about it.
func explain(err error) error {
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
