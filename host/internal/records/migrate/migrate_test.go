package migrate

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"colosseum/host/internal/records/postgres"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/internal/test/pgserver"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
	"colosseum/sdk/driver"
)

// The test binary is also a migration that is killed.
const childEnv = "MIGRATE_TEST_CHILD"

// server is shared by all tests; nil: PostgreSQL is not installed.
var server *pgserver.Server

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		_, err := run(context.Background(), os.Args[1], os.Args[2], quiet, func(p Progress) { fmt.Println(p) }, small)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	waits.Together()
	os.Exit(withServer(m.Run))
}

func withServer(run func() int) int {
	bin := pgserver.Installed()
	if bin == "" {
		return run()
	}
	dir, err := os.MkdirTemp("", "pg")
	if err == nil {
		defer os.RemoveAll(dir)
		server, err = pgserver.New(bin, dir, false)
	}
	if err == nil {
		defer server.Stop()
		err = server.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}

// database returns the URL of an empty database.
func database(t testing.TB) string {
	t.Helper()
	if server == nil {
		t.Skip("PostgreSQL is not installed: install the package postgresql")
	}
	return server.Database(t)
}

// small makes many transactions of few rows.
var small = limits{197, usual.wait}

var quiet = slog.New(slog.DiscardHandler)

// content is what fill writes.
type content struct {
	matches []*record.Match // as PostgreSQL returns them
	running map[string]bool
}

// pick returns one of some values.
func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// random returns a record of a match that ended.
func random(r *rand.Rand, i int) *record.Match {
	started := time.Date(2026, 1, 1, 0, 0, i, r.IntN(1e9), time.UTC)
	m := &record.Match{
		ID: fmt.Sprintf("m%05d-%06x", i, r.IntN(1<<24)), Name: pick(r, "", "a game", "Žofie \x00 & 象", "half \xff"), Game: pick(r, "dama", "chess"), Plugin: "dama", Version: "v1",
		Timeout: r.Float64() * 60, Seed: r.Uint64(), Verified: r.IntN(4) == 0, State: record.Finished, Reason: pick(r, "", "won", "no \x00 moves"),
		Seats:   []record.Seat{{Name: pick(r, "Ann", "ann", "Ben", "bot \x01"), Score: r.NormFloat64(), Rank: 1, Ended: "finished"}, {Name: "Eve", Bot: true, Rank: 2, Ended: "forfeit: timeout"}},
		Started: started, Ended: started.Add(time.Duration(1 + r.IntN(1e12))),
	}
	if r.IntN(2) == 0 {
		m.Args, m.Params = map[string]string{"rules": "x", "text": "\u0000 \xff"}, map[string]string{"rules": "y"}
		m.Stream = bytes.Repeat([]byte{byte(r.IntN(256)), 0, 255}, r.IntN(500)+1)
	}
	for j := range r.IntN(20) {
		m.Answers = append(m.Answers, record.Answer{Seat: j % 2, Line: fmt.Sprint(r.Uint64()), At: time.Duration(j) * time.Second})
	}
	switch r.IntN(5) {
	case 0:
		m.State = record.Aborted
	case 1:
		m.Clock = &record.Clock{Bank: 60, Increment: 0.5}
		for j := range m.Answers {
			m.Answers[j].Left = time.Duration(r.IntN(60)) * time.Second
		}
	case 2:
		m.Fixture = &record.Fixture{Contest: pick(r, "cup", "ladder", "removed"), Pairing: i, Leg: r.IntN(2), Entries: []int{r.IntN(9), r.IntN(300)}}
	case 3:
		m.Started = time.Time{}
	}
	return m
}

// filled is a file of fill with n matches, which tests copy.
type filled struct {
	n     int
	mu    sync.Mutex // guards the fields below
	bytes []byte     // nil: none has used it yet
	content
}

var (
	noMatches   = filled{n: 0}
	fewMatches  = filled{n: 150}
	manyMatches = filled{n: 1000} // enough for many chunks
)

// copy writes the file to a path.
func (f *filled) copy(t testing.TB, path string) content {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.bytes == nil {
		original := filepath.Join(t.TempDir(), "filled.db")
		all := fill(t, original, f.n)
		data, err := os.ReadFile(original)
		check(t, err)
		f.bytes, f.content = data, all
	}
	check(t, os.WriteFile(path, f.bytes, 0o600))
	return f.content
}

// fill creates a file with everything that a file can have: n matches, a few of which run
// or are removed, players and contests.
func fill(t testing.TB, path string, n int) (all content) {
	t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, path, quiet)
	check(t, err)
	r := rand.New(rand.NewPCG(14, 1))
	var players []store.NewPlayer
	for i := range 300 {
		players = append(players, store.NewPlayer{Name: fmt.Sprintf("%s%d_%c", pick(r, "P", "p", "_", "-", "Z", "a"), i, 'a'+rune(r.IntN(26))), Token: sha256.Sum256(fmt.Append(nil, "token", i))})
	}
	check(t, s.Players().Add(ctx, players, nil))
	var invites []store.Secret
	for i := range 200 {
		invites = append(invites, sha256.Sum256(fmt.Append(nil, "invite", i)))
	}
	check(t, s.Players().AddInvites(ctx, invites))
	check(t, s.Players().Add(ctx, []store.NewPlayer{{Name: "invited", Token: sha256.Sum256([]byte("x"))}}, &invites[7]))
	_, err = s.Players().Remove(ctx, []string{players[5].Name, players[77].Name})
	check(t, err)
	check(t, s.Players().SetSeen(ctx, map[string]time.Time{players[9].Name: time.Unix(5, 6)}, nil))
	for i, token := range []store.Token{{ID: "a", Player: players[9].Name, Label: "é ", Scopes: []string{"play"}, Created: time.Unix(1, 2)}, {ID: "b", Player: players[9].Name, Created: time.Unix(3, 4), Expires: time.Unix(1<<33, 5)}} {
		check(t, s.Players().AddToken(ctx, sha256.Sum256(fmt.Append(nil, "more", i)), token, 2))
	}
	check(t, s.Players().SetSeen(ctx, nil, map[string]time.Time{"a": time.Unix(7, 8)}))
	for _, name := range []string{"removed", "cup", "ladder"} {
		var events []store.Event
		for i := range 250 {
			events = append(events, store.Event{At: time.Unix(int64(i), 1), Kind: "round", Data: json.RawMessage(fmt.Sprintf(`{"round": %d, "text": "\u0000 é"}`, i))})
		}
		check(t, s.Contests().Create(ctx, store.Contest{Name: name, Game: "dama", Spec: "name: " + name + "\n", Seed: r.Uint64(), Created: time.Unix(1, 2)}, events))
	}
	all.running = map[string]bool{}
	var writing sync.WaitGroup
	slots := make(chan struct{}, 200)
	for i := range n {
		m := random(r, i)
		if i%101 == 7 {
			all.running[m.ID], m.Fixture = true, nil // the contest of a running match cannot be removed
			s.Begin(m)
		} else {
			slots <- struct{}{}
			writing.Go(func() {
				if err := s.Finish(ctx, m); err != nil {
					t.Error(err)
				}
				<-slots
			})
		}
		all.matches = append(all.matches, m)
	}
	writing.Wait()
	check(t, s.Contests().Remove(ctx, "removed"))
	fillSubmissions(t, s.Submissions())
	check(t, s.Close())
	db, err := sql.Open("sqlite", path)
	check(t, err)
	defer db.Close()
	// Records that were removed leave gaps. The last ones were the last with their numbers.
	_, err = db.Exec(`DELETE FROM matches WHERE number % 13 = 5; DELETE FROM contest_results WHERE number = (SELECT max(number) FROM contest_results)`)
	check(t, err)
	kept := all.matches[:0]
	for _, m := range all.matches {
		var has bool
		check(t, db.QueryRow(`SELECT EXISTS (SELECT 1 FROM matches WHERE id = ?)`, m.ID).Scan(&has))
		if has {
			kept = append(kept, m)
		}
	}
	all.matches = kept
	return all
}

