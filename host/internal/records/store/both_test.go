package store

import (
	"context"
	"database/sql"
	"errors"
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
	"colosseum/host/internal/records/sqlite"
	"colosseum/internal/test/pgserver"
	"colosseum/internal/test/race"
)

// kind is a kind of database: inFile or onServer.
type kind string

const (
	inFile   kind = "sqlite"
	onServer kind = "postgres"
)

// onBoth runs a test with each kind of database, at the same time as other tests. With the race
// detector, transactions of many tests would be idle for longer than PostgreSQL permits.
func onBoth(t *testing.T, test func(t *testing.T, on kind)) {
	if !race.On {
		t.Parallel()
	}
	onBothAlone(t, test)
}

// onBothAlone is onBoth for a test that expects the same version before and after something:
// in PostgreSQL, the version changes with the transactions of all databases of the server.
func onBothAlone(t *testing.T, test func(t *testing.T, on kind)) {
	for _, on := range []kind{inFile, onServer} {
		t.Run(string(on), func(t *testing.T) { test(t, on) })
	}
}

// where returns a new database with the current schema and without rows: the path of a file
// or a URL. It skips the test if PostgreSQL is not installed.
func (on kind) where(t testing.TB) string {
	t.Helper()
	if on == onServer {
		return server.prepared(t)
	}
	path := filepath.Join(t.TempDir(), "record.db")
	if err := os.WriteFile(path, preparedFile(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// preparedFile returns the contents of a file after the start of a host.
var preparedFile = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "prepared")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "record.db")
	if err := sqlite.At(path).Prepare(context.Background(), slog.New(slog.DiscardHandler)); err != nil {
		panic(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return data
})

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
	used   []database // of tests that have ended
	schema string     // of a database as it is after the start of a host
}

// database is one that tests use one after another. Its connection cleans it: a new one
// takes longer than that.
type database struct {
	url  string
	conn *pgx.Conn
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
func (s *shared) prepared(t testing.TB) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start(t)
	d := s.take(t)
	if d.conn == nil {
		d = s.create(t)
	}
	// The stores of the test are closed before.
	t.Cleanup(func() { s.mu.Lock(); defer s.mu.Unlock(); s.used = append(s.used, d) })
	return d.url
}

// take takes a database of a test that has ended, and forgets those that a test has changed
// or whose connection is broken. It returns the zero database if there is none.
func (s *shared) take(t testing.TB) (taken database) {
	t.Helper()
	s.used = slices.DeleteFunc(s.used, func(d database) (gone bool) {
		if taken.conn != nil {
			return false
		}
		cleaned, err := s.clean(t.Context(), d.conn)
		if cleaned {
			taken = d
		}
		if err != nil {
			_ = d.conn.Close(context.WithoutCancel(t.Context()))
		}
		return cleaned || err != nil
	})
	return taken
}

func (s *shared) create(t testing.TB) database {
	t.Helper()
	url := s.pg.Database(t)
	d, err := postgres.Parse(url)
	if err == nil {
		err = d.Prepare(t.Context(), slog.New(slog.DiscardHandler))
	}
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err == nil && s.schema == "" {
		err = conn.QueryRow(t.Context(), schemaSQL).Scan(&s.schema)
	}
	if err != nil {
		t.Fatal(err)
	}
	return database{url, conn}
}

const (
	// schemaSQL returns what tests could have changed in the schema, and in the statistics.
	schemaSQL = `SELECT md5(string_agg(line, ';' ORDER BY line)) FROM (
		SELECT concat_ws(' ', relname, relkind, attname, atttypid, attnotnull, attstorage, relchecks) line FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace
		UNION ALL SELECT concat_ws(' ', tgname, tgenabled) FROM pg_trigger
		UNION ALL SELECT concat_ws(' ', proname, prosrc) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
		UNION ALL SELECT concat_ws(' ', 'version', version) FROM colosseum
		UNION ALL SELECT concat_ws(' ', 'statistics of', starelid) FROM pg_statistic WHERE starelid >= 16384) lines`
	// emptySQL removes all rows. A TRUNCATE creates several files, which takes longer than
	// a DELETE of few rows.
	emptySQL = `DO $$ DECLARE one regclass; BEGIN
		SET LOCAL session_replication_role = replica; -- no triggers
		FOR one IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'colosseum' AND pg_relation_size(oid) > 0 LOOP
			IF pg_table_size(one) > 500000 THEN
				EXECUTE format('TRUNCATE %s', one);
			ELSE
				EXECUTE format('DELETE FROM %s', one);
			END IF;
		END LOOP;
		PERFORM setval(seqrelid, 1, FALSE) FROM pg_sequence;
	END $$`
	othersSQL = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
)

// clean removes all rows from a database, unless others use it. After an error it is not
// used again.
func (s *shared) clean(ctx context.Context, conn *pgx.Conn) (cleaned bool, err error) {
	var others int
	if err := conn.QueryRow(ctx, othersSQL).Scan(&others); err != nil || others > 0 {
		return false, err
	}
	var schema string
	if err := conn.QueryRow(ctx, schemaSQL).Scan(&schema); err != nil { // the table with the version can be gone
		return false, err
	}
	if schema != s.schema {
		return false, errors.New("a test has changed the schema")
	}
	_, err = conn.Exec(ctx, emptySQL)
	return err == nil, err
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
