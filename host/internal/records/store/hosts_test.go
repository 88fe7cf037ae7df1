package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/postgres"
	"colosseum/host/internal/records/record"
	"colosseum/internal/test/poll"
	"colosseum/sdk/driver"
)

// rowFor returns the row of a host as another one sees it.
func rowFor(t testing.TB, s *Store, host string) HostRow {
	t.Helper()
	list, err := s.Hosts().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(r HostRow) bool { return r.Name == host })
	if i < 0 {
		t.Fatalf("got the hosts %+v, want %s among them", list, host)
	}
	return list[i]
}

func fence(t testing.TB, by *Store, dead HostRow, want bool) []string {
	t.Helper()
	aborted, fenced, err := by.Hosts().Fence(t.Context(), dead)
	if err != nil || fenced != want {
		t.Fatalf("fencing %+v: got %v, %v, want %v", dead, fenced, err, want)
	}
	slices.Sort(aborted)
	return aborted
}

// flush waits until everything in the queue is written.
func flush(t testing.TB, s *Store) {
	t.Helper()
	poll.Until(t, "the queue is written", func() bool {
		q := s.writer.queue
		q.mu.Lock()
		defer q.mu.Unlock()
		return len(q.entries) == 0 && q.since.IsZero()
	})
}

func TestAFencedHostRecordsNothingMore(t *testing.T) {
	where := onServer.where(t)
	a, b := openAs(t, where, "a", io.Discard), openAs(t, where, "b", io.Discard)
	finish(t, a, sample("ENDED"))
	runs := sample("RUNS")
	runs.Seats = []record.Seat{{Name: "Ann"}, {Bot: true}}
	a.Begin(runs)
	b.Begin(sample("OTHER"))
	flush(t, a)
	flush(t, b)
	stale := rowFor(t, b, "a")
	if err := a.Hosts().Beat(t.Context()); err != nil {
		t.Fatal(err)
	}
	fence(t, b, stale, false)
	dead := rowFor(t, b, "a")
	if got := fence(t, b, dead, true); !slices.Equal(got, []string{"RUNS"}) {
		t.Errorf("got the aborted matches %q, want RUNS", got)
	}
	fence(t, b, dead, false)
	if err := a.Hosts().Beat(t.Context()); err != record.ErrFenced {
		t.Errorf("a beat of the fenced host: got %v, want %v", err, record.ErrFenced)
	}
	if a.Available() {
		t.Error("matches can begin on the fenced host, want not before it begins again")
	}
	a.Begin(sample("LATE"))
	for _, id := range []string{"RUNS", "LATE", "NEVER BEGUN"} {
		if err := a.Finish(t.Context(), sample(id)); !errors.Is(err, record.ErrFenced) {
			t.Errorf("finishing %s: got %v, want %v", id, err, record.ErrFenced)
		}
	}
	if err := a.Contests().Finish(t.Context(), sample("LOCAL")); !errors.Is(err, record.ErrFenced) {
		t.Errorf("finishing a local match: got %v, want %v", err, record.ErrFenced)
	}
	a.Begin(sample("BEFORE RENEW"))
	if err := a.Hosts().Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !a.Available() {
		t.Error("no match can begin after Renew, want that it can")
	}
	if err := a.Finish(t.Context(), sample("BEFORE RENEW")); !errors.Is(err, record.ErrFenced) {
		t.Errorf("finishing a match of the generation before: got %v, want %v", err, record.ErrFenced)
	}
	if err := a.Finish(t.Context(), sample("RUNS")); !errors.Is(err, record.ErrFenced) {
		t.Errorf("finishing the aborted match again: got %v, want %v", err, record.ErrFenced)
	}
	finish(t, a, sample("NEW"))
	for _, id := range []string{"ENDED", "NEW"} {
		wantRecord(t, b.Reader, sample(id))
	}
	r, err := b.Get(t.Context(), "RUNS")
	if err != nil || r.State != record.Aborted || r.Reason != dialect.HostStopped {
		t.Errorf("got %+v, %v, want an aborted match", r, err)
	}
	whole := sample("RUNS")
	if !bytes.Equal(r.Stream, whole.Stream) || !reflect.DeepEqual(r.Answers, whole.Answers) {
		t.Errorf("got the stream %q and the answers %v, want all that happened: %q and %v", r.Stream, r.Answers, whole.Stream, whole.Answers)
	}
	for _, s := range r.Seats {
		if s.Ended != driver.EndedAborted || s.Score != 0 || s.Rank != 0 {
			t.Errorf("got the seat %+v, want it aborted without a result", s)
		}
	}
	if r, err := b.Get(t.Context(), "OTHER"); err != nil || r.State != record.Running {
		t.Errorf("got %+v, %v, want the match of the other host running", r, err)
	}
	if got := rowFor(t, b, "a"); got.Generation <= dead.Generation {
		t.Errorf("got generation %d after %d, want a larger one", got.Generation, dead.Generation)
	}
	wantMatches(t, b.Reader, 3)
}