// fillSubmissions hands in programs, of which some are accepted, refused or removed.
func fillSubmissions(t testing.TB, s *store.Submissions) {
	t.Helper()
	ctx := context.Background()
	for i := range 20 {
		source := bytes.Repeat([]byte{byte(i), 0, 255}, 100_000/(1+i*100)) // the first of two blocks
		_, err := s.Add(ctx, store.NewSubmission{Player: fmt.Sprint("P", i%3), Game: "dama", Hash: sha256.Sum256(source), Language: "go", Source: source}, store.SubmissionQuotas{})
		check(t, err)
		one, _, err := s.Claim(ctx, "h")
		check(t, err)
		check(t, s.AddLog(ctx, one.Number, bytes.Repeat([]byte("\xff"), 1+i*3000)))
		switch i % 4 {
		case 0:
			check(t, s.SetState(ctx, one.Number, "h", store.Refused, store.FaultOfProgram, "no \x00 main"))
		case 1:
			_, err = s.Accept(ctx, one.Number, "h", []string{"./run", "\x00é"}, source[1:])
			check(t, err)
		case 2:
			check(t, s.Remove(ctx, one.Number))
			continue
		}
		for j := range 5 {
			check(t, s.AddJournal(ctx, one.Number, fmt.Sprint("m", j), "panic: \x00\xff"))
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func query(t testing.TB, url, text string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	check(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(context.Background(), text, args...)
	check(t, err)
}

// wantSame compares both sides as readers see them.
func wantSame(t *testing.T, path, url string, all content) {
	t.Helper()
	ctx := t.Context()
	from, err := store.OpenReader(ctx, path)
	check(t, err)
	defer from.Close()
	to, err := store.OpenReader(ctx, url)
	check(t, err)
	defer to.Close()
	for _, m := range all.matches {
		want, err := from.Get(ctx, m.ID)
		check(t, err)
		got, err := to.Get(ctx, m.ID)
		check(t, err)
		if all.running[m.ID] {
			if got.Ended.IsZero() {
				t.Errorf("match %s: got %v, want that it has ended", m.ID, got.State)
			}
			want.State, want.Reason, want.Ended = record.Aborted, "the host stopped during the match", got.Ended
		}
		want.Name, want.Reason = postgres.CleanText(want.Name), postgres.CleanText(want.Reason)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("match %s: got\n%+v\nwant\n%+v", m.ID, got, want)
		}
	}
	for _, q := range []store.Query{{}, {Player: "Ann"}, {Player: "bot \x01", Game: "dama"}, {State: record.Finished, Game: "chess"}} {
		q.Until = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) // without those that were running
		if got, want := pages(t, to, q), pages(t, from, q); !reflect.DeepEqual(got, want) || len(want) < 100 {
			t.Errorf("%+v: got %d matches and cursors, want the same %d", q, len(got), len(want))
		}
	}
	if got, want := others(t, url), others(t, path); !reflect.DeepEqual(got, want) || len(want) < 1000 {
		t.Errorf("got %d players, contests, events and results, want %d: %s", len(got), len(want), difference(got, want))
	}
}

func difference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("\n%s instead of\n%s", got[i], want[i])
		}
	}
	return ""
}

