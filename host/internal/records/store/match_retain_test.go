package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/sqlite"
)

// now is the time at which the tests of retention run.
var now = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

// ago returns a record of a match that ended some days before now.
func ago(id string, days int, verified bool) *record.Match {
	r := big(id)
	r.Ended, r.Verified = now.Add(-time.Duration(days)*24*time.Hour), verified
	return r
}

// wantSound checks that the tables of a file agree with each other.
func wantSound(t *testing.T, db *sql.DB) {
	t.Helper()
	for query, want := range map[string]string{
		`PRAGMA integrity_check`: "ok",
		`SELECT count(*) FROM endings WHERE match NOT IN (SELECT number FROM matches)`: "0",
		`SELECT count(*) FROM matches WHERE ended IS NOT NULL AND NOT EXISTS (SELECT 1 FROM endings
			WHERE player = '' AND aborted = (state = 'aborted') AND endings.ended = matches.ended AND match = number)`: "0",
	} {
		if inServer(db) && strings.HasPrefix(query, "PRAGMA") {
			continue
		}
		var got string
		if err := db.QueryRow(query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", query, got, err, want)
		}
	}
}

func wantList(t *testing.T, s *Store, want ...string) {
	t.Helper()
	ids, err := s.List(t.Context(), 10_000)
	if err != nil || !slices.Equal(ids, want) {
		t.Errorf("got the matches %q, %v, want %q", ids, err, want)
	}
}

func TestRecordsAreRemovedByAge(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		day := 24 * time.Hour
		tests := []struct {
			name string
			r    Retention
			want []string
		}{
			{"no limit", Retention{}, []string{"1", "2v", "3", "4", "5v", "6"}},
			{"nothing is so old", Retention{Keep: 7 * day}, []string{"1", "2v", "3", "4", "5v", "6"}},
			{"some", Retention{Keep: 3*day + time.Hour}, []string{"1", "2v", "3"}},
			{"not the verified ones", Retention{Keep: 3*day + time.Hour, KeepVerified: true}, []string{"1", "2v", "3", "5v"}},
			{"all", Retention{Keep: time.Hour}, nil},
			{"all except verified ones", Retention{Keep: time.Hour, KeepVerified: true}, []string{"2v", "5v"}},
			{"a part of an hour waits for the rest", Retention{Keep: 3*day - time.Minute}, []string{"1", "2v", "3"}},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				s, _, _ := on.openTemp(t)
				s.Begin(ago("running", 100, false))
				for _, r := range []*record.Match{ago("6", 6, false), ago("4", 4, false), ago("5v", 5, true), ago("1", 1, false), ago("2v", 2, true), ago("3", 3, false)} {
					if r.ID == "4" {
						r.State = record.Aborted
					}
					finish(t, s, r)
				}
				generation := s.Generation()
				removed, err := s.retainer.retain(t.Context(), tt.r, now)
				if want := 6 - len(tt.want); removed != want || err != nil {
					t.Errorf("got %d removed, %v, want %d", removed, err, want)
				}
				wantList(t, s, tt.want...)
				if changed := s.Generation() != generation; changed != (removed > 0) {
					t.Errorf("the generation changed: got %v, want %v", changed, removed > 0)
				}
				if got := s.Stats().Removed; got != uint64(removed) {
					t.Errorf("got %d removed in the counters, want %d", got, removed)
				}
				page, _, err := s.Select(t.Context(), Query{Player: "Ann", Limit: 10})
				if err != nil || len(page) != len(tt.want) {
					t.Errorf("got %d matches of Ann, %v, want %d", len(page), err, len(tt.want))
				}
				if _, err := s.Get(t.Context(), "6"); slices.Contains(tt.want, "6") != (err == nil) {
					t.Errorf("the oldest match: got %v, want ErrNotFound if it was removed", err)
				}
				if r, err := s.Get(t.Context(), "running"); err != nil || r.State != record.Running {
					t.Errorf("the running match: got %+v, %v, want it as it was", r, err)
				}
				wantSound(t, s.db)
				finish(t, s, ago("new", 0, false))
				wantList(t, s, append([]string{"new"}, tt.want...)...)
			})
		}
	})
}