func TestAHostThatEndsIsForgottenUnlessItLeavesMatches(t *testing.T) {
	where := onServer.where(t)
	a, b, c := openAs(t, where, "a", io.Discard), openAs(t, where, "b", io.Discard), openAs(t, where, "c", io.Discard)
	c.Begin(sample("LEFT"))
	for _, s := range []*Store{b, c} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	list, err := a.Hosts().List(t.Context())
	if err != nil || len(list) != 2 || list[0].Name != "a" || list[1].Name != "c" {
		t.Errorf("got the hosts %+v, %v, want a and c", list, err)
	}
	openAs(t, where, "c", io.Discard)
	if r, err := a.Get(t.Context(), "LEFT"); err != nil || r.State != record.Aborted {
		t.Errorf("got %+v, %v, want the match that c has left as aborted", r, err)
	}
}

// openAtOnce opens records without waiting for the end of another process.
func openAtOnce(t *testing.T, where, host string) error {
	t.Helper()
	d, _, err := find(where)
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), d, host, 0, slog.New(slog.DiscardHandler))
	if err == nil {
		s.Close()
	}
	return err
}

func TestHostsThatMustNotRunTogetherAreRefused(t *testing.T) {
	where := onServer.where(t)
	check := func(while, host string, want error) {
		t.Helper()
		if err := openAtOnce(t, where, host); !errors.Is(err, want) {
			t.Errorf("while %s runs, %q: got %v, want %v", while, host, err, want)
		}
	}
	alone := reopen(t, where, io.Discard)
	check("one alone", "", errOther)
	check("one alone", "a", errOther)
	alone.Close()
	a := openAs(t, where, "a", io.Discard)
	check("a", "a", errOther)
	check("a", "", errOther)
	check("a", "b", nil)
	a.Close()
	check("none", "", nil)
	if _, err := OpenAs(t.Context(), inFile.where(t), "a", slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "several hosts need PostgreSQL") {
		t.Errorf("several hosts with a file: got %v, want an error", err)
	}
}

func TestAHostAloneRecordsTheMatchesOfOthersThatAreGoneAsAborted(t *testing.T) {
	where := onServer.where(t)
	a := openAs(t, where, "a", io.Discard)
	a.Begin(sample("RUNS"))
	flush(t, a)
	a.Hosts().lock.release() // as after a kill -9
	log := new(journal)
	alone := reopen(t, where, log)
	if r, err := alone.Get(t.Context(), "RUNS"); err != nil || r.State != record.Aborted || !strings.Contains(log.String(), "matches=1") {
		t.Errorf("got %+v, %v, log %s, want an aborted match and its number", r, err, log)
	}
	if err := a.Finish(t.Context(), sample("RUNS")); !errors.Is(err, record.ErrFenced) {
		t.Errorf("finishing it: got %v, want %v", err, record.ErrFenced)
	}
}