// pages returns the IDs and cursors of a list.
func pages(t *testing.T, r *store.Reader, q store.Query) (list []string) {
	t.Helper()
	for q.Limit = 10; ; {
		page, next, err := r.Select(t.Context(), q)
		check(t, err)
		for _, m := range page {
			list = append(list, m.ID)
		}
		if next == "" {
			return list
		}
		list = append(list, next)
		q.After = next
	}
}

// others returns everything except the matches, as readers see it.
func others(t *testing.T, where string) (list []string) {
	t.Helper()
	ctx := t.Context()
	players, err := store.OpenPlayers(ctx, where, quiet)
	check(t, err)
	defer players.Close()
	registered, err := players.List(ctx)
	check(t, err)
	for _, p := range registered {
		tokens, err := players.Tokens(ctx, p.Name)
		check(t, err)
		list = append(list, fmt.Sprint(p, tokens))
	}
	for i := range 300 {
		token, err := players.ByToken(ctx, sha256.Sum256(fmt.Append(nil, "token", i)))
		check(t, err)
		invited, err := players.HasInvite(ctx, sha256.Sum256(fmt.Append(nil, "invite", i)))
		check(t, err)
		list = append(list, fmt.Sprint(i, token.Player, invited))
	}
	contests, err := store.OpenContests(ctx, where, quiet)
	check(t, err)
	defer contests.Close()
	all, err := contests.List(ctx)
	check(t, err)
	for _, c := range all {
		list = append(list, fmt.Sprint(c))
		events, err := contests.Events(ctx, c.Name, 0)
		check(t, err)
		for _, e := range events {
			list = append(list, fmt.Sprintf("%s %d %v %s %s", c.Name, e.Number, e.At, e.Kind, e.Data))
		}
		results, err := contests.Results(ctx, c.Name, 0)
		check(t, err)
		for _, r := range results {
			list = append(list, fmt.Sprint(r))
		}
	}
	handed, err := store.OpenSubmissions(ctx, where, quiet)
	check(t, err)
	defer handed.Close()
	submissions, err := handed.List(ctx, store.SubmissionQuery{})
	check(t, err)
	for _, one := range submissions {
		text, total, err := handed.Log(ctx, one.Number, 0)
		check(t, err)
		journals, err := handed.Journals(ctx, one.Number)
		check(t, err)
		journal, _, err := handed.Journal(ctx, one.Number, "m3")
		check(t, err)
		source, program := []byte(nil), []byte(nil)
		if one.State != store.Removed {
			source, err = handed.Source(ctx, one.Number)
			check(t, err)
		}
		if one.State == store.Accepted {
			program, err = handed.Program(ctx, one.Number)
			check(t, err)
		}
		one.Reason = postgres.CleanText(one.Reason)
		list = append(list, fmt.Sprintf("%v %x %d %v %q %x %x", one, sha256.Sum256(text), total, journals, journal, sha256.Sum256(source), sha256.Sum256(program)))
	}
	return list
}

