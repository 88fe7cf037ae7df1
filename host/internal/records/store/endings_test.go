package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"modernc.org/sqlite"

	"colosseum/host/internal/records/record"
	"colosseum/internal/test/race"
)

// everyQuery calls f with every combination of filters. Each filter selects some of
// the matches that populate writes; the cursor and the times cut off both ends.
func everyQuery(f func(name string, q Query)) {
	filters := []struct {
		name string
		set  func(*Query)
	}{
		{"game", func(q *Query) { q.Game = "game1" }},
		{"player", func(q *Query) { q.Player = "heavy" }},
		{"state", func(q *Query) { q.State = record.Aborted }},
		{"since", func(q *Query) { q.Since = populated.Add(10 * time.Millisecond) }},
		{"until", func(q *Query) { q.Until = populated.Add(900 * time.Millisecond) }},
		{"after", func(q *Query) { q.After = fmt.Sprint(populated.Add(800*time.Millisecond).UnixNano(), ".800") }},
	}
	for set := range 1 << len(filters) {
		var q Query
		name := "all"
		for i, filter := range filters {
			if set&(1<<i) != 0 {
				filter.set(&q)
				name += " " + filter.name
			}
		}
		f(name, q)
	}
}

// populated is when the first match of populate ended; the others follow a
// millisecond apart.
var populated = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// populate writes the matches with the numbers first to last, at three games. In
// all of them "heavy" plays against one of a hundred others. Every tenth is aborted,
// and all those of game2.
func populate(t testing.TB, db *sql.DB, first, last int) {
	t.Helper()
	if inServer(db) {
		populateServer(t, db, first, last)
		return
	}
	_, err := db.Exec(`INSERT INTO matches (id, name, game, plugin, version, args, params, timeout, seed, verified, seats, started, ended, state, reason, answers, stream)
		WITH RECURSIVE n(n) AS (SELECT ? UNION ALL SELECT n + 1 FROM n WHERE n < ?)
		SELECT 'id' || n, 'm', 'game' || (n % 3), 'p', 'v', 'null', 'null', 1, 0, 0,
			json_array(json_object('name', 'heavy', 'bot', json('false'), 'score', 1, 'rank', 1, 'ended', 'finished'),
				json_object('name', 'other' || (n % 100), 'bot', json('false'), 'score', 0, 'rank', 2, 'ended', 'finished')),
			?, ? + n * 1000000, iif(n % 3 = 2 OR n % 10 = 0, 'aborted', 'finished'), '', zeroblob(3000), zeroblob(3000) FROM n`,
		first, last, populated.UnixNano(), populated.UnixNano())
	if err != nil {
		t.Fatal(err)
	}
}

func populateServer(t testing.TB, db *sql.DB, first, last int) {
	t.Helper()
	if _, err := db.Exec(`INSERT INTO matches (id, name, game, plugin, version, args, params, timeout, seed, verified, seats, started, ended, state, reason, answers, stream)
		SELECT 'id' || n, 'm', 'game' || (n % 3), 'p', 'v', 'null', 'null', 1, 0, FALSE,
			json_build_array(json_build_object('name', 'heavy', 'bot', FALSE, 'score', 1, 'rank', 1, 'ended', 'finished'),
				json_build_object('name', 'other' || (n % 100), 'bot', FALSE, 'score', 0, 'rank', 2, 'ended', 'finished')),
			$3::bigint, $3 + n * 1000000, CASE WHEN n % 3 = 2 OR n % 10 = 0 THEN 'aborted' ELSE 'finished' END, '', decode(repeat('00', 3000), 'hex'), decode(repeat('00', 3000), 'hex')
			FROM generate_series($1::bigint, $2::bigint) n`,
		first, last, populated.UnixNano()); err != nil {
		t.Fatal(err)
	}
}

// plan returns how SQLite would run a query.
func plan(t *testing.T, db *sql.DB, text string, args ...any) []string {
	t.Helper()
	rows, err := db.Query("EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, detail)
	}
	return steps
}

