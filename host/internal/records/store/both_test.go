package store

import (
	"context"
	"database/sql"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"colosseum/host/internal/records/postgres"
	"colosseum/internal/test/pgserver"
)

// kind is a kind of database: inFile or onServer.
type kind string

const (
	inFile   kind = "sqlite"
	onServer kind = "postgres"
)

// onBoth runs a test with each kind of database.
func onBoth(t *testing.T, test func(t *testing.T, on kind)) {
	for _, on := range []kind{inFile, onServer} {
		t.Run(string(on), func(t *testing.T) { test(t, on) })
	}
}

// where returns a new database: the path of a file that does not exist, or the URL of a
// database with the current schema and without rows. It skips the test if PostgreSQL is not
// installed.
func (on kind) where(t testing.TB) string {
	t.Helper()
	if on == inFile {
		return filepath.Join(t.TempDir(), "record.db")
	}
	return server.prepared(t)
}

func (on kind) openTemp(t testing.TB) (s *Store, where string, log *journal) {
	t.Helper()
	where, log = on.where(t), new(journal)
	return reopen(t, where, log), where, log
}

func (on kind) openPlayersTemp(t testing.TB) (p *Players, where string) {
	t.Helper()
	where = on.where(t)
	return openPlayersAt(t, where), where
}

// shared is the server of all tests that do not stop it. TestMain stops it.
type shared struct {
	mu     sync.Mutex // guards the fields below
	pg     *pgserver.Server
	dir    string
	used   []string // databases of tests that have ended
	schema string   // of a database as it is after the start of a host
}

var server shared

// empty returns the URL of a database without a schema.
func (s *shared) empty(t testing.TB) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start(t)
	return s.pg.Database(t)
}

// prepared returns the URL of a database with the current schema and without rows. It is
// that of an earlier test, if nothing uses that any more: PostgreSQL copies 300 files for a
// new one.
func (s *shared) prepared(t testing.TB) (url string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start(t)
	// The stores of the test are closed before.
	t.Cleanup(func() { s.mu.Lock(); defer s.mu.Unlock(); s.used = append(s.used, url) })
	for i, old := range s.used {
		if s.clean(t, old) {
			s.used = slices.Delete(s.used, i, i+1)
			return old
		}
	}
	url = s.pg.Database(t)
	d, err := postgres.Parse(url)
	if err == nil {
		err = d.Prepare(t.Context(), slog.New(slog.DiscardHandler))
	}
	if err != nil {
		t.Fatal(err)
	}
	if s.schema == "" {
		s.clean(t, url)
	}
	return url
}

const (
	// schemaSQL returns what tests could have changed in the schema, and in the statistics.
	schemaSQL = `SELECT md5(string_agg(line, ';' ORDER BY line)) FROM (
		SELECT concat_ws(' ', relname, relkind, attname, atttypid, attnotnull, attstorage, relchecks) line FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace
		UNION ALL SELECT concat_ws(' ', tgname, tgenabled) FROM pg_trigger
		UNION ALL SELECT concat_ws(' ', proname, prosrc) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
		UNION ALL SELECT concat_ws(' ', 'version', version) FROM colosseum
		UNION ALL SELECT concat_ws(' ', 'statistics of', starelid) FROM pg_statistic WHERE starelid >= 16384) lines`
	// truncateSQL returns the statement that empties the tables with rows, or null.
	truncateSQL = `SELECT 'TRUNCATE ' || string_agg(quote_ident(relname), ', ') || ' RESTART IDENTITY' FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'colosseum' AND pg_relation_size(oid) > 0`
	othersSQL = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
)

// clean removes all rows from a database, unless it is in use or a test has changed its
// schema.
func (s *shared) clean(t testing.TB, url string) bool {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var others int
	var schema string
	var truncate *string
	if err := conn.QueryRow(ctx, othersSQL).Scan(&others); err != nil {
		t.Fatal(err)
	}
	if others > 0 {
		return false
	}
	if err := conn.QueryRow(ctx, schemaSQL).Scan(&schema); err != nil {
		return false // the table with the version is gone
	}
	if s.schema == "" {
		s.schema = schema
	}
	if err := conn.QueryRow(ctx, truncateSQL).Scan(&truncate); err != nil {
		t.Fatal(err)
	}
	if truncate != nil && schema == s.schema {
		if _, err := conn.Exec(ctx, *truncate); err != nil {
			t.Fatal(err)
		}
	}
	return schema == s.schema
}

// start starts the server, if it does not run.
func (s *shared) start(t testing.TB) {
	t.Helper()
	if s.pg != nil {
		return
	}
	bin := pgserver.Installed()
	if bin == "" {
		t.Skip("PostgreSQL is not installed: install the package postgresql")
	}
	var err error
	if s.dir, err = os.MkdirTemp("", "pg"); err != nil {
		t.Fatal(err)
	}
	pg, err := pgserver.New(bin, s.dir, isBenchmark(t))
	if err == nil {
		err = pg.Run()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.pg = pg
	// Its transactions would change the versions that tests compare.
	conn, err := pgx.Connect(context.Background(), pg.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, text := range []string{"ALTER SYSTEM SET autovacuum = off", "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(context.Background(), text); err != nil {
			t.Fatal(err)
		}
	}
}

// isBenchmark: benchmarks need a server that waits for the disk.
func isBenchmark(t testing.TB) bool { _, ok := t.(*testing.B); return ok }

func (s *shared) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pg != nil {
		s.pg.Stop()
		_ = os.RemoveAll(s.dir)
	}
}

// inServer reports whether a pool belongs to PostgreSQL.
func inServer(db *sql.DB) bool { _, ok := db.Driver().(*stdlib.Driver); return ok }

// connectTo opens a pool that belongs to no store.
func connectTo(t testing.TB, where string) *sql.DB {
	t.Helper()
	d, _, err := find(where)
	if err != nil {
		t.Fatal(err)
	}
	db, err := d.Connect(1, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// openAs opens the records as one of several hosts.
func openAs(t testing.TB, where, host string, log io.Writer) *Store {
	t.Helper()
	s, err := OpenAs(context.Background(), where, host, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