func sumOf(t *testing.T, path string) [sha256.Size]byte {
	t.Helper()
	b, err := os.ReadFile(path)
	check(t, err)
	return sha256.Sum256(b)
}

func TestInterruptedMigrationGoesOnAndMovesEverything(t *testing.T) {
	t.Parallel()
	url, path := database(t), filepath.Join(t.TempDir(), "colosseum.db")
	all := manyMatches.copy(t, path)
	before := sumOf(t, path)
	var result Result
	calls := 0
	for complete := false; !complete; calls++ {
		ctx, cancel := context.WithCancel(t.Context())
		first := map[string]int64{}
		var err error
		result, err = run(ctx, path, url, quiet, func(p Progress) {
			if before, ok := first[p.Table]; !ok {
				first[p.Table] = p.Rows
			} else if p.Rows > before && !p.Verifying { // one chunk was copied
				cancel()
			}
		}, small)
		complete = err == nil
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("call %d: got %v, want %v", calls, err, context.Canceled)
		}
		cancel()
	}
	if calls < 12 {
		t.Errorf("got %d calls, want 12 or more: the interruptions did not work", calls)
	}
	if got := sumOf(t, path); got != before {
		t.Error("got another content of the file, want that it is only read")
	}
	if n := result.Tables[0].Rows; n != int64(len(all.matches)) || result.Aborted == 0 {
		t.Errorf("got %d matches, %d of them aborted, want %d, and some", n, result.Aborted, len(all.matches))
	}
	wantSame(t, path, url, all)

	again, err := Run(t.Context(), path, url, quiet, nil)
	if err != nil || again.Before.IsZero() || again.Tables != nil {
		t.Errorf("another call: got %+v, %v, want when the migration was completed", again, err)
	}
	wantNextNumbers(t, path, url)
	again, err = Run(t.Context(), path, url, quiet, nil)
	if err != nil || again.Before.IsZero() {
		t.Errorf("a call after new matches: got %+v, %v, want when the migration was completed", again, err)
	}
}

