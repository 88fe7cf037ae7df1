//go:build unix

package series

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/games/sandbox"
	"colosseum/host/internal/records/record"
	"colosseum/internal/test/poll"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// offered is an askGame as the catalog offers it. It takes any request.
type offered struct{ askGame }

func (*offered) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return driver.Settings{Players: *r.Players, Bots: r.Bots, Timeout: patience, Params: r.Args}, nil
}

// fakeGames have one game, which is unavailable for the first calls of Find.
type fakeGames struct {
	offer       *catalog.Offer
	unavailable int
}

func (g *fakeGames) Find(string) (*catalog.Offer, error) {
	if g.unavailable > 0 {
		g.unavailable--
		return nil, errors.New("the game is unavailable")
	}
	return g.offer, nil
}

func newGames() *fakeGames {
	return &fakeGames{offer: &catalog.Offer{Name: "ask", Plugin: "ask", Version: "v", Engine: &offered{}, Params: []sdk.Param{sdk.Float("pace", "", 1, 0, 9)}}}
}

// kept are the records of a runner.
type kept struct {
	mu   sync.Mutex // guards the field below
	list []*record.Match
}

func (k *kept) finish(_ context.Context, r *record.Match) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, r)
	return nil
}

func entry(name, script string) contest.Entry { return contest.Entry{Name: name, Command: sh(script)} }

// matchOf returns a match of two entries in leg 0 of pairing 3.
func matchOf(spec *contest.Spec, entries ...contest.Entry) contest.Match {
	seats := make([]int, len(entries))
	for i := range seats {
		seats[i] = 10 + i
	}
	return contest.Match{Fixture: contest.Fixture{Pairing: 3, Round: 1, Seats: seats, Seed: 99}, Spec: spec, Entries: entries}
}

func cup() *contest.Spec {
	return &contest.Spec{Name: "cup", Game: "ask", Format: "round-robin", Players: 2, Matches: 2, Args: map[string]string{"a": "b"}}
}

