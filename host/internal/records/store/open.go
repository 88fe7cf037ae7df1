package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/postgres"
)

// Open opens the record in a file, which it creates if necessary, in a folder
// that exists; or in a database of PostgreSQL, if where begins with postgres://. Only one
// Store can have it open. Open marks matches that a killed host left running as aborted,
// and logs their number.
func Open(ctx context.Context, where string, log *slog.Logger) (*Store, error) {
	return OpenAs(ctx, where, "", log)
}

// OpenAs is like Open for one of several hosts with the same records, which have different
// names. It needs PostgreSQL. It waits at most 10 s for the end of another process with
// this name, and as long for a host that Open has opened.
func OpenAs(ctx context.Context, where, host string, log *slog.Logger) (*Store, error) {
	d, shown, err := find(where)
	if err == nil {
		var s *Store
		if s, err = open(ctx, d, host, nameTimeout, log); err == nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("open the record of matches %s: %w", shown, explain(d, err))
}

func open(ctx context.Context, d dialect.Database, host string, wait time.Duration, log *slog.Logger) (_ *Store, err error) {
	o, err := own(ctx, d, host, wait, log)
	if err != nil {
		return nil, err
	}
	s := &Store{log: log, db: o.db, release: o.release, hosts: o.hosts, waits: o.waits, patience: usualPatience}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.closeAll())
		}
	}()
	if s.Reader, err = openReader(ctx, d); err != nil {
		return nil, err
	}
	update := newUpdater(d, s.db)
	changed := func() { s.generation.Add(1) }
	if s.retainer, err = newRetainer(ctx, s.Reader, update, log, changed); err != nil {
		return nil, err
	}
	if s.players, err = newPlayers(ctx, update); err != nil {
		return nil, err
	}
	if s.contests, err = newContests(ctx, update, o.commits); err != nil {
		return nil, err
	}
	s.contests.recorded = changed
	if s.submissions, err = newSubmissions(update); err != nil {
		return nil, err
	}
	if s.webhooks, err = newWebhooks(update); err != nil {
		return nil, err
	}
	if s.hosts != nil {
		s.contests.fence = s.hosts.generation.Load
	}
	if err := s.Refresh(ctx); err != nil {
		return nil, err
	}
	s.writer = newWriter(d, o, log, changed)
	done := make(chan error, 1)
	go func() { done <- s.writer.run() }() // ends after Close
	s.close = sync.OnceValue(func() error { return s.shut(done) })
	return s, nil
}

// OpenMoving is like Open for a program that moves the records of a file to PostgreSQL. As
// long as the table migration has a row with the name "" and without an end, only
// OpenMoving opens the database for writing. If another process uses the records, it waits
// for its end, but not longer than wait.
func OpenMoving(ctx context.Context, url string, wait time.Duration, log *slog.Logger) (*Store, error) {
	d, err := postgres.Parse(url)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	d.Moving = true
	s, err := open(ctx, d, "", wait, log)
	if err != nil {
		return nil, fmt.Errorf("open the records in %s: %w", d, d.Explain(err))
	}
	return s, nil
}
