// Package migrate moves the records, players, contests and submissions of a host from an
// SQLite file to PostgreSQL.
//
// It copies the tables in the order of their keys, in transactions that also store how far
// it has come, and so goes on after an interruption. At the end it reads both sides again
// and compares them row by row.
package migrate

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"colosseum/host/internal/records/sqlite"
	"colosseum/host/internal/records/store"
)

// Progress is how far a migration has come.
type Progress struct {
	Table       string
	Rows, All   int64 // of the table
	Verifying   bool  // everything is copied, and is being compared
	Interrupted bool  // an earlier call has copied some of the rows
}

// Moved is what was moved of a table.
type Moved struct {
	Table string
	Rows  int64
	Sum   [sha256.Size]byte // over all columns of all rows, the same on both sides
}

// Result describes a complete migration.
type Result struct {
	Tables  []Moved   // nil if an earlier call has completed the migration
	Aborted int64     // matches that a killed host had left running
	Before  time.Time // when an earlier call completed the migration; zero: this one did
}

// ErrOther is the error of Run if PostgreSQL has records that do not come from the file.
var ErrOther = errors.New("PostgreSQL has other records: give the migration an empty database")

// Run moves everything in a file of records to the PostgreSQL at a URL. It needs the file
// and PostgreSQL for itself, and only reads the file. After an error, and if ctx ended,
// the next call goes on. Errors name neither the URL nor its password. If report is not
// nil, it is called after each step.
func Run(ctx context.Context, file, url string, log *slog.Logger, report func(Progress)) (Result, error) {
	if report == nil {
		report = func(Progress) {}
	}
	return run(ctx, file, url, log, report, usual)
}

// limits of a call; tests have lower ones.
type limits struct {
	chunk int           // rows in a transaction
	wait  time.Duration // until the server has noticed that a call before is dead
}

var usual = limits{chunkRows, 10 * time.Second}

