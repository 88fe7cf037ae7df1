package director

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/play/serving"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

// fakeDesk has players that serve and play one match at a time. The stronger of two,
// that with the lower name, wins two matches of three.
type fakeDesk struct {
	store *memory

	mu      sync.Mutex // guards the fields below
	rand    *rand.Rand
	serves  []string
	draws   bool // all matches are drawn
	absent  map[string]bool
	busy    map[string]time.Time // zero: it is free
	engaged map[string]int
	changed chan struct{}
	played  int
	graces  []time.Duration
	twice   bool // a player had two matches at the same time

	fast             time.Duration     // a match between programs alone
	broken           map[string]bool   // players whose programs cannot be started
	hosted           map[string]int    // matches that programs play now, by player
	most             int               // that one program has played at the same time
	alone, mostAlone int               // matches between programs alone: now, and most at the same time
	pairs            map[[2]string]int // matches, by players in their order
}

func newFakeDesk(m *memory, players int) *fakeDesk {
	d := &fakeDesk{
		store: m, rand: rand.New(rand.NewPCG(1, 2)), absent: map[string]bool{}, busy: map[string]time.Time{}, engaged: map[string]int{}, changed: make(chan struct{}),
		broken: map[string]bool{}, hosted: map[string]int{}, pairs: map[[2]string]int{},
	}
	for i := range players {
		d.serves = append(d.serves, fmt.Sprintf("p%02d", i))
	}
	return d
}

func (d *fakeDesk) Play(ctx context.Context, f serving.ContestMatch) (id string, absent []string, err error) {
	d.mu.Lock()
	d.played++
	id = fmt.Sprint("m", d.played)
	d.graces = append(d.graces, f.Grace)
	connected := f.Players
	if slices.Max(append(f.Versions, 0)) > 0 {
		var release func()
		connected, release = d.playProgramsLocked(f)
		defer release()
	}
	for _, p := range connected {
		if p == "" {
			continue
		}
		d.twice = d.twice || !d.busy[p].IsZero()
		d.busy[p] = time.Now()
		if d.absent[p] {
			absent = append(absent, p)
		}
	}
	d.changeLocked()
	took := time.Duration(1+d.rand.IntN(10)) * time.Second
	if len(connected) == 0 {
		took = d.fast
	}
	broken := slices.ContainsFunc(f.Players, func(p string) bool { return d.broken[p] })
	ranks := []int{1, 2}
	if stronger := f.Players[0] == "" || f.Players[1] != "" && f.Players[0] < f.Players[1]; stronger != (d.rand.IntN(3) > 0) {
		ranks = []int{2, 1}
	}
	if d.draws {
		ranks = []int{1, 1}
	}
	d.mu.Unlock()
	if f.Created != nil {
		f.Created(id)
	}
	if broken {
		return id, nil, errors.New("no such program")
	}
	if absent != nil {
		took = f.Grace
	}
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, p := range connected {
			delete(d.busy, p)
		}
		d.changeLocked()
	}()
	select {
	case <-time.After(took):
	case <-ctx.Done():
		if absent != nil {
			return id, nil, ctx.Err()
		}
		time.Sleep(took) // it has started
	}
	if absent != nil {
		return id, absent, nil
	}
	m := contest.Match{Spec: &contest.Spec{Name: f.Contest.Contest}}
	m.Pairing, m.Leg, m.Seats, m.Seed = f.Contest.Pairing, f.Contest.Leg, f.Contest.Entries, f.Seed
	m.Entries = make([]contest.Entry, len(m.Seats))
	d.store.finish(id, m, ranks, f.Versions...)
	return id, nil, nil
}

// playProgramsLocked counts a match of programs, and returns its players that connect.
func (d *fakeDesk) playProgramsLocked(f serving.ContestMatch) (connected []string, release func()) {
	alone := 0
	for i, p := range f.Players {
		if p != "" && f.Versions[i] == 0 {
			connected = append(connected, p)
		} else if p != "" {
			d.hosted[p]++
			d.most = max(d.most, d.hosted[p])
		}
	}
	if len(connected) == 0 {
		alone = 1
	}
	d.alone += alone
	d.mostAlone = max(d.mostAlone, d.alone)
	if pair := slices.Sorted(slices.Values(f.Players)); len(pair) == 2 {
		d.pairs[[2]string(pair)]++
	}
	return connected, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.alone -= alone
		for i, p := range f.Players {
			if f.Versions[i] > 0 {
				d.hosted[p]--
			}
		}
	}
}

func (d *fakeDesk) changeLocked() {
	close(d.changed)
	d.changed = make(chan struct{})
}

