package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// OpenMoving is like Open for a program that moves the records of a file to PostgreSQL. As
// long as the table migration has a row with the name "" and without an end, only
// OpenMoving opens the database for writing.
func OpenMoving(ctx context.Context, url string, log *slog.Logger) (*Store, error) {
	d, err := parsePostgres(url)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	d.moving = true
	s, err := open(ctx, d, "", log)
	if err != nil {
		return nil, fmt.Errorf("open the records in %s: %w", d, d.explain(err))
	}
	return s, nil
}

// checkMoved returns an error if a program has begun to move records to the database, and
// has not completed that.
func (d *postgresServer) checkMoved(ctx context.Context) error {
	db, err := d.connect(1, true)
	if err != nil {
		return err
	}
	defer db.Close()
	var exists, unfinished bool
	err = db.QueryRowContext(ctx, `SELECT to_regclass('migration') IS NOT NULL`).Scan(&exists)
	if err == nil && exists {
		err = db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM migration WHERE name = '' AND ended IS NULL)`).Scan(&unfinished)
	}
	if err == nil && unfinished {
		err = errors.New("it has only a part of the records of a file: run host migrate again, until it says that all is there")
	}
	return err
}

// LockFile makes this process the owner of a file of records, like a host, until release
// is called. The file itself is not opened.
func LockFile(path string) (release func(), err error) {
	f, err := lock(resolve(path) + ".lock")
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// CleanText replaces what PostgreSQL does not take in texts, and SQLite does: invalid UTF-8
// and the character 0.
func CleanText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