func TestNoQueryScansOrSorts(t *testing.T) {
	s, _, _ := openTemp(t)
	check := func(name string, steps []string) {
		for _, step := range steps {
			bound := strings.HasPrefix(step, "SEARCH e USING") && strings.Contains(step, "(player=?") && strings.Contains(step, "aborted=? AND ended>? AND (ended,match)<(?,?))")
			if !bound && step != "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)" && step != "MERGE (UNION ALL)" && step != "LEFT" && step != "RIGHT" {
				t.Errorf("%s: got the step %q in the query plan, want only searches by index", name, step)
			}
		}
	}
	everyQuery(func(name string, q Query) {
		args, err := q.args(10)
		if err != nil {
			t.Fatal(err)
		}
		check(name, plan(t, s.Reader.db, q.shape().sql(s.d.Texts()), args...))
	})
	for _, step := range plan(t, s.Reader.db, listSQL(s.d.Texts()), 10) {
		if strings.Contains(step, "SCAN") || strings.Contains(step, "TEMP") || strings.Contains(step, "SEARCH") && !strings.Contains(step, "endings USING PRIMARY KEY") {
			t.Errorf("the list of IDs: got the step %q in the query plan, want only searches by primary key", step)
		}
	}
	if steps := plan(t, s.db, "UPDATE matches SET state = 'aborted' WHERE ended IS NULL"); len(steps) != 1 || !strings.Contains(steps[0], "matches_running") {
		t.Errorf("aborting running matches: got the query plan %q, want the index matches_running", steps)
	}
}

