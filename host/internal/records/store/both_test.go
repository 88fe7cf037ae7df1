package store

import (
	"context"
	"database/sql"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

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

// where returns a new database: the path of a file that does not exist, or the URL of an
// empty database. It skips the test if PostgreSQL is not installed.
func (on kind) where(t testing.TB) string {
	t.Helper()
	if on == inFile {
		return filepath.Join(t.TempDir(), "record.db")
	}
	return server.database(t)
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
	mu  sync.Mutex // guards the fields below
	pg  *pgserver.Server
	dir string
}

var server shared

func (s *shared) database(t testing.TB) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pg == nil {
		s.start(t)
	}
	return s.pg.Database(t)
}

func (s *shared) start(t testing.TB) {
	t.Helper()
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
