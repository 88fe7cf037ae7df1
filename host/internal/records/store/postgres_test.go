package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/sqlite"
)

func TestADatabaseThatIsNoRecordIsRefused(t *testing.T) {
	tests := []struct {
		name    string
		prepare func(t *testing.T, where string)
		want    string
	}{
		{"tables of another program", func(t *testing.T, where string) { execute(t, where, "CREATE TABLE notes (text text)") }, "tables of another program; create an empty one"},
		{"a newer version", func(t *testing.T, where string) {
			openPlayersAt(t, where)
			execute(t, where, "UPDATE colosseum SET version = 99")
		}, "a newer host wrote it (its schema has version 99, this host supports up to "},
		{"another mark", func(t *testing.T, where string) {
			openPlayersAt(t, where)
			execute(t, where, "UPDATE colosseum SET mark = 'other'")
		}, "not a record of matches"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			where := server.empty(t)
			tt.prepare(t, where)
			_, err1 := Open(t.Context(), where, slog.New(slog.DiscardHandler))
			_, err2 := OpenContests(t.Context(), where, slog.New(slog.DiscardHandler))
			_, err3 := OpenReader(t.Context(), where)
			for _, err := range []error{err1, err2, err3} {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want an error with %q", err, tt.want)
				}
			}
		})
	}
}

func TestAReaderNeedsARecord(t *testing.T) {
	if _, err := OpenReader(t.Context(), server.empty(t)); err == nil || !strings.Contains(err.Error(), "start the host once") {
		t.Errorf("got %v, want an error that says to start the host once", err)
	}
}

func TestHostsThatStartTogetherUpdateTheSchemaOnce(t *testing.T) {
	where := server.empty(t)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			s, err := OpenAs(t.Context(), where, fmt.Sprint("h", i), slog.New(slog.DiscardHandler))
			if err != nil {
				t.Errorf("host %d: got %v, want nil", i, err)
				return
			}
			s.Close()
		})
	}
	wg.Wait()
}

// TestParametersAreNumbered: SQLite's driver finds $1 by its number, too.
func TestParametersAreNumbered(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		var got string
		cast := `CAST($2 AS TEXT) || CAST($1 AS TEXT) || CAST($3 AS TEXT) || CAST($2 AS TEXT)`
		if err := connectTo(t, on.where(t)).QueryRow("SELECT "+cast, "a", "b", "c").Scan(&got); err != nil || got != "bacb" {
			t.Errorf("got %q, %v, want bacb", got, err)
		}
	})
}

func TestTextsThatPostgreSQLRefusesAreCleaned(t *testing.T) {
	where := onServer.where(t)
	s := reopen(t, where, io.Discard)
	r := sample("ID")
	r.Name, r.Reason, r.Seats[0].Name = "a\x00b", "\xff", "A\x00nn"
	r.Args = map[string]string{"\x00": "\x00"}
	s.Begin(r)
	finish(t, s, r)
	got, err := s.Get(t.Context(), "ID")
	if err != nil || got.Name != "a\uFFFDb" || got.Reason != "\uFFFD" || got.Args["\x00"] != "\x00" || got.Seats[0].Name != "A\x00nn" {
		t.Errorf("got %+v, %v, want the names with replacement characters", got, err)
	}
	for name, err := range map[string]error{
		"Get":    func() error { _, err := s.Get(t.Context(), "\x00"); return err }(),
		"Select": func() error { _, _, err := s.Select(t.Context(), Query{Player: "\xff\x00"}); return err }(),
	} {
		if err != nil && err != ErrNotFound {
			t.Errorf("%s: got %v, want nothing found", name, err)
		}
	}
	wantOwner(t, s.Players(), "a\x00\xff", "")
}