func (d *fakeDesk) Changed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed
}

func (d *fakeDesk) Free(string) []serving.Waiting {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []serving.Waiting
	for _, p := range d.serves {
		if d.busy[p].IsZero() && d.engaged[p] == 0 {
			list = append(list, serving.Waiting{Player: p})
		}
	}
	return list
}

func (d *fakeDesk) Serving(string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.serves)
}

func (d *fakeDesk) Engage(players []string) (release func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range players {
		d.engaged[p]++
	}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, p := range players {
			d.engaged[p]--
		}
	}
}

func (d *fakeDesk) EngageFor(string, []string) (release func()) { return func() {} }

// count returns how many matches have begun.
func (d *fakeDesk) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.played
}

// allGraces returns the graces of all matches, the shortest first.
func (d *fakeDesk) allGraces() []time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(slices.Values(d.graces))
}

// Fixtures and FixturesGeneration implement Lobby: nobody reads which matches run.
func (d *fakeDesk) Fixtures(string) map[string]record.Fixture { return nil }
func (d *fakeDesk) FixturesGeneration() uint64                { return 0 }

// runAlone runs the director of a host that is alone.
func runAlone(ctx context.Context, d *Director) {
	var leading sync.WaitGroup
	leading.Go(func() { d.Lead(ctx) }) // ends with ctx
	d.Run(ctx)
	leading.Wait()
}

// withDirector runs a test with a director.
func withDirector(t *testing.T, players int, test func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer)) {
	t.Helper()
	withSettings(t, players, Settings{Parallel: 100}, test)
}

func withSettings(t *testing.T, players int, settings Settings, test func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		desk := newFakeDesk(m, players)
		o := contest.Organizer{Store: m}
		d := New(o, desk, desk, settings, slog.New(slog.NewTextHandler(io.Discard, nil)))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { // ends with ctx
			runAlone(ctx, d)
			close(done)
		}()
		test(t, d, desk, o)
		cancel()
		<-done
		if desk.twice {
			t.Error("got a player with two matches at the same time, want one")
		}
		for p, n := range desk.engaged {
			if n != 0 {
				t.Errorf("%s is engaged %d times at the end, want 0", p, n)
			}
		}
	})
}

func create(t *testing.T, o contest.Organizer, text string, players int) {
	t.Helper()
	var b strings.Builder
	b.WriteString(text + "\nname: cup\ngame: duel\nseed: 7\nentries:\n  - open: true\n")
	for i := range players {
		fmt.Fprintf(&b, "  - {player: p%02d}\n", i)
	}
	if strings.Contains(text, "ladder") {
		b.WriteString("  - {bot: strong}\n  - {bot: random}\n")
	}
	if _, err := o.Create(t.Context(), []byte(b.String())); err != nil {
		t.Fatal(err)
	}
}

// view returns the contest as a reader sees it now.
func view(t *testing.T, d *Director) *contest.View {
	t.Helper()
	v, err := d.View(t.Context(), "cup")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestContestOfAnotherProcessIsPlayedAtItsTime(t *testing.T) {
	withDirector(t, 8, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		start := time.Now().Add(time.Hour)
		create(t, o, "format: swiss\nrounds: 3\nstart: "+start.Format(time.RFC3339), 7)
		time.Sleep(59 * time.Minute)
		if err := d.Enter(t.Context(), "cup", "p07"); err != nil {
			t.Fatal(err)
		}
		if desk.count() > 0 {
			t.Errorf("got %d matches before the start, want 0", desk.count())
		}
		before := d.Generation()
		time.Sleep(70 * time.Second)
		v := view(t, d)
		if v.Phase != contest.Running || v.Count != 8 || len(v.Standings) != 8 {
			t.Errorf("got the contest %s with %d entries and %d standings, want it running with 8", v.Phase, v.Count, len(v.Standings))
		}
		if d.Generation() == before {
			t.Error("got the same generation after the start, want another one")
		}
		time.Sleep(10 * time.Minute)
		v = view(t, d)
		if v.Phase != contest.Ended || v.Done != 24 || v.Round != 3 {
			t.Errorf("got the contest %s after %d matches and %d rounds, want it ended after 24 and 3", v.Phase, v.Done, v.Round)
		}
		list, err := d.List(t.Context())
		if err != nil || len(list) != 1 || list[0].Name != "cup" {
			t.Errorf("got the list %v and error %v, want the contest", list, err)
		}
		p, err := d.Player(t.Context(), "P03")
		if err != nil || len(p.Games) != 1 || p.Games[0].Played != 6 || len(p.Contests) != 1 || len(p.Games[0].History) == 0 {
			t.Errorf("got the profile %+v and error %v, want one game with 6 matches and one contest", p, err)
		}
		if _, err := d.View(t.Context(), "Other"); !errors.Is(err, contest.ErrUnknown) {
			t.Errorf("an unknown contest: got %v, want %v", err, contest.ErrUnknown)
		}
		if _, err := d.Player(t.Context(), "nobody"); !errors.Is(err, contest.ErrUnknown) {
			t.Errorf("an unknown player: got %v, want %v", err, contest.ErrUnknown)
		}
	})
}