// wantNextNumbers checks that new rows get numbers that no row ever had.
func wantNextNumbers(t *testing.T, path, url string) {
	t.Helper()
	ctx := t.Context()
	s, err := store.Open(ctx, url, quiet)
	check(t, err)
	defer s.Close()
	check(t, s.Contests().Create(ctx, store.Contest{Name: "new", Game: "dama", Created: time.Now()}, nil))
	_, err = s.Submissions().Add(ctx, store.NewSubmission{Player: "new", Game: "dama"}, store.SubmissionQuotas{})
	check(t, err)
	m := random(rand.New(rand.NewPCG(1, 1)), 99999)
	m.Fixture = &record.Fixture{Contest: "new", Entries: []int{0, 1}}
	check(t, s.Finish(ctx, m))
	db, err := sql.Open("sqlite", path)
	check(t, err)
	defer db.Close()
	conn, err := pgx.Connect(ctx, url)
	check(t, err)
	defer conn.Close(context.WithoutCancel(ctx))
	for table, last := range map[string]string{
		"matches":         `SELECT max(number) FROM matches`,
		"contests":        `SELECT seq FROM sqlite_sequence WHERE name = 'contests'`,
		"contest_results": `SELECT seq FROM sqlite_sequence WHERE name = 'contest_results'`,
		"submissions":     `SELECT seq FROM sqlite_sequence WHERE name = 'submissions'`,
	} {
		var before, after int64
		check(t, db.QueryRow(last).Scan(&before))
		check(t, conn.QueryRow(ctx, `SELECT max(number) FROM `+table).Scan(&after))
		if after != before+1 {
			t.Errorf("%s: got the number %d after %d, want the next one", table, after, before)
		}
	}
}

func TestKilledMigrationGoesOn(t *testing.T) {
	t.Parallel()
	url, path := database(t), filepath.Join(t.TempDir(), "colosseum.db")
	all := manyMatches.copy(t, path)
	r := rand.New(rand.NewPCG(3, 3))
	kills := 0
	for {
		ctx, cancel := context.WithTimeout(t.Context(), poll.Limit)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], path, url)
		cmd.Env = append(os.Environ(), childEnv+"=1")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		check(t, err)
		check(t, cmd.Start())
		last, killed := 1+r.IntN(8), false
		if kills == 4 {
			last = -1 // it can end
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if last--; last == 0 {
				killed = true
				_ = cmd.Process.Kill() // and read the rest of its output
			}
		}
		err = cmd.Wait()
		if err == nil {
			break
		}
		if !killed {
			t.Fatalf("a migration that was not killed: got %v, want no error\n%s", err, &stderr)
		}
		kills++
	}
	if kills < 3 {
		t.Errorf("got %d kills, want 3 or more", kills)
	}
	result, err := Run(t.Context(), path, url, quiet, nil)
	if err != nil || result.Before.IsZero() {
		t.Errorf("got %+v, %v, want a migration that was completed", result, err)
	}
	wantSame(t, path, url, all)
}

// keepSQL copies all tables, and restoreSQL brings their rows back.
const (
	keepSQL = `DO $$ DECLARE name text; BEGIN
		CREATE SCHEMA kept;
		FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
			EXECUTE format('CREATE TABLE kept.%1$I AS TABLE public.%1$I', name);
		END LOOP;
	END $$`
	restoreSQL = `DO $$ DECLARE name text; BEGIN
		SET LOCAL session_replication_role = replica; -- without triggers
		FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'kept'::regnamespace AND relkind = 'r' LOOP
			EXECUTE format('DELETE FROM public.%1$I', name);
			EXECUTE format('INSERT INTO public.%1$I TABLE kept.%1$I', name);
		END LOOP;
	END $$`
)