func TestARowThatIsRefusedDoesNotHoldUpTheOthers(t *testing.T) {
	where := onServer.where(t)
	s := reopen(t, where, io.Discard)
	execute(t, where, "ALTER TABLE matches ADD CHECK (name <> 'refused')")
	conn, err := s.db.Conn(t.Context()) // so that all are in one batch
	if err != nil {
		t.Fatal(err)
	}
	results := make([]error, 10)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			r := sample(fmt.Sprint("ID", i))
			if i == 5 {
				r.Name = "refused"
			}
			results[i] = s.Finish(t.Context(), r)
		})
	}
	conn.Close()
	wg.Wait()
	for i, err := range results {
		if refused := err != nil && strings.Contains(err.Error(), "violates check constraint"); (err == nil) == (i == 5) || refused != (i == 5) {
			t.Errorf("match %d: got %v, want an error for match 5 only", i, err)
		}
	}
	wantMatches(t, s.Reader, 9)
}

func TestASecondMatchOfALegIsAborted(t *testing.T) {
	where := onServer.where(t)
	a, b := openAs(t, where, "a", io.Discard), openAs(t, where, "b", io.Discard)
	create(t, a.Contests(), "cup")
	create(t, a.Contests(), "league")
	first, aborted := played("first", "cup", 1, 1), played("aborted", "cup", 1, 1)
	aborted.State = record.Aborted
	finish(t, a, aborted)
	finish(t, a, first)
	finish(t, a, first)
	for _, s := range []*Store{a, b, b} {
		if err := s.Finish(t.Context(), played("second "+s.hosts.name, "cup", 1, 1)); !errors.Is(err, record.ErrPlayed) {
			t.Errorf("the second match on %s: got %v, want %v", s.hosts.name, err, record.ErrPlayed)
		}
	}
	if err := a.Contests().Finish(t.Context(), played("local", "cup", 1, 1)); !errors.Is(err, record.ErrPlayed) {
		t.Errorf("a local match: got %v, want %v", err, record.ErrPlayed)
	}
	other := played("other", "league", 1, 1)
	finish(t, b, other)
	wantRecord(t, a.Reader, first)
	wantRecord(t, a.Reader, other)
	for _, id := range []string{"second a", "second b", "local"} {
		want := played(id, "cup", 1, 1)
		want.State, want.Reason = record.Aborted, record.ErrPlayed.Error()
		wantRecord(t, a.Reader, want)
	}
	got, err := a.Contests().Results(t.Context(), "cup", 0)
	if err != nil || len(got) != 2 || got[0].Match != "aborted" || got[1].Match != "first" {
		t.Errorf("got the results %+v, %v, want those of the aborted and of the first match", got, err)
	}
}