// pagesRead returns how many pages of the file a function looks at.
func pagesRead(t *testing.T, r *Reader, f func()) int {
	t.Helper()
	r.db.SetMaxOpenConns(1) // the counters are those of a connection
	conn, err := r.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	count := func() (n int) {
		if err := conn.Raw(func(driver any) error {
			for _, op := range []sqlite.DBStatusOp{sqlite.DBStatusCacheHit, sqlite.DBStatusCacheMiss} {
				current, _, err := driver.(sqlite.DBStatus).Status(op, true)
				if err != nil {
					return err
				}
				n += current
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	count()
	if err := conn.Close(); err != nil { // back into the pool, for f
		t.Fatal(err)
	}
	f()
	if conn, err = r.db.Conn(context.Background()); err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return count()
}

func TestCostOfAPageDoesNotGrowWithTheRecord(t *testing.T) {
	const small, large = 1000, 5000
	s, _, _ := openTemp(t)
	costs := map[string]int{}
	measure := func(size int) {
		cost := func(name string, q Query) {
			q.Limit = 20
			var page []*record.Match
			n := pagesRead(t, s.Reader, func() {
				var err error
				if page, _, err = s.Select(context.Background(), q); err != nil {
					t.Fatal(err)
				}
			})
			// One more level of each tree for each row, and for the start of the page.
			if before, ok := costs[name]; ok && n > 2*before+20 {
				t.Errorf("%s: a page of %d matches reads %d pages of a file with %d matches, want at most %d (%d with %d matches)", name, len(page), n, size, 2*before+20, before, small)
			}
			costs[name] = n
		}
		everyQuery(cost)
		cost("rare: of a player at a game that ends otherwise", Query{Player: "heavy", Game: "game2", State: record.Finished})
		cost("rare: of nobody", Query{Player: "nobody"})
		cost("rare: of no game", Query{Game: "nothing", State: record.Finished})
		cost("rare: the last page", Query{Player: "heavy", After: fmt.Sprint(populated.Add(2*time.Millisecond).UnixNano(), ".2")})
	}
	populate(t, s.db, 1, small)
	measure(small)
	populate(t, s.db, small+1, large)
	// Many matches can end at the same moment, because a killed host left them. A
	// page of them must not read them all.
	if _, err := s.db.Exec(`UPDATE matches SET ended = ? WHERE number > 3000`, populated.Add(time.Hour).UnixNano()); err != nil {
		t.Fatal(err)
	}
	measure(large)
	n := pagesRead(t, s.Reader, func() {
		if page, _, err := s.Select(context.Background(), Query{After: fmt.Sprint(populated.Add(time.Hour).UnixNano(), ".3300"), Limit: 20}); err != nil || len(page) != 20 || page[0].ID != "id3299" {
			t.Fatalf("got %v, %v, want 20 matches from id3299", ids(page), err)
		}
	})
	if before := costs["all"]; n > 2*before+20 {
		t.Errorf("a page of matches with the same end reads %d pages of the file, want at most %d (the first page reads %d)", n, 2*before+20, before)
	}
}

func TestSelectFindsTheSameMatchesAsASearchThroughAll(t *testing.T) {
	race.Skip(t, "one goroutine asks")
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		populate(t, s.db, 1, 1000)
		everyQuery(func(name string, q Query) {
			// The matches of populate, filtered one by one.
			var want []string
			for n := 1000; n > 0; n-- {
				ended := populated.Add(time.Duration(n) * time.Millisecond)
				aborted := n%3 == 2 || n%10 == 0
				if (q.Game == "" || n%3 == 1) && (q.State == "" || aborted) && (q.Since.IsZero() || !ended.Before(q.Since)) &&
					(q.Until.IsZero() || ended.Before(q.Until)) && (q.After == "" || n < 800) {
					want = append(want, fmt.Sprint("id", n))
				}
			}
			var got []string
			q.Limit = 100
			for {
				page, next, err := s.Select(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, ids(page)...)
				if q.After = next; next == "" {
					break
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %d matches %v, want %d %v", name, len(got), got, len(want), want)
			}
		})
	})
}

func TestPagesKeepWhatIsWantedAndReadABoundedNumber(t *testing.T) {
	race.Skip(t, "one goroutine asks")
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		populate(t, s.db, 1, 1300)
		for opponent, want := range map[string]int{"other7": 13, "nobody": 0} {
			for _, limit := range []int{1, 5, 500} {
				read, pages := 0, 0
				q := Query{Player: "heavy", Limit: limit, Keep: func(m *record.Match) bool {
					read++
					return m.Seats[1].Name == opponent
				}}
				var got []string
				for {
					before := read
					page, next, err := s.Select(t.Context(), q)
					if err != nil || len(page) > limit || read-before > maxScanned {
						t.Fatalf("got a page of %d, %v, after reading %d; want at most %d, after at most %d", len(page), err, read-before, limit, maxScanned)
					}
					pages++
					got = append(got, ids(page)...)
					if q.After = next; next == "" {
						break
					}
				}
				if len(got) != want || want > 0 && (got[0] != "id1207" || got[12] != "id7") || limit == 500 && pages != 3 {
					t.Errorf("%s, limit %d: got %v on %d pages, want %d matches from id1207 to id7", opponent, limit, got, pages, want)
				}
			}
		}
	})
}

// endings returns the rows of the table for a match.
func endings(t *testing.T, db *sql.DB, id string) []string {
	t.Helper()
	rows, err := db.Query(`SELECT e.player || '|' || e.game || '|' || CASE WHEN e.aborted THEN 1 ELSE 0 END || '|' || CASE WHEN e.ended = m.ended THEN 1 ELSE 0 END FROM endings e
		LEFT JOIN matches m ON m.number = e.match WHERE e.id = $1 ORDER BY e.player`, id)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	list := []string{}
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	return list
}

func TestEveryChangeOfAMatchChangesItsEndings(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, log := on.openTemp(t)
		want := func(when string, want ...string) {
			t.Helper()
			if want == nil {
				want = []string{}
			}
			if got := endings(t, s.db, "ID"); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %q, want %q", when, got, want)
			}
		}
		r := sample("ID")
		r.Seats = []record.Seat{{Name: "Ann"}, {Name: `B"<ó`}, {Name: "Ann"}, {Name: ""}}
		s.Begin(r)
		finish(t, s, sample("other"))
		want("when it began")
		finish(t, s, r)
		want("when it ended", "|damath|0|1", "Ann|damath|0|1", `B"<ó|damath|0|1`)
		r.Seats, r.State, r.Ended = r.Seats[:1], record.Aborted, r.Ended.Add(time.Hour)
		finish(t, s, r)
		want("when it was recorded again", "|damath|1|1", "Ann|damath|1|1")
		if _, err := s.db.Exec(`UPDATE matches SET seats = '["x", 7, {"name": 8}, {"bot": 1}, null'||']', game = 'other' WHERE id = 'ID'`); err != nil {
			t.Error(err)
		}
		want("when its seats were changed to invalid ones", "|other|1|1", "8|other|1|1")
		if _, err := s.db.Exec(`UPDATE matches SET seats = '{' WHERE id = 'ID'`); err != nil {
			t.Error(err)
		}
		want("when its seats were damaged", "|other|1|1")
		if _, err := s.db.Exec(`DELETE FROM matches WHERE id = 'ID'`); err != nil {
			t.Error(err)
		}
		want("when it was deleted")

		r.ID = "ID"
		s.Begin(r)
		s.Close()
		s = reopen(t, path, log)
		want("after the host was killed", "|damath|1|1", "Ann|damath|1|1")
	})
}

