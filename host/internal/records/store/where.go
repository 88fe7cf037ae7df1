package store

import (
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