func newRunner(t *testing.T, c RunnerConfig) *Runner {
	t.Helper()
	c.Setup = setup
	c.Parallel = max(1, c.Parallel)
	if c.Games == nil {
		c.Games = newGames()
	}
	f, err := NewRunner(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func play(t *testing.T, f *Runner, m contest.Match) {
	t.Helper()
	if absent, err := f.Play(t.Context(), m); absent != nil || err != nil {
		t.Fatalf("Play returned %v, %v, want nil, nil", absent, err)
	}
}

func TestRunnerRecordsAMatchWithItsPlaceInTheContest(t *testing.T) {
	var records kept
	m := matchOf(cup(), entry("alice", "read x; echo win"), entry("bob", "read x; echo lose"))
	f := newRunner(t, RunnerConfig{Entries: m.Entries, Finish: records.finish})
	play(t, f, m)
	if len(records.list) != 1 {
		t.Fatalf("got %d records, want 1", len(records.list))
	}
	r := records.list[0]
	if len(r.ID) != 13 || r.Name != "cup 2" || r.Game != "ask" || r.Seed != 99 || r.State != record.Finished || len(r.Answers) != 2 {
		t.Errorf("got the record %+v, want that of the match", r)
	}
	if f := r.Fixture; f == nil || f.Contest != "cup" || f.Pairing != 3 || f.Leg != 0 || !slices.Equal(f.Entries, []int{10, 11}) {
		t.Errorf("got the fixture %+v, want leg 0 of pairing 3 with the entries 10 and 11", f)
	}
	if a, b := r.Seats[0], r.Seats[1]; a.Name != "alice" || a.Rank != 1 || a.Bot || b.Name != "bob" || b.Rank != 2 {
		t.Errorf("got the seats %+v, want that alice won against bob", r.Seats)
	}
	if text := f.Faults(); text != "" {
		t.Errorf("got the faults %q, want none", text)
	}
}

func TestRunnerWarnsOfPrograms(t *testing.T) {
	var got []string
	m := matchOf(cup(), entry("alice", "read x; echo win"), entry("bob", "read x; echo lose"))
	f := newRunner(t, RunnerConfig{Entries: m.Entries, Warn: func(_ context.Context, entry string, w contest.Warning) {
		got = append(got, entry+" "+string(w))
	}})
	slow := make([]record.Spent, warnAfter)
	for i := range slow {
		slow[i] = record.Spent{Wall: 900 * time.Millisecond}
	}
	seats := []SeatResult{{Seat: record.Seat{Name: "alice"}}, {Seat: record.Seat{Name: "bob"}, Exit: program.Exit{OutOfTurn: time.Second}}}
	f.faults.addTimes("alice", slow, time.Second, false) // the first does not count
	f.warn(t.Context(), m, seats)
	f.faults.addTimes("alice", slow, time.Second, false)
	f.warn(t.Context(), m, seats)
	if want := []string{"bob out of turn", "alice nearly late", "bob out of turn"}; !slices.Equal(got, want) {
		t.Errorf("got the warnings %q, want %q", got, want)
	}
}

func TestProgramThatCannotBeStartedLosesItsMatch(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("hello, world"), 0o755); err != nil {
		t.Fatal(err)
	}
	var records kept
	m := matchOf(cup(), contest.Entry{Name: "broken", Command: []string{broken}}, entry("bob", "read x; echo lose"))
	f := newRunner(t, RunnerConfig{Entries: m.Entries, Finish: records.finish})
	play(t, f, m)
	if got := records.list[0].Seats[0].Ended; got != driver.ForfeitDisconnected {
		t.Errorf("the broken program ended as %q, want %q", got, driver.ForfeitDisconnected)
	}
	if text, want := f.Faults(), "broken in match "+records.list[0].ID+" (round 2, seat 0): forfeit: disconnected; start the program "; !strings.Contains(text, want) || !strings.Contains(text, "exec format error") {
		t.Errorf("got the faults %q, want %q and why", text, want)
	}
}

func TestProgramsGetNumbersToVaryTheirPlay(t *testing.T) {
	var records kept
	print := entry("alice", `read x; echo "$COLOSSEUM_SEED $COLOSSEUM_MATCH"`)
	other := print
	other.Name = "bob"
	f := newRunner(t, RunnerConfig{Entries: []contest.Entry{print, other}, Finish: records.finish})
	m := matchOf(cup(), print, other)
	play(t, f, m)
	play(t, f, m) // again after an error
	m.Leg, m.Entries = 1, []contest.Entry{other, print}
	play(t, f, m)
	var lines [3][]string
	for i, r := range records.list {
		for _, a := range r.Answers {
			lines[i] = append(lines[i], a.Line)
		}
		slices.Sort(lines[i])
	}
	if !slices.Equal(lines[0], lines[1]) {
		t.Errorf("the same match got %q and %q, want the same numbers", lines[0], lines[1])
	}
	first, second := strings.Fields(lines[0][0]), strings.Fields(lines[0][1])
	if len(first) != 2 || first[0] == second[0] || first[1] != "7" || second[1] != "7" {
		t.Errorf("got %q, want different seeds, and the number 7", lines[0])
	}
	if got := strings.Fields(lines[2][0]); len(got) != 2 || got[1] != "8" {
		t.Errorf("leg 1 got %q, want the number 8", got)
	}
}

// TestProgramAloneVariesItsPlayInEachLeg: the legs of a contest by score have one seed, and
// a program that plays all of them alike would be measured once.
func TestProgramAloneVariesItsPlayInEachLeg(t *testing.T) {
	var records kept
	print := entry("alice", `read x; echo "$COLOSSEUM_SEED"`)
	f := newRunner(t, RunnerConfig{Entries: []contest.Entry{print}, Finish: records.finish})
	spec := cup()
	spec.Format, spec.Players = "score", 1
	m := matchOf(spec, print)
	for m.Leg = range 2 {
		play(t, f, m)
	}
	first, second := records.list[0].Answers[0].Line, records.list[1].Answers[0].Line
	if first == "" || first == second {
		t.Errorf("got the seeds %q and %q, want different ones", first, second)
	}
}

func TestBotsOfEntriesHaveTheirLevels(t *testing.T) {
	bot := func(level string) contest.Entry { return contest.Entry{Name: "bot:" + level, Bot: level} }
	r, _ := RequestOf(cup(), newGames().offer, []contest.Entry{bot("easy"), bot("default"), {Name: "alice"}, bot("strong")})
	if want := []string{"easy", "", "strong"}; !slices.Equal(r.Levels, want) || r.Bots != 3 || r.Args["bot"] != "" {
		t.Errorf("got %+v, want 3 bots with the levels %q", r, want)
	}
}

func TestBotOfAnEntryHasItsLevel(t *testing.T) {
	tests := []struct {
		name, bot string
		args      map[string]string
		want      map[string]string
	}{
		{"a level", "strong", nil, map[string]string{"bot": "strong", "pace": "0"}},
		{"the default", "default", nil, map[string]string{"pace": "0"}},
		{"with arguments", "weak", map[string]string{"pace": "2", "x": "1"}, map[string]string{"bot": "weak", "pace": "2", "x": "1"}},
		{"none", "", nil, map[string]string{"pace": "0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := cup()
			spec.Args = tt.args
			r, _ := RequestOf(spec, newGames().offer, []contest.Entry{{Name: "alice"}, {Name: "x", Bot: tt.bot}})
			if !maps.Equal(r.Args, tt.want) || (r.Bots == 1) != (tt.bot != "") || *r.Players != 2 {
				t.Errorf("got %+v for %d players, want the arguments %v for 2, and a bot if it is given", r, *r.Players, tt.want)
			}
		})
	}
}

func TestMatchThatIsInterruptedHasNoResult(t *testing.T) {
	var records kept
	ctx, cancel := context.WithCancel(t.Context())
	m := matchOf(cup(), entry("alice", "sleep 1000"), entry("bob", "read x; echo lose"))
	f := newRunner(t, RunnerConfig{Entries: m.Entries, Finish: records.finish})
	f.config.Games = &cancelling{newGames(), cancel}
	if _, err := f.Play(ctx, m); !errors.Is(err, context.Canceled) || len(records.list) > 0 {
		t.Errorf("got the error %v and %d records, want %v and none", err, len(records.list), context.Canceled)
	}
}

// cancelling are games that end a context when one of them is found.
type cancelling struct {
	*fakeGames
	cancel func()
}

func (c *cancelling) Find(name string) (*catalog.Offer, error) {
	c.cancel()
	return c.fakeGames.Find(name)
}

func TestNextMatchBeginsWhileARecordIsWritten(t *testing.T) {
	m := matchOf(cup(), entry("alice", "read x; echo win"), entry("bob", "read x; echo lose"))
	next := m
	next.Leg = 1
	done := make(chan struct{})
	f := newRunner(t, RunnerConfig{Entries: m.Entries, Parallel: 1, Finish: func(_ context.Context, r *record.Match) error {
		if r.Fixture.Leg != 0 {
			close(done)
			return nil
		}
		select {
		case <-done:
			return nil
		case <-time.After(poll.Limit):
			return errors.New("the next match has not ended")
		}
	}})
	var both sync.WaitGroup
	both.Go(func() { play(t, f, m) })
	both.Go(func() { play(t, f, next) })
	both.Wait()
}

func TestRunnerWaitsForAGameThatIsStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		games := newGames()
		games.unavailable = 10
		f := &Runner{config: RunnerConfig{Games: games}}
		begin := time.Now()
		offer, release, err := f.hold(t.Context(), "ask")
		if err != nil || offer != games.offer {
			t.Fatalf("got %v, %v, want the game", offer, err)
		}
		release()
		if took := time.Since(begin); took != 10*lookInterval {
			t.Errorf("it took %v, want %v", took, 10*lookInterval)
		}
		games.unavailable = 1 << 30
		if _, _, err := f.hold(t.Context(), "ask"); err == nil || time.Since(begin) < lookTimeout {
			t.Errorf("got the error %v after %v, want one after %v", err, time.Since(begin), lookTimeout)
		}
	})
}

func TestEntriesCannotReadEachOther(t *testing.T) {
	canConfine(t)
	dir := t.TempDir()
	for path, text := range map[string]string{
		"alice/secret": "of alice\n", "alice/bot.sh": "read x; read y < bots/bob/secret && echo win || echo lose",
		"bob/secret": "of bob\n", "bob/bot.sh": "read x; read y < bots/bob/secret && echo win || echo lose",
	} {
		path = filepath.Join(dir, "bots", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var records kept
	m := matchOf(cup(), contest.Entry{Name: "alice", Command: []string{"sh", "bots/alice/bot.sh"}}, contest.Entry{Name: "bob", Command: []string{"sh", "bots/bob/bot.sh"}})
	f := newRunner(t, RunnerConfig{Entries: m.Entries, Finish: records.finish, Isolation: program.Isolation{Level: sandbox.Require, Folder: dir, Read: []string{filepath.Join(dir, "bots")}}})
	play(t, f, m)
	if s := records.list[0].Seats; s[0].Rank != 2 || s[1].Rank != 1 {
		t.Errorf("got the seats %+v, want that only bob could read its file; faults %s", s, f.Faults())
	}
}