// oldFile makes a file of an older version of the schema, with matches.
func oldFile(t *testing.T, version, matches int) (path string) {
	t.Helper()
	schema, err := os.ReadFile(fmt.Sprintf("testdata/version%d.sql", version))
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "record.db")
	execute(t, path, string(schema))
	populate(t, connectTo(t, path), 1, matches)
	return path
}

func TestMigrationAddsTheEndings(t *testing.T) {
	path := oldFile(t, 2, 1000)
	execute(t, path, `UPDATE matches SET seats = '{' WHERE number = 1000; UPDATE matches SET seats = '["x"]' WHERE number = 999;
		INSERT INTO matches SELECT 5000, 'left', name, game, plugin, version, args, params, timeout, seed, verified, seats, started, NULL, 'running', '', NULL, NULL
			FROM matches WHERE number = 1`)
	before := time.Now()
	log := new(journal)
	s := reopen(t, path, log)
	page, _, err := s.Select(context.Background(), Query{Player: "heavy", Limit: 2})
	if err != nil || len(page) != 2 || page[0].ID != "left" || page[0].Ended.Before(before) || page[1].ID != "id998" {
		t.Errorf("got %v, error %v, want left and id998", ids(page), err)
	}
	if ids, err := s.List(context.Background(), 2); err != nil || !reflect.DeepEqual(ids, []string{"left", "id1000"}) {
		t.Errorf("List: got %v, %v, want left and id1000", ids, err)
	}
	// The rows are the same as if this version had written the matches.
	fresh, _, _ := openTemp(t)
	populate(t, fresh.db, 1, 998)
	const all = `SELECT group_concat(player || aborted || ended || match || game || id) FROM endings WHERE match <= 998`
	var old, want string
	if err := s.db.QueryRow(all).Scan(&old); err != nil {
		t.Fatal(err)
	}
	if err := fresh.db.QueryRow(all).Scan(&want); err != nil {
		t.Fatal(err)
	}
	if old != want {
		t.Errorf("got the endings %.200s…, want those of a new file, %.200s…", old, want)
	}
	if got := log.String(); strings.Contains(got, "index of players") {
		t.Errorf("got log %s, want no progress logged for a small file", got)
	}
}

func TestLongMigrationLogsItsProgress(t *testing.T) {
	path := oldFile(t, 2, 3)
	execute(t, path, `UPDATE matches SET number = 20001 WHERE number = 3`) // the work is divided by numbers
	log := new(journal)
	reopen(t, path, log)
	if got := log.String(); !strings.Contains(got, "matches=20000 of=20001") || !strings.Contains(got, "matches=20001 of=20001") {
		t.Errorf("got log %s, want the progress up to number 20001", got)
	}
}

func TestOpenReaderExplainsHowToUpdateAnOldFile(t *testing.T) {
	path := oldFile(t, 2, 1)
	if _, err := OpenReader(context.Background(), path); err == nil || !strings.Contains(err.Error(), "start the host once") {
		t.Errorf("got %v, want an error that says to start the host once", err)
	}
	reopen(t, path, new(journal))
	r, err := OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if page, _, err := r.Select(context.Background(), Query{Player: "other1"}); err != nil || len(page) != 1 {
		t.Errorf("got %v, error %v, want 1 match", ids(page), err)
	}
}

func TestTheGenerationChangesWithEveryMatchThatEnds(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		before := s.Generation()
		s.Begin(sample("ID"))
		if _, err := s.List(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
		if got := s.Generation(); got != before {
			t.Errorf("got generation %d after a Begin, want %d as before", got, before)
		}
		for range 2 { // the second replaces the first
			finish(t, s, sample("ID"))
			if got := s.Generation(); got == before {
				t.Errorf("got generation %d after a match ended, want another one", got)
			}
			before = s.Generation()
		}
	})
}
