package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/sqlite"
)

func openContestsAt(t testing.TB, path string) *Contests {
	t.Helper()
	c, err := OpenContests(context.Background(), path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// cup returns a contest with a value in every field.
func cup(name string) Contest {
	return Contest{Name: name, Game: "damath", Spec: "name: " + name + "\n", Seed: math.MaxUint64 - 3, Created: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)}
}

// happen returns an event of each kind.
func happen(kinds ...string) []Event {
	var list []Event
	for i, k := range kinds {
		list = append(list, Event{At: time.Date(2026, 1, 2, 3, 4, 5, i, time.UTC), Kind: k, Data: json.RawMessage(fmt.Sprintf(`{"kind":%q}`, k))})
	}
	return list
}

func create(t testing.TB, c *Contests, name string, kinds ...string) {
	t.Helper()
	if err := c.Create(context.Background(), cup(name), happen(kinds...)); err != nil {
		t.Fatal(err)
	}
}

// played returns the record of a match of a contest.
func played(id, contest string, pairing, leg int) *record.Match {
	r := sample(id)
	r.Fixture = &record.Fixture{Contest: contest, Pairing: pairing, Leg: leg, Entries: []int{pairing + 7, leg}}
	return r
}

// result returns the result of a record of played.
func result(number int64, r *record.Match) Result {
	f := r.Fixture
	return Result{Number: number, Contest: f.Contest, Pairing: f.Pairing, Leg: f.Leg, Match: r.ID, Ended: r.Ended, Aborted: r.State == record.Aborted, Seats: []ResultSeat{
		{Entry: f.Entries[0], Rank: r.Seats[0].Rank, Score: r.Seats[0].Score, Ended: r.Seats[0].Ended, Version: r.Seats[0].Version},
		{Entry: f.Entries[1], Rank: r.Seats[1].Rank, Score: r.Seats[1].Score, Ended: r.Seats[1].Ended},
	}}
}

func wantResults(t testing.TB, c *Contests, contest string, want ...Result) {
	t.Helper()
	if got, err := c.Results(context.Background(), contest, 0); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the results of %s: got\n%+v, %v, want\n%+v", contest, got, err, want)
	}
}

// wantKinds checks the events of a contest.
func wantKinds(t testing.TB, c *Contests, contest string, kinds ...string) {
	t.Helper()
	want := happen(kinds...)
	got, err := c.Events(context.Background(), contest, 0)
	for i := range got {
		if i < len(want) {
			want[i].Number, want[i].At = int64(i+1), got[i].At
		}
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the events of %s: got %+v, %v, want %+v", contest, got, err, want)
	}
}

func TestAContestIsReadBackAsItWasCreated(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, _ := on.openTemp(t)
		ctx := context.Background()
		create(t, s.Contests(), "first", "enter", "start")
		create(t, s.Contests(), "second")
		for name, c := range map[string]*Contests{"the host": s.Contests(), "another process": openContestsAt(t, path)} {
			first := cup("first")
			first.Last = 2
			if got, err := c.Contest(ctx, "first"); err != nil || got != first {
				t.Errorf("%s: got %+v, %v, want %+v", name, got, err, first)
			}
			if got, err := c.List(ctx); err != nil || !slices.Equal(got, []Contest{cup("second"), first}) {
				t.Errorf("%s: got %+v, %v, want the second and the first", name, got, err)
			}
			if err := c.Create(ctx, cup("first"), happen("end")); err != ErrContestExists {
				t.Errorf("%s: creating it again: got %v, want %v", name, err, ErrContestExists)
			}
			wantKinds(t, c, "first", "enter", "start")
			wantKinds(t, c, "second")
			want := happen("enter", "start")[1:]
			want[0].Number = 2
			if got, err := c.Events(ctx, "first", 1); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: the events after the first one: got %+v, %v, want %+v", name, got, err, want)
			}
		}
	})
}