func TestDamagedCopyIsDetected(t *testing.T) {
	t.Parallel()
	path, url := filepath.Join(t.TempDir(), "colosseum.db"), database(t)
	fewMatches.copy(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, path, url, quiet, func(p Progress) {
		if p.Verifying {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want %v when all is copied", err, context.Canceled)
	}
	query(t, url, keepSQL)
	for _, tt := range []struct{ name, damage string }{
		{"text", `UPDATE matches SET reason = 'lost' WHERE number = (SELECT max(number) FROM matches WHERE reason = 'won')`},
		{"the last bit of a float", `UPDATE matches SET timeout = nextafter WHERE number = 1`},
		{"integer", `UPDATE matches SET seed = seed + 1 WHERE number = 3`},
		{"bytes", `UPDATE matches SET answers = set_byte(answers, 0, get_byte(answers, 0) # 1) WHERE number = (SELECT min(number) FROM matches WHERE answers IS NOT NULL)`},
		{"null for empty text", `UPDATE matches SET fixture = '' WHERE number = (SELECT min(number) FROM matches WHERE fixture IS NULL)`},
		{"boolean", `UPDATE matches SET verified = NOT verified WHERE number = 2`},
		{"number", `UPDATE matches SET number = 5 WHERE number = 4`},
		{"missing match", `DELETE FROM matches WHERE number = 8`},
		{"missing last match", `DELETE FROM matches WHERE number = (SELECT max(number) FROM matches)`},
		{"another match", `INSERT INTO matches (id, name, game, plugin, version, args, params, timeout, seed, verified, seats, ended, state, reason) VALUES ('x', '', '', '', '', '', '', 0, 0, false, '[]', 1, 'aborted', '')`},
		{"token", `UPDATE players SET token = set_byte(token, 31, get_byte(token, 31) # 1) WHERE name = 'invited'`},
		{"player in another case", `UPDATE players SET name = 'Invited' WHERE name = 'invited'`},
		{"invitation used twice", `UPDATE invites SET player = NULL WHERE player IS NOT NULL`},
		{"contest", `UPDATE contests SET spec = spec || ' ' WHERE name = 'cup'`},
		{"event", `UPDATE contest_events SET at = at + 1 WHERE number = 250`},
		{"result", `UPDATE contest_results SET aborted = NOT aborted WHERE number = (SELECT max(number) FROM contest_results)`},
		{"block of a program", `UPDATE submission_blocks SET data = set_byte(data, 9, get_byte(data, 9) # 1) WHERE kind = 'program' AND submission = 2`},
		{"missing journal", `DELETE FROM submission_journals WHERE number = 7`},
		{"index", `DELETE FROM endings WHERE match = 1 AND player = ''`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			query(t, url, restoreSQL)
			damage := strings.Replace(tt.damage, "nextafter", "timeout + CASE WHEN timeout > 0 THEN timeout * 2.3e-16 ELSE 1 END", 1)
			done := false
			_, err := Run(t.Context(), path, url, quiet, func(p Progress) {
				if p.Verifying && !done {
					done = true
					query(t, url, damage)
				}
			})
			if !errors.Is(err, ErrDiffers) || !done {
				t.Errorf("got %v, want %v", err, ErrDiffers)
			}
		})
	}
	if _, err := Run(t.Context(), path, url, quiet, nil); err == nil {
		t.Error("another call: got no error, want one until the database is empty")
	}
	query(t, url, restoreSQL)
	if _, err := Run(t.Context(), path, url, quiet, nil); err != nil {
		t.Errorf("without damage: got %v, want no error", err)
	}
}

func TestOtherRecordsAreNotMixedWithThoseOfTheFile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	folder := t.TempDir()
	path, another, empty := filepath.Join(folder, "colosseum.db"), filepath.Join(folder, "another.db"), filepath.Join(folder, "empty.db")
	fewMatches.copy(t, path)
	noMatches.copy(t, empty)
	s, err := store.Open(ctx, another, quiet)
	check(t, err)
	check(t, s.Finish(ctx, random(rand.New(rand.NewPCG(8, 8)), 1)))
	check(t, s.Close())
	interrupted := func(t *testing.T, url string) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := run(ctx, path, url, quiet, func(p Progress) {
			if p.Rows > 0 {
				cancel()
			}
		}, small); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want %v", err, context.Canceled)
		}
	}
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, url string)
		file    string
	}{
		{"a match", func(t *testing.T, url string) {
			s, err := store.Open(ctx, url, quiet)
			check(t, err)
			check(t, s.Finish(ctx, random(rand.New(rand.NewPCG(9, 9)), 1)))
			check(t, s.Close())
		}, path},
		{"a player", func(t *testing.T, url string) {
			p, err := store.OpenPlayers(ctx, url, quiet)
			check(t, err)
			check(t, p.Add(ctx, []store.NewPlayer{{Name: "Ann"}}, nil))
			check(t, p.Close())
		}, path},
		{"a migration of another file", interrupted, another},
		{"a migration of a file with other matches", interrupted, empty},
		{"a row that was added since", func(t *testing.T, url string) {
			interrupted(t, url)
			query(t, url, `INSERT INTO contests (name, game, spec, seed, created) VALUES ('new', '', '', 0, 0)`)
		}, path},
		{"a row that was removed since", func(t *testing.T, url string) {
			interrupted(t, url)
			query(t, url, `DELETE FROM matches WHERE number = 1`)
		}, path},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := database(t)
			tt.prepare(t, url)
			if _, err := Run(ctx, tt.file, url, quiet, nil); !errors.Is(err, ErrOther) {
				t.Errorf("got %v, want %v", err, ErrOther)
			}
		})
	}
	t.Run("a host before the end of the migration", func(t *testing.T) {
		url := database(t)
		interrupted(t, url)
		for name, open := range map[string]func() error{
			"the records": func() error { _, err := store.Open(ctx, url, quiet); return err },
			"a host":      func() error { _, err := store.OpenAs(ctx, url, "one", quiet); return err },
			"players":     func() error { _, err := store.OpenPlayers(ctx, url, quiet); return err },
			"contests":    func() error { _, err := store.OpenContests(ctx, url, quiet); return err },
		} {
			if err := open(); err == nil || !strings.Contains(err.Error(), "run host migrate again") {
				t.Errorf("%s: got %v, want that the migration must be completed", name, err)
			}
		}
		if _, err := Run(ctx, path, url, quiet, nil); err != nil {
			t.Errorf("going on: got %v, want no error", err)
		}
	})
	t.Run("a program of another kind", func(t *testing.T) {
		url := database(t)
		query(t, url, `CREATE TABLE shopping (item text)`)
		if _, err := Run(ctx, path, url, quiet, nil); err == nil || !strings.Contains(err.Error(), "tables of another program") {
			t.Errorf("got %v, want that the tables are those of another program", err)
		}
	})
}