func run(ctx context.Context, file, url string, log *slog.Logger, report func(Progress), l limits) (Result, error) {
	unlock, err := sqlite.Lock(file)
	if err != nil {
		return Result{}, fmt.Errorf("lock the records in %s: %w", file, err)
	}
	defer unlock()
	source, err := openFile(ctx, file)
	if err != nil {
		return Result{}, err
	}
	defer source.close()
	// As long as it is open, no host can use PostgreSQL.
	owner, err := store.OpenMoving(ctx, url, l.wait, log)
	if err != nil {
		return Result{}, err
	}
	defer owner.Close()
	to, err := pgx.Connect(ctx, url)
	if err != nil {
		return Result{}, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer to.Close(context.WithoutCancel(ctx))
	m := &migration{from: source, to: to, report: report, chunk: l.chunk}
	result, err := m.run(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("move the records from %s to PostgreSQL: %w", file, err)
	}
	return result, nil
}

// migration is a call of Run.
type migration struct {
	from    *source
	to      *pgx.Conn
	report  func(Progress)
	chunk   int // rows in a transaction, at most
	tables  []*table
	began   int64 // Unix time in nanoseconds of the first call
	resumed bool
}

func (m *migration) run(ctx context.Context) (r Result, err error) {
	for _, t := range tables {
		one := t
		if err := m.describe(ctx, &one); err != nil {
			return r, err
		}
		m.tables = append(m.tables, &one)
	}
	ended, err := m.begin(ctx)
	if err != nil {
		return r, err
	}
	if ended != 0 {
		r.Before = time.Unix(0, ended)
		return r, m.checkNothingNew(ctx)
	}
	for _, t := range m.tables {
		if err := m.copy(ctx, t); err != nil {
			return r, fmt.Errorf("copy the table %s: %w", t.name, err)
		}
	}
	if err := m.advance(ctx); err != nil {
		return r, err
	}
	for _, t := range m.tables {
		moved, err := m.verify(ctx, t)
		if err != nil {
			return r, fmt.Errorf("compare the table %s: %w", t.name, err)
		}
		r.Tables = append(r.Tables, moved)
	}
	if err := m.verifyEndings(ctx); err != nil {
		return r, err
	}
	if err := m.from.unchanged(ctx); err != nil {
		return r, err
	}
	r.Aborted = m.from.running
	_, err = m.to.Exec(ctx, `UPDATE migration SET ended = $1 WHERE name = ''`, time.Now().UnixNano())
	return r, err
}

// begin creates the table with the progress, or reads it: then it is the progress of a
// migration of the same file, and nothing else was written since. It returns when the
// migration was completed; 0: it was not.
func (m *migration) begin(ctx context.Context) (ended int64, err error) {
	var exists bool
	if err := m.to.QueryRow(ctx, `SELECT to_regclass('migration') IS NOT NULL`).Scan(&exists); err != nil {
		return 0, err
	}
	if !exists {
		return 0, m.create(ctx)
	}
	m.resumed = true
	var done *int64
	if err := m.to.QueryRow(ctx, `SELECT began, ended FROM migration WHERE name = ''`).Scan(&m.began, &done); err != nil {
		return 0, fmt.Errorf("read the progress of the migration: %w", err)
	}
	m.from.ended = m.began
	for _, t := range m.tables {
		if err := m.resume(ctx, t); err != nil {
			return 0, err
		}
		if done == nil {
			if err := m.checkCount(ctx, t); err != nil {
				return 0, err
			}
		}
	}
	if done != nil {
		return *done, nil
	}
	return 0, nil
}

// create creates the table with the progress, if all other tables are empty.
func (m *migration) create(ctx context.Context) error {
	return pgx.BeginFunc(ctx, m.to, func(tx pgx.Tx) error {
		for _, t := range m.tables {
			var has bool
			if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM `+t.name+`)`).Scan(&has); err != nil {
				return err
			}
			if has {
				return ErrOther
			}
		}
		m.began = time.Now().UnixNano()
		m.from.ended = m.began
		// The row without a name is for the whole migration.
		if _, err := tx.Exec(ctx, `CREATE TABLE migration (
			name   text   NOT NULL PRIMARY KEY, -- of a table
			began  bigint,                      -- Unix time in nanoseconds
			ended  bigint,                      -- the same; null: not yet
			place  text,                        -- JSON array, the key of the last row
			sum    bytea,                       -- SHA-256 of that row
			copied bigint NOT NULL DEFAULT 0    -- rows
		)`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO migration (name, began) VALUES ('', $1)`, m.began)
		return err
	})
}

// advance makes PostgreSQL give new rows numbers that the file never had, and counts the
// rows for its planner.
func (m *migration) advance(ctx context.Context) error {
	for _, t := range m.tables {
		if t.sequence {
			last, err := m.from.lastNumber(ctx, t)
			if err == nil && last > 0 {
				_, err = m.to.Exec(ctx, `SELECT setval(pg_get_serial_sequence($1, 'number'), greatest($2::bigint, (SELECT coalesce(max(number), 1) FROM `+t.name+`)))`, t.name, last)
			}
			if err != nil {
				return fmt.Errorf("set the next number of %s: %w", t.name, err)
			}
		}
		if _, err := m.to.Exec(ctx, `ANALYZE `+t.name); err != nil {
			return err
		}
	}
	_, err := m.to.Exec(ctx, `ANALYZE endings`)
	return err
}

// checkNothingNew returns an error if the file has rows that a complete migration did not
// have.
func (m *migration) checkNothingNew(ctx context.Context) error {
	for _, t := range m.tables {
		all, err := m.from.count(ctx, t)
		if err != nil {
			return err
		}
		if all != t.copied {
			return fmt.Errorf("the migration was completed with %d rows of %s, but the file now has %d: a host has used the file since, and its changes are not in PostgreSQL", t.copied, t.name, all)
		}
	}
	return nil
}

// isNoRow reports whether there was no row.
func isNoRow(err error) bool { return errors.Is(err, sql.ErrNoRows) || errors.Is(err, pgx.ErrNoRows) }