func TestAnUnknownContestIsNotFound(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		c, ctx := s.Contests(), context.Background()
		for name, call := range map[string]func() error{
			"Contest": func() error { _, err := c.Contest(ctx, "none"); return err },
			"Events":  func() error { _, err := c.Events(ctx, "none", 0); return err },
			"Results": func() error { _, err := c.Results(ctx, "none", 0); return err },
			"Append":  func() error { return c.Append(ctx, "none", 0, happen("start")) },
			"Remove":  func() error { return c.Remove(ctx, "none") },
		} {
			if err := call(); err != ErrNoContest {
				t.Errorf("%s: got %v, want %v", name, err, ErrNoContest)
			}
		}
		finish(t, s, played("ID", "none", 0, 0)) // has no result
		create(t, c, "none")
		wantResults(t, c, "none")
	})
}

func TestEventsAreAddedOnlyAfterTheLastOne(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, _ := on.openTemp(t)
		ctx := context.Background()
		other := openContestsAt(t, path)
		create(t, s.Contests(), "cup", "enter")
		if err := other.Append(ctx, "cup", 1, happen("start", "pair")); err != nil {
			t.Fatal(err)
		}
		for _, after := range []int64{0, 1, 2, 4, -1} {
			if err := s.Contests().Append(ctx, "cup", after, happen("end")); err != ErrChanged {
				t.Errorf("after event %d of 3: got %v, want %v", after, err, ErrChanged)
			}
		}
		if err := s.Contests().Append(ctx, "cup", 3, happen("end")); err != nil {
			t.Error(err)
		}
		wantKinds(t, other, "cup", "enter", "start", "pair", "end")
	})
}

func TestWhatIsTooLongIsRefusedAndNotStored(t *testing.T) {
	s, path, _ := openTemp(t)
	c, ctx := s.Contests(), context.Background()
	long := cup("long")
	long.Spec = strings.Repeat("#", maxSpec+1)
	if err := c.Create(ctx, long, nil); err == nil || !strings.Contains(err.Error(), "1048577 bytes") {
		t.Errorf("a long description: got %v, want an error with its length", err)
	}
	create(t, c, "cup")
	for name, data := range map[string]string{"too long": `"` + strings.Repeat("x", maxEvent) + `"`, "no JSON": "{", "nothing": ""} {
		events := append(happen("enter"), Event{Kind: "start", Data: json.RawMessage(data)})
		if err := c.Append(ctx, "cup", 0, events); err == nil || !strings.Contains(err.Error(), "not JSON") {
			t.Errorf("an event that is %s: got %v, want an error", name, err)
		}
	}
	wantKinds(t, c, "cup") // all or nothing

	execute(t, path, fmt.Sprintf(`UPDATE contests SET spec = spec || zeroblob(%d);
		INSERT INTO contest_events SELECT number, 1, 0, 'enter', hex(zeroblob(%d)) FROM contests`, maxSpec, maxEvent/2+1))
	if _, err := c.Contest(ctx, "cup"); err == nil || !strings.Contains(err.Error(), "longer than 1048576 bytes") {
		t.Errorf("reading a long description: got %v, want an error", err)
	}
	if _, err := c.Events(ctx, "cup", 0); err == nil || !strings.Contains(err.Error(), "event 1 is longer than 67108864 bytes") {
		t.Errorf("reading a long event: got %v, want an error", err)
	}
}

func TestAMatchOfAContestHasItsRecordAndItsResult(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, _ := on.openTemp(t)
		other := openContestsAt(t, path)
		ctx := context.Background()
		create(t, s.Contests(), "cup")
		create(t, s.Contests(), "league")
		var records []*record.Match
		for i, finish := range []func(context.Context, *record.Match) error{s.Finish, s.Contests().Finish, other.Finish} {
			r := played(fmt.Sprint("ID", i), []string{"cup", "league", "cup"}[i], i, 2*i)
			r.Seats[0].Score = []float64{math.Inf(1), -0.1, 12345}[i]
			if err := finish(ctx, r); err != nil {
				t.Fatal(err)
			}
			wantRecord(t, s.Reader, r)
			records = append(records, r)
		}
		finish(t, s, sample("of no contest"))
		for _, c := range []*Contests{s.Contests(), other} {
			wantResults(t, c, "cup", result(1, records[0]), result(3, records[2]))
			wantResults(t, c, "league", result(2, records[1]))
			if got, err := c.Results(ctx, "cup", 1); err != nil || !reflect.DeepEqual(got, []Result{result(3, records[2])}) {
				t.Errorf("the results after the first one: got %+v, %v, want the third", got, err)
			}
			for after := range int64(4) {
				var numbers []int64
				if err := c.GameResults(ctx, "damath", after, func(r Result) error {
					if want := result(r.Number, records[r.Number-1]); !reflect.DeepEqual(r, want) {
						t.Errorf("a result of the game: got %+v, want %+v", r, want)
					}
					numbers = append(numbers, r.Number)
					return nil
				}); err != nil || !slices.Equal(numbers, []int64{1, 2, 3}[after:]) {
					t.Errorf("the results of the game after %d: got %v, %v, want the rest of 1, 2, 3", after, numbers, err)
				}
			}
		}
		if err := other.GameResults(ctx, "dama", 0, func(r Result) error { return fmt.Errorf("got %+v, want none", r) }); err != nil {
			t.Errorf("the results of another game: %v", err)
		}
		if err := other.GameResults(ctx, "damath", 0, func(r Result) error { return io.EOF }); err != io.EOF {
			t.Errorf("an error of the caller: got %v, want it", err)
		}
	})
}