func TestRecordsAreRemovedBySize(t *testing.T) {
	s, path, _ := openTemp(t)
	for i := range 100 { // 7 MB
		finish(t, s, ago(fmt.Sprint(i), 200-i, i < 10))
	}
	const most = 3 << 20
	removed, err := s.retainer.retain(t.Context(), Retention{MaxBytes: most, KeepVerified: true}, now)
	if removed < 40 || removed > 70 || err != nil {
		t.Errorf("got %d removed, %v, want about 60 of 100", removed, err)
	}
	ids, err := s.List(t.Context(), 1000)
	if err != nil || ids[0] != "99" || !slices.Equal(ids[len(ids)-10:], []string{"9", "8", "7", "6", "5", "4", "3", "2", "1", "0"}) {
		t.Errorf("got the matches %q, %v, want the last ones and the first ten, which are verified", ids, err)
	}
	stats := s.Stats()
	if stats.Used > most || stats.Used < most*8/10 {
		t.Errorf("got %d bytes in use, want at most %d, and not much less", stats.Used, most)
	}
	if stats.Free > stats.Used/freeShare {
		t.Errorf("got %d bytes free in the file, want at most %d", stats.Free, stats.Used/freeShare)
	}
	if _, err := s.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > most*9/8 {
		t.Errorf("got a file of %d bytes, %v, want at most %d", info.Size(), err, most*9/8)
	}
	for _, id := range ids {
		if r, err := s.Get(t.Context(), id); err != nil || !strings.HasSuffix(string(r.Stream), id) {
			t.Errorf("match %s: got %v, want its stream", id, err)
		}
	}
	wantSound(t, s.db)
	if removed, err := s.retainer.retain(t.Context(), Retention{MaxBytes: most, KeepVerified: true}, now); removed != 0 || err != nil {
		t.Errorf("again: got %d removed, %v, want none", removed, err)
	}
}

func TestAFileOfAnOlderHostUsesItsFreeSpaceAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.db")
	execute(t, path, "PRAGMA journal_mode = wal; CREATE TABLE t (i); DROP TABLE t") // without auto_vacuum
	s := reopen(t, path, new(journal))
	for i := range 50 {
		finish(t, s, ago(fmt.Sprint(i), 10, false))
	}
	file := s.d.(sqlite.File)
	full, err := file.Pages(t.Context(), s.Reader.db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.retainer.retain(t.Context(), Retention{Keep: 24 * time.Hour}, now); err != nil {
		t.Fatal(err)
	}
	wantList(t, s)
	for i := range 50 {
		finish(t, s, ago(fmt.Sprint("new", i), 0, false))
	}
	if pages, err := file.Pages(t.Context(), s.Reader.db); err != nil || pages.All > full.All+full.All/10 {
		t.Errorf("got %d pages with new records instead of the old ones, %v, want about %d", pages.All, err, full.All)
	}
}

func TestACursorOfRemovedRecordsStillWorks(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		for i := range 10 {
			finish(t, s, ago(fmt.Sprint(i), 10-i, i == 2))
		}
		page, next, err := s.Select(t.Context(), Query{Limit: 5})
		if err != nil || len(page) != 5 || next == "" {
			t.Fatalf("got %d matches, cursor %q, %v, want 5 and a cursor", len(page), next, err)
		}
		if _, err := s.retainer.retain(t.Context(), Retention{Keep: 2*24*time.Hour + time.Hour, KeepVerified: true}, now); err != nil {
			t.Fatal(err)
		}
		page, next, err = s.Select(t.Context(), Query{Limit: 5, After: next})
		if err != nil || len(page) != 1 || page[0].ID != "2" || next != "" {
			t.Errorf("got %v, cursor %q, %v, want match 2, which is left of this page", page, next, err)
		}
	})
}

// Retention is many short transactions, so that others have their turns in between.
func TestMatchesAreRecordedDuringRetention(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		const matches = 2000
		populate(t, s.db, 1, matches)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { // ends with ctx
			defer close(done)
			_, _ = s.retainer.retain(ctx, Retention{Keep: time.Hour}, populated.Add(1000*time.Hour))
		}()
		recorded, moments := 0, map[uint64]bool{}
		for ended := false; !ended && len(moments) < 10; recorded++ {
			r := sample(fmt.Sprint("DURING", recorded))
			r.Ended = populated.Add(1000 * time.Hour)
			finish(t, s, r)
			moments[s.Stats().Removed] = true
			select {
			case <-done:
				ended = true
			default:
			}
		}
		cancel()
		<-done
		if len(moments) < 10 {
			t.Errorf("got records between %d transactions of the retention, want 10 of %d", len(moments), matches/batchRecords)
		}
		ids, err := s.List(t.Context(), matches+recorded)
		if want := matches + recorded - int(s.Stats().Removed); err != nil || len(ids) != want {
			t.Errorf("got %d matches, %v, want %d", len(ids), err, want)
		}
		wantSound(t, s.db)
	})
}

