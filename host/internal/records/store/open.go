package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/postgres"
	"colosseum/host/internal/records/sqlite"
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
	s := &Store{
		log: log, db: o.db, commits: o.commits, hosts: o.hosts, waits: o.waits, patience: usualPatience,
		slots: make(chan struct{}, maxFinishes), wake: make(chan struct{}, 1),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.closeAll(o))
		}
	}()
	if s.retainer.remove, err = s.db.PrepareContext(ctx, removeSQL); err != nil {
		return nil, err
	}
	if s.Reader, err = openReader(ctx, d); err != nil {
		return nil, err
	}
	s.update = newUpdater(d, s.db)
	if s.players, err = newPlayers(ctx, s.update); err != nil {
		return nil, err
	}
	if s.contests, err = newContests(ctx, s.update, s.commits); err != nil {
		return nil, err
	}
	s.contests.recorded = func() { s.generation.Add(1) }
	if s.hosts != nil {
		s.begun = map[string]int64{}
		s.contests.fence = s.hosts.generation.Load
	}
	if err := s.Refresh(ctx); err != nil {
		return nil, err
	}
	s.retry = time.AfterFunc(retryEvery, s.wakeWriter)
	done := make(chan error, 1)
	go func() { done <- s.write() }() // ends after Close
	s.close = sync.OnceValue(func() error { return s.shut(done, o) })
	return s, nil
}

// OpenMoving is like Open for a program that moves the records of a file to PostgreSQL. As
// long as the table migration has a row with the name "" and without an end, only
// OpenMoving opens the database for writing.
func OpenMoving(ctx context.Context, url string, log *slog.Logger) (*Store, error) {
	d, err := postgres.Parse(url)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	d.Moving = true
	s, err := open(ctx, d, "", nameTimeout, log)
	if err != nil {
		return nil, fmt.Errorf("open the records in %s: %w", d, d.Explain(err))
	}
	return s, nil
}

// owned is what the owner of the matches of a host holds.
type owned struct {
	db      *sql.DB // one connection, which writes
	commits dialect.Committer
	hosts   *Hosts // nil: there is only one host
	release func() error
	waits   bool // Finish waits until the record is written, instead of returning an error
}

// own makes this process the owner of the matches of a host. It updates the schema, and
// marks matches that the host has left running as aborted.
func own(ctx context.Context, d dialect.Database, host string, wait time.Duration, log *slog.Logger) (o owned, err error) {
	switch d := d.(type) {
	case *postgres.Server:
		if o.hosts, err = openHosts(ctx, d, host, wait, log); err != nil {
			return o, err
		}
		o.waits, o.commits, o.release = true, d.HostCommitter(host), o.hosts.close
		if o.db, err = d.Connect(1, false); err != nil {
			err = errors.Join(err, o.hosts.close())
		}
		return o, err
	case sqlite.File:
		if host != "" {
			return o, errors.New("several hosts need PostgreSQL")
		}
		o.db, o.commits, o.release, err = d.Own(ctx, log)
		return o, err
	}
	panic("unreachable: there are two databases")
}