func TestTheResultsOfGamesAreReadAtOnceTogetherWithTheirContests(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		c := s.Contests()
		create(t, c, "cup", "enter")
		for i := range 20 {
			finish(t, s, played(fmt.Sprint("ID", i), "cup", i, 0))
		}
		var wg sync.WaitGroup
		for range 3 * contestReaders {
			wg.Go(func() {
				if err := c.GameResults(t.Context(), "damath", 0, func(r Result) error {
					_, err := c.Contest(t.Context(), r.Contest)
					wantKinds(t, c, r.Contest, "enter")
					return err
				}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func TestAFixtureMustFitItsMatch(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		create(t, s.Contests(), "cup")
		for name, change := range map[string]func(*record.Fixture){
			"no name":           func(f *record.Fixture) { f.Contest = "" },
			"a negative leg":    func(f *record.Fixture) { f.Leg = -1 },
			"too few entries":   func(f *record.Fixture) { f.Entries = f.Entries[:1] },
			"a negative number": func(f *record.Fixture) { f.Entries[1] = -1 },
		} {
			r := played("ID", "cup", 0, 0)
			change(r.Fixture)
			for _, err := range []error{s.Finish(context.Background(), r), s.Contests().Finish(context.Background(), r)} {
				if err == nil || !strings.Contains(err.Error(), "its place in a contest") {
					t.Errorf("%s: got %v, want an error about the fixture", name, err)
				}
			}
		}
		wantResults(t, s.Contests(), "cup")
		wantMatches(t, s.Reader, 0)
	})
}

func TestALegHasOneResultThatWasNotAborted(t *testing.T) {
	s, _, _ := openTemp(t)
	create(t, s.Contests(), "cup")
	create(t, s.Contests(), "league")
	aborted := func(id string) *record.Match {
		r := played(id, "cup", 1, 1)
		r.State, r.Seats[0].Ended, r.Seats[1].Ended = record.Aborted, "aborted", "aborted"
		return r
	}
	first, second, other := aborted("A1"), aborted("A2"), played("other", "league", 1, 1)
	good := played("good", "cup", 1, 1)
	for _, r := range []*record.Match{first, second, good, good, played("again", "cup", 1, 1), aborted("A1"), other} {
		finish(t, s, r)
		wantRecord(t, s.Reader, r)
	}
	wantResults(t, s.Contests(), "cup", result(1, first), result(2, second), result(3, good))
	got, err := s.Contests().Results(t.Context(), "league", 0)
	if err != nil || len(got) != 1 || got[0].Match != "other" || got[0].Number <= 3 {
		t.Errorf("the other contest: got %+v, %v, want its result with a number above 3", got, err)
	}
}

func TestEachAttemptAtALegHasAResult(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, _ := on.openTemp(t)
		create(t, s.Contests(), "cup")
		first, second, double := played("first", "cup", 0, 1), played("second", "cup", 0, 1), played("double", "cup", 0, 1)
		second.Fixture.Attempt, double.Fixture.Attempt = 1, 1
		finish(t, s, first)
		finish(t, s, second)
		err := s.Contests().Finish(t.Context(), double)
		if on == onServer != errors.Is(err, record.ErrPlayed) {
			t.Errorf("the second match of an attempt: got %v", err)
		}
		want := []Result{result(1, first), result(2, second)}
		want[1].Attempt = 1
		wantResults(t, openContestsAt(t, path), "cup", want...)
	})
}

func TestALateRecordDoesNotReplaceAResult(t *testing.T) {
	s, _, _ := openTemp(t)
	create(t, s.Contests(), "cup")
	alter(t, s, "query_only = on")
	for _, r := range []*record.Match{played("lost", "cup", 0, 0), played("late", "cup", 1, 0)} {
		if err := s.Finish(t.Context(), r); err == nil {
			t.Fatal("Finish: got nil, want an error")
		}
	}
	alter(t, s, "query_only = off")
	again := played("again", "cup", 0, 0) // the leg was played once more
	if err := s.Contests().Finish(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil { // writes the late records
		t.Error(err)
	}
	s = reopen(t, s.d.String(), io.Discard)
	wantMatches(t, s.Reader, 3)
	wantResults(t, s.Contests(), "cup", result(1, again), result(3, played("late", "cup", 1, 0))) // a refused result takes a number
}

func TestResultsAppearWithTheirRecordsWhenAFaultIsGone(t *testing.T) {
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, path, _ := openTemp(t)
			create(t, s.Contests(), "cup")
			repair := tt.breakIt(t, s, path)
			r := played("ID", "cup", 0, 0)
			r.Stream = noise(1 << 16) // needs room
			if err := s.Finish(t.Context(), r); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Finish: got %v, want an error with %q", err, tt.want)
			}
			wantResults(t, s.Contests(), "cup")
			wantMatches(t, s.Reader, 0)
			repair()
			s.Close() // writes the late record
			s = reopen(t, path, io.Discard)
			wantRecord(t, s.Reader, r)
			wantResults(t, s.Contests(), "cup", result(1, r))
		})
	}
}

func TestContestsExplainAFullDiskAndChangeNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.db")
	c := openContestsAt(t, path)
	create(t, c, "cup", "enter")
	if _, err := c.update.db.Exec("PRAGMA max_page_count = 1"); err != nil {
		t.Fatal(err)
	}
	r := played("ID", "cup", 0, 0)
	r.Stream = noise(1 << 20)
	big := []Event{{Kind: "pair", Data: json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)}}
	for name, err := range map[string]error{
		"Finish": c.Finish(t.Context(), r),
		"Append": c.Append(t.Context(), "cup", 1, append(happen("start"), big...)),
		"Create": c.Create(t.Context(), cup("another"), big),
	} {
		if err == nil || !strings.Contains(err.Error(), "the disk is full") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want an error about the disk with the path", name, err)
		}
	}
	if _, err := c.update.db.Exec("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	wantResults(t, c, "cup")
	wantKinds(t, c, "cup", "enter")
	if err := c.Finish(t.Context(), r); err != nil {
		t.Error(err)
	}
	wantResults(t, c, "cup", result(1, r))
}

func TestFinishNextToAHostWaitsForTheLockUntilItsContextEnds(t *testing.T) {
	s, path, _ := openTemp(t)
	c := openContestsAt(t, path)
	create(t, c, "cup")
	if _, err := c.update.db.Exec("PRAGMA busy_timeout = 1"); err != nil {
		t.Fatal(err)
	}
	release := hold(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			if err := c.Finish(ctx, played(fmt.Sprint("ID", i), "cup", i, 0)); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want %v", err, context.Canceled)
			}
		})
	}
	cancel()
	wg.Wait()
	r := played("waiting", "cup", 9, 0)
	done := make(chan error)
	go func() { done <- c.Finish(t.Context(), r) }() // ends after release
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
	wantRecord(t, s.Reader, r)
	wantResults(t, s.Contests(), "cup", result(1, r))
}

func TestAChangeOfALockedFileIsTriedAgain(t *testing.T) {
	c := openContestsAt(t, filepath.Join(t.TempDir(), "record.db"))
	another, err := sql.Open("sqlite", c.d.String())
	if err != nil {
		t.Fatal(err)
	}
	defer another.Close()
	for _, tt := range []struct {
		timeout time.Duration
		want    int
	}{{0, 1}, {time.Hour, 3}} {
		attempts := 0
		err := c.update.change(t.Context(), tt.timeout, func(ctx context.Context, _ *sql.Tx) error {
			if attempts++; attempts < 3 {
				_, err := another.ExecContext(ctx, "BEGIN IMMEDIATE") // fails, because c has locked the file
				return err
			}
			return nil
		})
		if attempts != tt.want || (err == nil) != (tt.want == 3) || err != nil && !c.d.Busy(err) {
			t.Errorf("with %v: got %d attempts, %v, want %d", tt.timeout, attempts, err, tt.want)
		}
	}
}