func TestAbsentPlayerForfeitsAndIsPairedOn(t *testing.T) {
	withDirector(t, 4, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		desk.absent["p03"] = true
		create(t, o, "format: round-robin\nmatches: 1\ngrace: 40s", 4)
		if err := o.Start(t.Context(), "cup"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		v := view(t, d)
		if v.Phase != contest.Ended || v.Done != 6 {
			t.Fatalf("got the contest %s after %d matches, want it ended after 6", v.Phase, v.Done)
		}
		walkovers := 0
		for _, m := range v.Matches {
			if m.State == "walkover" {
				walkovers++
				if !slices.Equal(m.Absent, []string{"p03"}) {
					t.Errorf("got the absent players %q, want p03", m.Absent)
				}
			}
		}
		if walkovers != 3 {
			t.Errorf("got %d walkovers, want 3", walkovers)
		}
		graces := desk.allGraces()
		if want := []time.Duration{10 * time.Second, 20 * time.Second}; !slices.Equal(graces[:2], want) {
			t.Errorf("got the shortest graces %v, want %v", graces[:2], want)
		}
	})
}

func TestPausedContestWaitsAndEndedOneStops(t *testing.T) {
	withDirector(t, 8, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		create(t, o, "format: round-robin", 8)
		if err := o.Start(t.Context(), "cup"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		if got := len(desk.Free("duel")); got != 0 {
			t.Errorf("got %d free players during the contest, want 0: they are engaged", got)
		}
		if err := o.Pause(t.Context(), "cup", "lunch"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		before := desk.count()
		time.Sleep(time.Hour)
		if desk.count() != before {
			t.Errorf("got %d matches during the pause, want 0", desk.count()-before)
		}
		if got := len(desk.Free("duel")); got != 8 {
			t.Errorf("got %d free players during the pause, want 8", got)
		}
		if err := o.Resume(t.Context(), "cup"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		if err := o.End(t.Context(), "cup", "the bell rings"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		after := desk.count()
		time.Sleep(time.Hour)
		v := view(t, d)
		if v.Phase != contest.Ended || v.Reason != "the bell rings" || desk.count() != after || after == before {
			t.Errorf("got the contest %s (%s) and %d, %d, %d matches, want it ended with more than before and none after", v.Phase, v.Reason, before, after, desk.count())
		}
		check, err := contest.Verify(t.Context(), desk.store, desk.store, "cup")
		if err != nil || len(check.Problems) > 0 {
			t.Errorf("got the problems %q and error %v, want none", check.Problems, err)
		}
	})
}

func TestLadderPlaysUntilItIsEnded(t *testing.T) {
	withDirector(t, 12, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		create(t, o, "format: ladder", 10)
		time.Sleep(30 * time.Minute)
		v := view(t, d)
		if v.Phase != contest.Running || v.Done < 500 {
			t.Errorf("got the ladder %s with %d matches, want it running with at least 500", v.Phase, v.Done)
		}
		if v.Standings[0].Rating < v.Standings[9].Rating || v.Standings[0].Low > v.Standings[0].Rating {
			t.Errorf("got the standings %+v, want the best first with intervals", v.Standings)
		}
		for _, r := range v.Standings {
			if r.Played == 0 {
				t.Errorf("%s has played no match, want some", r.Name)
			}
			if r.Name == "p11" {
				t.Error("got a player in the ladder that has not entered, want none")
			}
		}
		if err := o.Start(t.Context(), "cup"); err != nil {
			t.Errorf("start a ladder that has started by itself: got %v, want no error", err)
		}
		if err := d.Enter(t.Context(), "cup", "p11"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if p, err := d.Player(t.Context(), "p11"); err != nil || p.Games[0].Played < 8 {
			t.Errorf("the player that entered later: got %+v and error %v, want at least 8 matches", p, err)
		}
		if err := o.End(t.Context(), "cup", ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		before := desk.count()
		time.Sleep(time.Hour)
		if desk.count() != before {
			t.Errorf("got %d matches after the end, want 0", desk.count()-before)
		}
	})
}

// TestContestIsReplacedByAnotherOneWithItsName: the organizer has corrected its file.
func TestContestIsReplacedByAnotherOneWithItsName(t *testing.T) {
	for _, pause := range []time.Duration{0, time.Minute} {
		t.Run(fmt.Sprint("removed for ", pause), func(t *testing.T) {
			withDirector(t, 8, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
				text := "format: swiss\nstart: " + time.Now().Add(time.Hour).Format(time.RFC3339) + "\nrounds: "
				create(t, o, text+"5", 8)
				time.Sleep(time.Minute)
				_ = view(t, d)
				if err := o.Remove(t.Context(), "cup"); err != nil {
					t.Fatal(err)
				}
				d.all()[0].changed() // so that readers look at it before it is dropped
				if list, err := d.List(t.Context()); err != nil || len(list) != 0 {
					t.Errorf("after the removal: got the contests %v and error %v, want none", list, err)
				}
				if _, err := d.View(t.Context(), "cup"); !errors.Is(err, contest.ErrUnknown) {
					t.Errorf("after the removal: got the error %v, want %v", err, contest.ErrUnknown)
				}
				time.Sleep(pause)
				create(t, o, text+"2", 8)
				time.Sleep(2 * time.Hour)
				if v := view(t, d); v.Phase != contest.Ended || v.Done != 16 || v.Round != 2 || desk.count() != 16 {
					t.Errorf("got the contest %s after %d rounds with %d results of %d matches, want it ended after 2 rounds with 16 of 16", v.Phase, v.Round, v.Done, desk.count())
				}
				if err := o.Remove(t.Context(), "cup"); err != nil {
					t.Fatal(err)
				}
				create(t, o, "format: round-robin", 3)
				time.Sleep(time.Second)
				if v := view(t, d); v.Phase != contest.Open || v.Count != 3 {
					t.Errorf("after the second removal: got the contest %s with %d entries, want it open with 3", v.Phase, v.Count)
				}
			})
		})
	}
}

func TestContestThatCannotBeReadIsReadAgain(t *testing.T) {
	withDirector(t, 4, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		create(t, o, "format: round-robin\nstart: "+time.Now().Format(time.RFC3339), 4)
		desk.store.mu.Lock()
		desk.store.broken = errors.New("the disk fails")
		desk.store.mu.Unlock()
		time.Sleep(time.Minute)
		desk.store.mu.Lock()
		desk.store.broken = nil
		desk.store.mu.Unlock()
		time.Sleep(10 * time.Minute)
		if v := view(t, d); v.Phase != contest.Ended {
			t.Errorf("got the contest %s, want it ended", v.Phase)
		}
	})
}

// slowStore is a store whose reads for a view take long.
type slowStore struct {
	*memory
	slow chan struct{} // reads wait until it is closed, if their context has the key
}

type slowKey struct{}

func (s slowStore) Results(ctx context.Context, name string, after int64) ([]store.Result, error) {
	if ctx.Value(slowKey{}) != nil {
		<-s.slow
	}
	return s.memory.Results(ctx, name, after)
}

func TestReaderDelaysNoMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := slowStore{newMemory(), make(chan struct{})}
		desk := newFakeDesk(s.memory, 4)
		o := contest.Organizer{Store: s}
		d := New(o, desk, desk, Settings{Parallel: 100}, slog.New(slog.NewTextHandler(io.Discard, nil)))
		ctx, cancel := context.WithCancel(t.Context())
		done, read := make(chan struct{}), make(chan struct{})
		go func() { // ends with ctx
			runAlone(ctx, d)
			close(done)
		}()
		create(t, o, "format: round-robin\nstart: "+time.Now().Add(time.Minute).Format(time.RFC3339), 4)
		time.Sleep(time.Second)
		go func() { // ends when the store is no longer slow
			_, _ = d.View(context.WithValue(ctx, slowKey{}, true), "cup")
			close(read)
		}()
		time.Sleep(10 * time.Minute)
		if c, err := contest.Load(ctx, s, "cup"); err != nil || c.Phase != contest.Ended {
			t.Errorf("got the contest %+v and error %v, want it ended while a reader waits", c, err)
		}
		close(s.slow)
		<-read
		if v := view(t, d); v.Phase != contest.Ended {
			t.Errorf("got the view of the contest %s, want it ended", v.Phase)
		}
		cancel()
		<-done
	})
}

func TestExpensiveViewsAreComputedMoreRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, l := newMemory(), &fakeLobby{}
		d := New(contest.Organizer{Store: m}, newFakeDesk(m, 0), l, Settings{}, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { d.Run(ctx) })
		// generations returns how many there are in some seconds in which something changes all the time.
		generations := func(seconds int) uint64 {
			before := d.Generation()
			for i := range 10 * seconds {
				l.set(fmt.Sprint("match", i))
				time.Sleep(100 * time.Millisecond)
			}
			return d.Generation() - before
		}
		if n := generations(20); n < 19 || n > 21 {
			t.Errorf("got %d generations in 20 s, want one a second", n)
		}
		d.spent(6 * time.Second)
		if n := generations(50); n != 0 {
			t.Errorf("got %d generations in 50 s after a view that took 6 s, want 0", n)
		}
		if generations(20) == 0 {
			t.Error("got no generation in 70 s after a view that took 6 s, want some")
		}
		cancel()
		running.Wait()
	})
}

// fakeLobby lists matches as a test wants it.
type fakeLobby struct {
	mu         sync.Mutex // guards the fields below
	generation uint64
	matches    map[string]record.Fixture // of all contests
	asked      int
}

func (l *fakeLobby) Fixtures(string) map[string]record.Fixture {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	return l.matches
}

