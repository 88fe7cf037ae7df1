package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/postgres"
	"colosseum/host/internal/records/sqlite"
)

// find returns the database at a path or URL, and how messages name it.
func find(where string) (d dialect.Database, shown string, err error) {
	if config.InPostgres(where) {
		p, err := postgres.Parse(where)
		if err != nil {
			return nil, "PostgreSQL", err
		}
		return p, p.String(), nil
	}
	return sqlite.At(where), where, nil
}

// explain adds advice to an error of opening a database, which is nil if its address is
// invalid.
func explain(d dialect.Database, err error) error {
	if d == nil {
		return err
	}
	return d.Explain(err)
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