func TestRetentionRemovesNoResults(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		create(t, s.Contests(), "cup", "enter")
		var want []Result
		for i := range 5 {
			r := played(fmt.Sprint("ID", i), "cup", i, 0)
			r.Ended = now.Add(-time.Duration(100-i) * 24 * time.Hour)
			finish(t, s, r)
			want = append(want, result(int64(i+1), r))
		}
		if n, err := s.retainer.retain(t.Context(), Retention{Keep: time.Hour}, now); n != 5 || err != nil {
			t.Errorf("got %d removed records, %v, want 5", n, err)
		}
		wantMatches(t, s.Reader, 0)
		wantResults(t, s.Contests(), "cup", want...)
		wantKinds(t, s.Contests(), "cup", "enter")
	})
}

func TestOnlyAContestThatDoesNotRunIsRemoved(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, _ := on.openTemp(t)
		c, ctx := s.Contests(), context.Background()
		create(t, c, "open", "enter")
		create(t, c, "running", "enter", "start", "pause")
		create(t, c, "ended", "enter", "start", "end")
		create(t, c, "canceled", "enter", "end")
		var last *record.Match
		for i := range 300 {
			last = played(fmt.Sprint("ID", i), []string{"running", "ended"}[i%2], i, 0)
			finish(t, s, last)
		}
		for _, tt := range []struct {
			name string
			want error
		}{{"open", nil}, {"running", ErrContestRunning}, {"ended", nil}, {"canceled", nil}, {"ended", ErrNoContest}} {
			if err := openContestsAt(t, path).Remove(ctx, tt.name); err != tt.want {
				t.Errorf("removing %s: got %v, want %v", tt.name, err, tt.want)
			}
		}
		if list, err := c.List(ctx); err != nil || len(list) != 1 || list[0].Name != "running" {
			t.Errorf("got the contests %+v, %v, want only the one that runs", list, err)
		}
		wantKinds(t, c, "running", "enter", "start", "pause")
		for table, want := range map[string]int{"contest_events": 3, "contest_results": 150, "matches": 300} {
			var got int
			if err := s.Reader.db.QueryRow("SELECT count(*) FROM " + table).Scan(&got); err != nil || got != want {
				t.Errorf("%s has %d rows, %v, want %d", table, got, err, want)
			}
		}
		// Nothing of it comes back with its name, and no number is used twice.
		create(t, c, "ended")
		wantKinds(t, c, "ended")
		wantResults(t, c, "ended")
		again := played("new", "ended", 0, 0)
		finish(t, s, again)
		wantResults(t, c, "ended", result(301, again))
	})
}