func (l *fakeLobby) FixturesGeneration() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.generation
}

func (l *fakeLobby) set(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.generation++
	l.matches = map[string]record.Fixture{id: {Pairing: 5}} // of the last round
}

// TestHostThatDoesNotLeadShowsTheMatchesOfTheOthers also checks how often.
func TestHostThatDoesNotLeadShowsTheMatchesOfTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, l := newMemory(), &fakeLobby{}
		o, desk := contest.Organizer{Store: m}, newFakeDesk(m, 4)
		leader := New(o, desk, desk, Settings{Parallel: 100}, slog.New(slog.DiscardHandler))
		d := New(o, desk, l, Settings{Parallel: 100}, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { d.Run(ctx) })
		create(t, o, "format: round-robin\nstart: "+time.Now().Format(time.RFC3339), 4)
		time.Sleep(time.Hour)
		if v := view(t, d); desk.count() != 0 || v.Phase != contest.Open {
			t.Errorf("got %d matches and the contest %s without a leader, want none and open", desk.count(), v.Phase)
		}
		leading, resign := context.WithCancel(ctx)
		running.Go(func() { leader.Run(leading) })
		running.Go(func() { leader.Lead(leading) })
		time.Sleep(time.Second) // the first matches have begun, and none has ended
		resign()
		time.Sleep(time.Minute)
		generation, shown := d.Generation(), ""
		for i := range 40 {
			l.set(fmt.Sprint("match", i))
			time.Sleep(100 * time.Millisecond)
			for _, x := range view(t, d).Matches {
				if x.State == "running" {
					shown = x.ID
				}
			}
		}
		if n := d.Generation() - generation; n < 3 || n > 5 {
			t.Errorf("got %d generations in 4 s, want one a second", n)
		}
		if !strings.HasPrefix(shown, "match") {
			t.Errorf("got the running match %q, want one that the lobby lists", shown)
		}
		time.Sleep(time.Minute)
		_ = view(t, d)
		before := l.asked
		for range 100 {
			time.Sleep(100 * time.Millisecond)
			_ = view(t, d)
		}
		if l.asked != before {
			t.Errorf("asked for the matches %d times in 10 s without a change, want 0", l.asked-before)
		}
		cancel()
		running.Wait()
	})
}

func TestLeadershipCanBeRegained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		o, desk := contest.Organizer{Store: m}, newFakeDesk(m, 8)
		d := New(o, desk, desk, Settings{Parallel: 100}, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { d.Run(ctx) })
		create(t, o, "format: swiss\nrounds: 5\nstart: "+time.Now().Format(time.RFC3339), 8)
		for range 20 {
			leading, resign := context.WithTimeout(ctx, 7*time.Second)
			d.Lead(leading)
			resign()
			before := desk.count()
			time.Sleep(time.Minute)
			if n := desk.count() - before; n != 0 {
				t.Errorf("got %d matches while it does not lead, want 0", n)
			}
			if n := d.Stats().Contests[contest.Running]; n != 0 {
				t.Errorf("got %d contests in the counts while it does not lead, want 0", n)
			}
		}
		v := view(t, d)
		if v.Phase != contest.Ended || v.Done != 40 || desk.twice {
			t.Errorf("got the contest %s after %d matches, want it ended after 40", v.Phase, v.Done)
		}
		cancel()
		running.Wait()
	})
}