func TestMigrationNeedsBothSidesForItself(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "colosseum.db")
	fewMatches.copy(t, path)
	url := database(t)
	host, err := store.Open(ctx, path, quiet)
	check(t, err)
	if _, err := Run(ctx, path, url, quiet, nil); err == nil || !strings.Contains(err.Error(), "is using it") {
		t.Errorf("while a host uses the file: got %v, want an error", err)
	}
	check(t, host.Close())
	if host, err = store.Open(ctx, url, quiet); err != nil {
		t.Fatal(err)
	}
	if _, err := run(ctx, path, url, quiet, func(Progress) {}, limits{chunkRows, 0}); err == nil || !strings.Contains(err.Error(), "another host uses these records") {
		t.Errorf("while a host uses PostgreSQL: got %v, want an error", err)
	}
	check(t, host.Close())
	changed := false
	_, err = Run(ctx, path, url, quiet, func(Progress) {
		if changed {
			return
		}
		changed = true
		p, err := store.OpenPlayers(ctx, path, quiet)
		check(t, err)
		check(t, p.Add(ctx, []store.NewPlayer{{Name: "late", Token: [32]byte{1}}}, nil))
		check(t, p.Close())
	})
	if err == nil || !strings.Contains(err.Error(), "the file has changed in between") {
		t.Errorf("while a command changes the file: got %v, want an error", err)
	}
}

func TestHostOnTheOldFileIsNoticed(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "colosseum.db")
	fewMatches.copy(t, path)
	url := database(t)
	_, err := Run(ctx, path, url, quiet, nil)
	check(t, err)
	s, err := store.Open(ctx, path, quiet)
	check(t, err)
	check(t, s.Finish(ctx, random(rand.New(rand.NewPCG(5, 5)), 5000)))
	check(t, s.Close())
	if result, err := Run(ctx, path, url, quiet, nil); err == nil || !strings.Contains(err.Error(), "a host has used the file since") {
		t.Errorf("got %+v, %v, want an error about the match that is only in the file", result, err)
	}
}

func TestEmptyFileIsMoved(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "colosseum.db")
	s, err := store.Open(ctx, path, quiet)
	check(t, err)
	check(t, s.Close())
	url := database(t)
	result, err := Run(ctx, path, url, quiet, nil)
	if err != nil || len(result.Tables) != len(tables) || result.Tables[0].Rows != 0 {
		t.Errorf("got %+v, %v, want no rows of %d tables", result, err, len(tables))
	}
}