func TestTheRestOfARemovedContestIsNotReadAndRemovedLater(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		c := s.Contests()
		create(t, c, "gone")
		create(t, c, "kept")
		create(t, c, "empty")
		for i := range 100 {
			finish(t, s, played(fmt.Sprint("ID", i), []string{"gone", "kept"}[i%2], i, 0))
		}
		// As after a kill -9 during Remove.
		if _, err := s.db.Exec(`DELETE FROM contests WHERE name = 'gone'`); err != nil {
			t.Fatal(err)
		}
		count := func() (read int) {
			if err := c.GameResults(t.Context(), "damath", 0, func(r Result) error {
				read++
				if r.Contest != "kept" {
					t.Errorf("got a result of %q, want only of kept", r.Contest)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
			return read
		}
		if got := count(); got != 50 {
			t.Errorf("got %d results, want 50", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.Remove(ctx, "empty"); !errors.Is(err, context.Canceled) {
			t.Errorf("Remove that is cancelled: got %v, want %v", err, context.Canceled)
		}
		if err := c.Remove(t.Context(), "empty"); err != nil {
			t.Error(err)
		}
		var rows int
		if err := s.Reader.db.QueryRow("SELECT count(*) FROM contest_results").Scan(&rows); err != nil || rows != 50 || count() != 50 {
			t.Errorf("got %d rows and %d results, %v, want 50", rows, count(), err)
		}
		if on == onServer {
			return
		}
		for _, step := range plan(t, s.Reader.db, removedSQL) {
			if strings.HasPrefix(step, "SCAN contest_results") || strings.HasPrefix(step, "SCAN r") {
				t.Errorf("looking for removed contests: got the step %q, want no scan", step)
			}
		}
	})
}

func TestResultsAreFoundByIndex(t *testing.T) {
	s, _, _ := openTemp(t)
	for which, want := range map[string]string{
		"contest": "SEARCH contest_results USING INDEX contest_results_contest (contest=? AND rowid>?)",
		"game":    "SEARCH contest_results USING INDEX contest_results_game (game=? AND rowid>?)",
	} {
		if got := plan(t, s.Reader.db, resultsSQL(which), 1, 2); !slices.Equal(got, []string{want}) {
			t.Errorf("by %s: got the plan %q, want %q", which, got, want)
		}
	}
}

func TestTheVersionChangesWithEveryCommitOfAnyProcess(t *testing.T) {
	onBothAlone(t, func(t *testing.T, on kind) {
		s, path, _ := on.openTemp(t)
		other := openContestsAt(t, path)
		ctx := context.Background()
		views := map[string]*Contests{"the host": s.Contests(), "another process": other}
		last := map[string]int64{}
		check := func(after string, change bool) {
			t.Helper()
			for name, c := range views {
				got, err := c.Version(ctx)
				if err != nil || (got != last[name]) != change {
					t.Errorf("%s, after %s: got version %d, %v, before %d, want a change: %v", name, after, got, err, last[name], change)
				}
				last[name] = got
			}
		}
		check("the start", true)
		check("nothing", false)
		create(t, s.Contests(), "cup")
		check("Create by the host", true)
		if err := other.Append(ctx, "cup", 0, happen("start")); err != nil {
			t.Fatal(err)
		}
		check("Append by another process", true)
		if on == inFile { // in PostgreSQL, what was rolled back can change it
			if err := other.Append(ctx, "cup", 0, happen("start")); err != ErrChanged {
				t.Fatal(err)
			}
		}
		wantKinds(t, other, "cup", "start")
		wantResults(t, s.Contests(), "cup")
		check("reading", false)
		finish(t, s, sample("A"))
		check("a record by the host", true)
		if err := other.Finish(ctx, sample("B")); err != nil {
			t.Fatal(err)
		}
		check("a record by another process", true)
		add(t, s.Players(), "Ana")
		check("a player", true)
	})
}

func TestTheGenerationChangesWhenAnotherProcessHasWritten(t *testing.T) {
	onBothAlone(t, func(t *testing.T, on kind) {
		s, path, _ := on.openTemp(t)
		other := openContestsAt(t, path)
		last := s.Generation()
		check := func(after string, change bool) {
			t.Helper()
			if err := s.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.Generation(); (got != last) != change {
				t.Errorf("after %s: got generation %d, before %d, want a change: %v", after, got, last, change)
			}
			last = s.Generation()
		}
		check("nothing", false)
		create(t, s.Contests(), "cup")
		add(t, s.Players(), "Ana")
		check("changes by the host that are no records", on == onServer)
		finish(t, s, sample("A"))
		last = s.Generation()
		check("a record by the host", on == onServer)
		if err := other.Finish(t.Context(), sample("B")); err != nil {
			t.Fatal(err)
		}
		if got := s.Generation(); got != last {
			t.Errorf("got generation %d before Refresh, want %d", got, last)
		}
		finish(t, s, sample("C"))
		last = s.Generation()
		check("a record by another process", true)
		check("nothing more", false)
		if err := s.Contests().Finish(t.Context(), sample("D")); err != nil {
			t.Fatal(err)
		}
		check("a record by the host's contests", true)
		check("nothing more", false)
	})
}

func TestAnOlderFileGetsContestsAndKeepsItsRecords(t *testing.T) {
	const before = 5 // the version without contests
	for name, open := range map[string]func(path string) (*Contests, io.Closer){
		"by a host":          func(path string) (*Contests, io.Closer) { s := reopen(t, path, io.Discard); return s.Contests(), s },
		"by another process": func(path string) (*Contests, io.Closer) { c := openContestsAt(t, path); return c, c },
	} {
		t.Run(name, func(t *testing.T) {
			path := oldFile(t, before, 3)
			execute(t, path, "INSERT INTO players (name, created) VALUES ('Ana', 1)")
			c, file := open(path)
			create(t, c, "cup", "enter")
			r := played("ID", "cup", 0, 0)
			if err := c.Finish(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			file.Close()
			s := reopen(t, path, io.Discard)
			wantMatches(t, s.Reader, 4)
			wantRecord(t, s.Reader, r)
			wantOwner(t, s.Players(), "ana", "Ana")
			wantResults(t, s.Contests(), "cup", result(1, r))
			page, _, err := s.Select(t.Context(), Query{Game: "game1", Limit: 10})
			if err != nil || len(page) != 1 || page[0].Fixture != nil {
				t.Errorf("got %+v, %v, want an old record without a fixture", page, err)
			}
			if page, _, err = s.Select(t.Context(), Query{Game: r.Game, Limit: 10}); err != nil || len(page) != 1 || !reflect.DeepEqual(page[0].Fixture, r.Fixture) {
				t.Errorf("got %+v, %v, want the new record with %+v", page, err, r.Fixture)
			}
		})
	}
	t.Run("not while a host of an older version runs", func(t *testing.T) {
		path := oldFile(t, before, 3)
		release, err := sqlite.Lock(path)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		_, err = OpenContests(t.Context(), path, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), "must be created or updated first: another host (process "+fmt.Sprint(os.Getpid())) {
			t.Errorf("got %v, want an error about the host", err)
		}
	})
	t.Run("not if a newer host wrote it", func(t *testing.T) {
		s, path, _ := openTemp(t)
		execute(t, path, "PRAGMA user_version = 99")
		_, err := OpenContests(t.Context(), path, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), "a newer host wrote it") {
			t.Errorf("got %v, want an error about the version", err)
		}
		s.Close()
	})
}

func TestABackupHasContests(t *testing.T) {
	s, path, _ := openTemp(t)
	create(t, s.Contests(), "cup", "enter", "start")
	r := played("ID", "cup", 2, 1)
	finish(t, s, r)
	to := filepath.Join(t.TempDir(), "copy.db")
	if _, err := sqlite.Backup(t.Context(), path, to, false, nil); err != nil {
		t.Fatal(err)
	}
	restored := reopen(t, to, new(bytes.Buffer))
	wantRecord(t, restored.Reader, r)
	wantResults(t, restored.Contests(), "cup", result(1, r))
	wantKinds(t, restored.Contests(), "cup", "enter", "start")
	want := cup("cup")
	want.Last = 2
	if got, err := restored.Contests().Contest(t.Context(), "cup"); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	create(t, restored.Contests(), "next") // numbers go on
	again := played("next", "next", 0, 0)
	finish(t, restored, again)
	wantResults(t, restored.Contests(), "next", result(2, again))
}

// TestAContestWithRunningMatchesIsNotRemoved: otherwise they would count for the next
// contest with its name.
func TestAContestWithRunningMatchesIsNotRemoved(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, _ := on.openTemp(t)
		c, ctx := s.Contests(), t.Context()
		create(t, c, "cup", "enter", "start", "end")
		create(t, c, "other", "enter")
		for _, name := range []string{"cup", "other"} {
			ended := played(name, name, 0, 0)
			finish(t, s, ended)
		}
		r := played("runs", "cup", 1, 0)
		begun := *r
		begun.State, begun.Ended = record.Running, time.Time{}
		s.Begin(&begun)
		finish(t, s, sample("next")) // commits both
		if err := openContestsAt(t, path).Remove(ctx, "cup"); err != ErrMatchesRun {
			t.Errorf("removing it while a match runs: got %v, want %v", err, ErrMatchesRun)
		}
		if err := c.Remove(ctx, "other"); err != nil {
			t.Errorf("removing the other one: got %v, want no error", err)
		}
		finish(t, s, r)
		if err := c.Remove(ctx, "cup"); err != nil {
			t.Errorf("removing it afterwards: got %v, want no error", err)
		}
	})
}