func TestRetentionThatIsStoppedContinuesAtTheNextStart(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, log := on.openTemp(t)
		const matches = 120
		populate(t, s.db, 1, matches)
		finish(t, s, sample("KEPT"))
		later := populated.Add(1000 * time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		stop := func(int64) bool { // is called in a transaction
			cancel()
			return false
		}
		removed, err := s.retainer.removeUntil(ctx, Retention{}, later.UnixNano(), stop)
		if removed < 1 || removed > batchRecords || err == nil {
			t.Errorf("got %d removed, %v, want one transaction and then an error", removed, err)
		}
		s.Close()
		s = reopen(t, path, log)
		wantSound(t, s.db)
		again, err := s.retainer.retain(t.Context(), Retention{Keep: time.Hour}, later)
		if again != matches-removed || err != nil {
			t.Errorf("got %d removed after the restart, %v, want %d", again, err, matches-removed)
		}
		wantList(t, s, "KEPT")
		wantSound(t, s.db)
	})
}

func TestRetentionRunsAtTheStartAndThenEveryHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, log := filepath.Join(t.TempDir(), "record.db"), new(journal)
		s, err := Open(t.Context(), path, slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for i := range 4 {
			r := sample(fmt.Sprint(i))
			r.Ended = time.Now().Add(time.Duration(i-2) * time.Hour)
			finish(t, s, r)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { // ends with ctx
			defer close(done)
			s.Retain(ctx, Retention{Keep: time.Hour})
		}()
		for hours, want := range [][]string{{"3", "2", "1"}, {"3", "2"}, {"3"}, nil} {
			synctest.Wait()
			time.Sleep(time.Minute)
			synctest.Wait()
			wantList(t, s, want...)
			if got := strings.Count(log.String(), "removed old records"); got != hours+1 {
				t.Errorf("after %d hours: got %d lines in the log, want %d:\n%s", hours, got, hours+1, log)
			}
			time.Sleep(time.Hour - time.Minute)
		}
		cancel()
		<-done
	})
}

func TestRecordsThatAreKeptBeyondTheLimitAreLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := new(journal)
		s, err := Open(t.Context(), filepath.Join(t.TempDir(), "record.db"), slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		finish(t, s, ago("VERIFIED", 1, true))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { // ends with ctx
			defer close(done)
			s.Retain(ctx, Retention{MaxBytes: 1, KeepVerified: true})
		}()
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		wantList(t, s, "VERIFIED")
		if got := strings.Count(log.String(), "more space than records.max_gb"); got != 1 {
			t.Errorf("got %d warnings, want 1:\n%s", got, log)
		}
		cancel()
		<-done
	})
}

func TestRetentionThatFailsIsLoggedOnceAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, log := filepath.Join(t.TempDir(), "record.db"), new(journal)
		s, err := Open(t.Context(), path, slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := sample("OLD")
		r.Ended = time.Now().Add(-48 * time.Hour)
		finish(t, s, r)
		alter(t, s, "query_only = on")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { // ends with ctx
			defer close(done)
			s.Retain(ctx, Retention{Keep: time.Hour})
		}()
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if got := strings.Count(log.String(), "could not remove old records"); got != 1 || !strings.Contains(log.String(), "no permission to write") {
			t.Errorf("got %d errors in the log, want 1 with the reason:\n%s", got, log)
		}
		alter(t, s, "query_only = off")
		time.Sleep(time.Minute)
		synctest.Wait()
		wantList(t, s)
		cancel()
		<-done
	})
}

func TestRetentionReadsNoMoreThanItNeeds(t *testing.T) {
	s, _, _ := openTemp(t)
	var steps []string
	for _, step := range plan(t, s.Reader.db, removableSQL(s.d.Texts()), 0, 0, 0, batchRecords) {
		if strings.Contains(step, "SCAN") || strings.Contains(step, "TEMP") {
			steps = append(steps, step)
		}
	}
	if !reflect.DeepEqual(steps, []string(nil)) {
		t.Errorf("got the steps %q in the query plan, want only searches by index", steps)
	}
}