// TestAReaderOfResultsMissesNone: two hosts write results at once, and a reader asks for
// those after the last number that it has seen.
func TestAReaderOfResultsMissesNone(t *testing.T) {
	where := onServer.where(t)
	stores := []*Store{openAs(t, where, "a", io.Discard), openAs(t, where, "b", io.Discard)}
	create(t, stores[0].Contests(), "cup")
	const players, matches = 8, 40
	var wg sync.WaitGroup
	for i, s := range stores {
		for p := range players {
			wg.Go(func() {
				for m := range matches {
					if err := s.Finish(t.Context(), played(fmt.Sprint(i, "-", p, "-", m), "cup", i, p*matches+m)); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	c := openContestsAt(t, where)
	seen, last := 0, int64(0)
	for ended := false; ; {
		list, err := c.Results(t.Context(), "cup", last)
		if err != nil {
			t.Fatal(err)
		}
		if seen += len(list); len(list) > 0 {
			last = list[len(list)-1].Number
		}
		if ended {
			break
		}
		select {
		case <-done:
			ended = true // look once more
		default:
		}
	}
	if want := 2 * players * matches; seen != want {
		t.Errorf("got %d results, want %d", seen, want)
	}
}

func TestNoMessageShowsThePassword(t *testing.T) {
	const password = "sw0rdf1sh"
	url := onServer.where(t)
	for name, where := range map[string]string{
		"no server":       "postgres://ada:" + password + "@127.0.0.1:1/records",
		"no database":     strings.Replace(url, "colosseum@", "colosseum:"+password+"@", 1) + "&database=none&password=" + password,
		"not a URL":       "postgres://ada:" + password + "/%zz@host/records",
		"not a port":      "postgres://ada:" + password + "@host:port/records",
		"unknown setting": "postgres://ada:" + password + "@127.0.0.1:1/records?sslmode=" + password,
		"missing file":    "postgres://ada:" + password + "@127.0.0.1:1/records?sslmode=verify-full&sslrootcert=/missing",
	} {
		log := new(journal)
		logger := slog.New(slog.NewTextHandler(log, nil))
		_, err1 := Open(t.Context(), where, logger)
		_, err2 := OpenReader(t.Context(), where)
		_, err3 := OpenPlayers(t.Context(), where, logger)
		_, err4 := OpenContests(t.Context(), where, logger)
		_, err5 := sqlite.Backup(t.Context(), where, "copy", false, nil)
		for i, err := range []error{err1, err2, err3, err4, err5} {
			if err == nil || strings.Contains(err.Error(), password) && name != "unknown setting" || name == "unknown setting" && strings.Contains(err.Error(), "ada:"+password) {
				t.Errorf("%s, call %d: got %v, want an error without the password", name, i, err)
			}
		}
		if strings.Contains(log.String(), password) {
			t.Errorf("%s: got log %s, want it without the password", name, log)
		}
	}
}

func TestPostgreSQLExplainsErrors(t *testing.T) {
	url := onServer.where(t)
	_, noServer := OpenReader(t.Context(), "postgres://ada@127.0.0.1:1/records?sslmode=disable")
	_, noDatabase := OpenReader(t.Context(), url[:strings.LastIndex(url, "/")]+"/none?sslmode=disable")
	_, backup := sqlite.Backup(t.Context(), url, "copy", false, nil)
	s := reopen(t, url, io.Discard)
	_, readOnly := s.Reader.db.ExecContext(t.Context(), "DELETE FROM matches")
	for want, err := range map[string]error{
		"could not connect to PostgreSQL; check that it runs": noServer, "does not exist; create it with createdb": noDatabase,
		"pg_dump": backup, "can only be read": s.d.Explain(readOnly),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestPostgreSQLReadsPagesByIndex(t *testing.T) {
	s := reopen(t, onServer.where(t), io.Discard)
	populate(t, s.db, 1, 3000)
	if _, err := s.db.Exec("ANALYZE"); err != nil {
		t.Fatal(err)
	}
	check := func(name, text string, args ...any) {
		t.Helper()
		rows, err := s.Reader.db.Query("EXPLAIN "+text, args...)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var steps []string
		for rows.Next() {
			var step string
			if err := rows.Scan(&step); err != nil {
				t.Fatal(err)
			}
			steps = append(steps, step)
		}
		// Two short lists are sorted at the end.
		deep := slices.IndexFunc(steps, func(s string) bool { return strings.Contains(s, "Append") })
		if slices.ContainsFunc(steps[deep+1:], func(s string) bool { return strings.Contains(s, "Sort  (") }) || slices.ContainsFunc(steps, func(s string) bool {
			return strings.Contains(s, "Seq Scan") || strings.Contains(s, "Hash Join")
		}) {
			t.Errorf("%s: got the plan\n%s\nwant searches by index only", name, strings.Join(steps, "\n"))
		}
	}
	texts := s.d.Texts()
	everyQuery(func(name string, q Query) {
		args, err := q.args(10)
		if err != nil {
			t.Fatal(err)
		}
		check(name, q.shape().sql(texts), args...)
	})
	check("the list of IDs", listSQL(s.d.Texts()), 10)
	check("removable records", removableSQL(texts), 0, 0, populated.Add(time.Second).UnixNano(), batchRecords)
	size, err := s.retainer.measure(context.Background())
	if err != nil || size < 1<<20 || s.Stats().Used != size {
		t.Errorf("got %d bytes in use, %v, want more than 1 MiB, as in the counters", size, err)
	}
}