func TestOneHostLeadsAndAnotherFollowsWhenItsConnectionBreaks(t *testing.T) {
	where := onServer.where(t)
	a, b := openAs(t, where, "a", io.Discard), openAs(t, where, "b", io.Discard)
	lead, err := a.Hosts().Lead(t.Context())
	if lead == nil || err != nil {
		t.Fatalf("got %v, %v, want the leadership", lead, err)
	}
	if other, err := b.Hosts().Lead(t.Context()); other != nil || err != nil {
		t.Errorf("got %v, %v, want nobody leading next to a", other, err)
	}
	lead.Release()
	lead.Release()
	<-lead.Lost()
	lead = awaitLock(t, "b leads after Release", b.Hosts().Lead)
	if _, err := a.db.Exec(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND (classid::bigint << 32 | objid::bigint) = $1`, lockLead); err != nil {
		t.Fatal(err)
	}
	<-lead.Lost()
	awaitLock(t, "a leads after the connection broke", a.Hosts().Lead).Release()
}

// awaitLock takes a lock that was released: PostgreSQL notices the end of a connection a
// moment later.
func awaitLock(t *testing.T, what string, take func(context.Context) (*Lock, error)) (l *Lock) {
	t.Helper()
	poll.Until(t, what, func() bool {
		var err error
		if l, err = take(t.Context()); err != nil {
			t.Fatal(err)
		}
		return l != nil
	})
	return l
}

// TestANewGenerationWaitsForACommitThatIsUnderWay: a process with the same name begins
// while the last one, which has lost its locks, is in the middle of a commit.
func TestANewGenerationWaitsForACommitThatIsUnderWay(t *testing.T) {
	where := onServer.where(t)
	a := openAs(t, where, "a", io.Discard)
	a.Begin(sample("RUNS"))
	flush(t, a)
	row, err := rowOf(sample("RUNS"), &a.writer.pack)
	if err != nil {
		t.Fatal(err)
	}
	generation := a.Hosts().generation.Load()
	db := connectTo(t, where)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	exec := func(text string, args ...any) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), text, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("BEGIN")
	exec("SELECT generation FROM hosts WHERE name = 'a' FOR KEY SHARE") // as a commit begins
	renewed := make(chan error, 1)
	go func() { renewed <- a.Hosts().Renew(t.Context()) }()
	poll.Until(t, "the new generation waits", func() (waits bool) {
		if len(renewed) > 0 {
			t.Error("got a new generation during a commit, want it to wait")
			return true
		}
		if err := conn.QueryRowContext(t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database()))").Scan(&waits); err != nil {
			t.Fatal(err)
		}
		return waits
	})
	exec(dialect.Insert("host", "generation")+" ON CONFLICT (id) DO UPDATE SET "+dialect.Excluded(), append(row.Values, "a", generation)...)
	exec("COMMIT")
	if err := <-renewed; err != nil {
		t.Fatal(err)
	}
	wantRecord(t, a.Reader, sample("RUNS"))
}

// TestARecordThatIsWrittenIsReportedAsWrittenAfterItsHostWasFenced: the connection breaks
// after a commit, and the host is fenced before it tries again.
func TestARecordThatIsWrittenIsReportedAsWrittenAfterItsHostWasFenced(t *testing.T) {
	where := onServer.where(t)
	a, b := openAs(t, where, "a", io.Discard), openAs(t, where, "b", io.Discard)
	create(t, a.Contests(), "cup")
	generation := a.Hosts().generation.Load()
	first, second := played("first", "cup", 1, 1), played("second", "cup", 1, 1)
	want := map[*record.Match]error{first: nil, second: record.ErrPlayed, sample("PLAIN"): nil}
	a.Begin(sample("RUNS"))
	finish(t, a, first)
	for r, err := range want {
		if got := a.Finish(t.Context(), r); !errors.Is(got, err) {
			t.Fatalf("match %s: got %v, want %v", r.ID, got, err)
		}
	}
	flush(t, a)
	fence(t, b, rowFor(t, b, "a"), true)
	want[sample("RUNS")], want[played("none", "cup", 2, 1)] = record.ErrFenced, record.ErrFenced
	for r, err := range want {
		b := a.writer.begun
		b.mu.Lock()
		b.in[r.ID] = generation // as in the queue
		b.mu.Unlock()
		if got := a.Finish(t.Context(), r); !errors.Is(got, err) {
			t.Errorf("match %s again: got %v, want %v", r.ID, got, err)
		}
	}
	for _, r := range []*record.Match{first, sample("PLAIN")} {
		wantRecord(t, b.Reader, r)
	}
}

func TestAProcessWithoutTheLockOfItsNameBeginsNoGeneration(t *testing.T) {
	where := onServer.where(t)
	old := openAs(t, where, "a", io.Discard)
	old.Hosts().lock.release() // as when its connection breaks
	next := openAs(t, where, "a", io.Discard)
	if err := old.Hosts().Renew(t.Context()); !errors.Is(err, errUnlocked) {
		t.Errorf("got %v, want %v", err, errUnlocked)
	}
	if err := next.Hosts().Beat(t.Context()); err != nil {
		t.Errorf("a beat of the next process: got %v, want nil", err)
	}
	finish(t, next, sample("ID"))
}

// TestSessionsOfProcessesThatHangEnd: PostgreSQL ends a session that does not look.
func TestSessionsOfProcessesThatHangEnd(t *testing.T) {
	d, _, err := find(onServer.where(t))
	if err != nil {
		t.Fatal(err)
	}
	held, err := d.(*postgres.Server).Hold(t.Context(), `SELECT current_setting('server_version_num')::int < 140000 OR current_setting('idle_session_timeout') = '10s'`, nil)
	if err != nil || held == nil {
		t.Fatalf("got %v, %v, want a session that ends when it is idle for 10 s", held, err)
	}
	held.Close()
}

// TestReportsHoldWhileAHostIsFenced: matches end at the same time as their host is fenced.
func TestReportsHoldWhileAHostIsFenced(t *testing.T) {
	where := onServer.where(t)
	b := openAs(t, where, "b", io.Discard)
	const rounds, matches = 4, 20
	for round := range rounds {
		a := openAs(t, where, "a", io.Discard)
		results := make([]error, matches)
		var wg sync.WaitGroup
		for i := range matches {
			wg.Go(func() {
				r := sample(fmt.Sprint(round, "-", i))
				a.Begin(r)
				results[i] = a.Finish(t.Context(), r)
			})
		}
		dead := rowFor(t, b, "a")
		for range round {
			rowFor(t, b, "a") // takes some time
		}
		aborted := fence(t, b, dead, true)
		wg.Wait()
		for i, err := range results {
			id := fmt.Sprint(round, "-", i)
			r, getErr := b.Get(t.Context(), id)
			switch {
			case err == nil && (getErr != nil || r.State != record.Finished || slices.Contains(aborted, id)):
				t.Errorf("match %s was reported as recorded: got %+v, %v, want it finished", id, r, getErr)
			case errors.Is(err, record.ErrFenced) && getErr == nil && r.State != record.Aborted:
				t.Errorf("match %s was reported as fenced: got %+v, want it aborted or no record", id, r)
			case err != nil && !errors.Is(err, record.ErrFenced):
				t.Errorf("match %s: got %v, want nil or %v", id, err, record.ErrFenced)
			}
		}
		a.Close()
	}
}

// process is the model of a process that runs as a host.
type process struct {
	*Store
	name  string
	epoch int
	valid bool // nobody has fenced it since its epoch began
}

// modelMatch is the model of a match.
type modelMatch struct {
	owner    *process
	epoch    int
	written  bool // its beginning is in the table
	finished bool // its end was reported
	fenced   bool // its host was fenced before its end
	aborted  time.Time
}

// TestFencingAgreesWithItsModel compares random sequences of all that happens to hosts
// with a model. Processes that were killed go on and try to record their matches.
func TestFencingAgreesWithItsModel(t *testing.T) {
	steps := slices.Concat(slices.Repeat([]string{"begin", "finish"}, 12), []string{"beat", "fence", "renew", "kill"})
	where := onServer.where(t)
	random := rand.New(rand.NewPCG(14, 1))
	begin := func(name string) *process {
		return &process{Store: openAs(t, where, name, io.Discard), name: name, valid: true}
	}
	all := []*process{begin("a"), begin("b"), begin("c")}
	current := map[string]*process{"a": all[0], "b": all[1], "c": all[2]}
	matches := map[string]*modelMatch{}
	var ids []string
	counts := map[string]int{}
	// end is what fencing a process means for its matches.
	end := func(p *process) (running []string) {
		p.valid = false
		for _, id := range ids {
			if m := matches[id]; m.owner.name == p.name && !m.finished && !m.fenced {
				m.fenced = true
				if m.written {
					running = append(running, id)
				}
			}
		}
		slices.Sort(running)
		return running
	}
	wantAborted := func(id string) {
		t.Helper()
		m := matches[id]
		r, err := all[0].Get(t.Context(), id)
		switch {
		case err == ErrNotFound && !m.written:
		case err != nil || r.State != record.Aborted || !m.aborted.IsZero() && !r.Ended.Equal(m.aborted):
			t.Errorf("match %s of a fenced host: got %+v, %v, want it aborted at %v", id, r, err, m.aborted)
		default:
			m.aborted = r.Ended
		}
	}
	for step := range 300 {
		p := current[[]string{"a", "b", "c"}[random.IntN(3)]]
		if random.IntN(4) == 0 {
			p = all[random.IntN(len(all))]
		}
		what := steps[random.IntN(len(steps))]
		switch what {
		case "begin":
			id := fmt.Sprint("M", step)
			p.Begin(sample(id))
			flush(t, p.Store)
			matches[id] = &modelMatch{owner: p, epoch: p.epoch, written: p.valid, fenced: !p.valid}
			ids = append(ids, id)
		case "finish":
			if len(ids) == 0 {
				continue
			}
			id := ids[len(ids)-1-random.IntN(min(len(ids), 12))]
			m := matches[id]
			if m.finished {
				continue
			}
			err := m.owner.Finish(t.Context(), sample(id))
			if m.fenced {
				if !errors.Is(err, record.ErrFenced) {
					t.Errorf("step %d: finishing %s of a fenced host: got %v, want %v", step, id, err, record.ErrFenced)
				}
				wantAborted(id)
				what += " fenced"
			} else if m.finished = true; err != nil {
				t.Errorf("step %d: finishing %s: got %v, want nil", step, id, err)
			}
		case "beat":
			if err := p.Hosts().Beat(t.Context()); (err == nil) != p.valid || err != nil && !errors.Is(err, record.ErrFenced) {
				t.Errorf("step %d: a beat of %s: got %v, want success: %v", step, p.name, err, p.valid)
			}
		case "fence":
			dead := current[[]string{"a", "b", "c"}[random.IntN(3)]]
			if !dead.valid {
				continue
			}
			row := rowFor(t, p.Store, dead.name)
			if random.IntN(2) == 0 {
				if err := dead.Hosts().Beat(t.Context()); err != nil {
					t.Errorf("step %d: a beat of %s: got %v, want nil", step, dead.name, err)
				}
				fence(t, p.Store, row, false)
				continue
			}
			if got, want := fence(t, p.Store, row, true), end(dead); !slices.Equal(got, want) {
				t.Errorf("step %d: fencing %s: got the matches %q, want %q", step, dead.name, got, want)
			}
		case "renew":
			p = current[p.name]
			if err := p.Hosts().Renew(t.Context()); err != nil {
				t.Errorf("step %d: renewing %s: got %v, want nil", step, p.name, err)
			}
			end(p)
			p.valid, p.epoch = true, p.epoch+1
		case "kill":
			if len(all) == 9 { // the server's connections are limited
				continue
			}
			dead := current[p.name]
			dead.Hosts().lock.release()
			next := begin(p.name)
			end(dead)
			current[p.name], all = next, append(all, next)
		}
		counts[what]++
	}
	for _, id := range ids {
		m := matches[id]
		switch r, err := all[1].Get(t.Context(), id); {
		case m.finished:
			wantRecord(t, all[1].Reader, sample(id))
		case m.fenced:
			wantAborted(id)
		case err != nil || r.State != record.Running:
			t.Errorf("match %s: got %+v, %v, want it running", id, r, err)
		}
	}
	for _, what := range []string{"begin", "finish", "finish fenced", "beat", "fence", "renew", "kill"} {
		if counts[what] == 0 {
			t.Errorf("got no step %s, want some of each", what)
		}
	}
	t.Logf("steps: %v", counts)
}