func TestKeysAreStoredExactly(t *testing.T) {
	for _, key := range [][]any{{int64(-1 << 63)}, {int64(1<<63 - 1), int64(2)}, {"a \"b\""}, {"12"}, {[]byte{0, 255}}, {[]byte{}}} {
		text, err := encodeKey(key)
		check(t, err)
		if got, err := decodeKey(text); err != nil || !reflect.DeepEqual(got, key) {
			t.Errorf("%s: got %#v, %v, want %#v", text, got, err, key)
		}
	}
	for _, text := range []string{``, `{}`, `[1.5]`, `[null]`, `[["a", "b"]]`, `[{}]`} {
		if got, err := decodeKey(text); err == nil {
			t.Errorf("%s: got %v, want an error", text, got)
		}
	}
}

func TestDifferentRowsHaveDifferentSums(t *testing.T) {
	rows := [][]any{{nil}, {int64(0)}, {false}, {true}, {0.0}, {""}, {[]byte{}}, {"a", "b"}, {"ab", ""}, {"ab"}, {"", "ab"}, {int64(1)}, {nil, nil}, {"t"}, {[]byte("t")}}
	seen := map[[32]byte]int{}
	for i, row := range rows {
		sum, err := sumRow(row)
		check(t, err)
		if j, ok := seen[sum]; ok {
			t.Errorf("got the same sum for %#v and %#v, want different ones", rows[j], row)
		}
		seen[sum] = i
	}
	if _, err := sumRow([]any{int32(1)}); err == nil {
		t.Error("got no error for a type that is not in a row, want one")
	}
}

// BenchmarkMigration moves matches of ten rounds; go test -bench . -benchtime 1x
func BenchmarkMigration(b *testing.B) {
	n := 100_000
	path := filepath.Join(b.TempDir(), "colosseum.db")
	s, err := store.Open(context.Background(), path, quiet)
	check(b, err)
	var writing sync.WaitGroup
	slots := make(chan struct{}, 500)
	for i := range n {
		slots <- struct{}{}
		writing.Go(func() {
			if err := s.Finish(context.Background(), tenRounds(i)); err != nil {
				b.Error(err)
			}
			<-slots
		})
	}
	writing.Wait()
	check(b, s.Close())
	pg := pgserver.Start(b, true)
	for b.Loop() {
		began := time.Now()
		var verifying time.Time
		_, err := Run(context.Background(), path, pg.Database(b), quiet, func(p Progress) {
			if p.Verifying && verifying.IsZero() {
				verifying = time.Now()
			}
		})
		check(b, err)
		b.ReportMetric(float64(n)/verifying.Sub(began).Seconds(), "copied/s")
		b.ReportMetric(float64(n)/time.Since(verifying).Seconds(), "compared/s")
		b.ReportMetric(float64(n)/time.Since(began).Seconds(), "records/s")
	}
}

func tenRounds(i int) *record.Match {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	m := random(r, i)
	m.Name, m.Fixture, m.Clock, m.Answers, m.Stream = "a game", nil, nil, nil, nil
	for j := range 20 {
		m.Answers = append(m.Answers, record.Answer{Seat: j % 2, Line: pick(r, "rock", "paper", "scissors"), At: time.Duration(r.IntN(1e6))})
		m.Stream = fmt.Appendf(m.Stream, "%d: %s %s\n", j, pick(r, "rock", "paper", "scissors"), driver.EndedFinished)
	}
	return m
}

func FuzzKey(f *testing.F) {
	f.Add(`[1, 2]`)
	f.Add(`["a"]`)
	f.Add(`[["AP8="]]`)
	f.Fuzz(func(t *testing.T, text string) {
		key, err := decodeKey(text)
		if err != nil {
			return
		}
		again, err := encodeKey(key)
		check(t, err)
		if got, err := decodeKey(again); err != nil || !reflect.DeepEqual(got, key) {
			t.Errorf("got %v, %v from %s, want %v", got, err, again, key)
		}
	})
}
