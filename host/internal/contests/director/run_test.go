package director

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
	"colosseum/internal/test/long"
)

// chance is a runner with which anything can happen. Entries with lower numbers win more
// often.
type chance struct {
	store  *memory
	rand   *rand.Rand
	faults bool // matches are aborted, entries absent, and errors returned

	mu      sync.Mutex // guards the fields below and rand
	played  int
	playing map[legKey]bool
	most    int         // matches at the same time
	entries map[int]int // that play now, with how many matches
	crowded bool        // an entry played two matches at the same time
	double  bool        // a leg was played twice at the same time
}

func (c *chance) begin(m contest.Match) (kind float64, took time.Duration, ranks []int, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.played++
	l := legKey{m.Pairing, m.Leg}
	c.double = c.double || c.playing[l]
	c.playing[l] = true
	c.most = max(c.most, len(c.playing))
	for _, n := range m.Seats {
		c.entries[n]++
		c.crowded = c.crowded || c.entries[n] > 1
	}
	ranks = make([]int, len(m.Seats))
	strength := make([]float64, len(m.Seats))
	for i, n := range m.Seats {
		strength[i] = c.rand.Float64()*6 - float64(n)/4
		if c.rand.IntN(4) == 0 {
			strength[i] = 0 // ties
		}
	}
	for i := range ranks {
		ranks[i] = 1
		for j := range ranks {
			if strength[j] > strength[i] {
				ranks[i]++
			}
		}
	}
	return c.rand.Float64(), time.Duration(c.rand.IntN(1000)) * time.Millisecond, ranks, fmt.Sprint("match", c.played)
}

func (c *chance) end(m contest.Match) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.playing, legKey{m.Pairing, m.Leg})
	for _, n := range m.Seats {
		if c.entries[n]--; c.entries[n] == 0 {
			delete(c.entries, n)
		}
	}
}

func (c *chance) Play(ctx context.Context, m contest.Match) ([]int, error) {
	kind, took, ranks, id := c.begin(m)
	defer c.end(m)
	select {
	case <-time.After(took):
	case <-ctx.Done():
		return nil, nil
	}
	switch {
	case c.faults && kind < 0.03:
		return nil, errors.New("the lobby is full")
	case c.faults && kind < 0.06:
		return m.Seats[:1+int(kind*1e4)%len(m.Seats)], nil
	case c.faults && kind < 0.25:
		ranks = nil
	}
	c.store.finish(id, m, ranks)
	return nil, nil
}

// tournament is a random contest that a test plays.
type tournament struct {
	t      *testing.T
	store  *memory
	runner *chance
	rand   *rand.Rand
	spec   *contest.Spec
}

func newTournament(t *testing.T, seed uint64, text string, entries int) *tournament {
	t.Helper()
	var list strings.Builder
	fmt.Fprintf(&list, "name: cup\ngame: duel\nseed: %d\n%s\nentries:\n", seed+1, text)
	for i := range entries {
		fmt.Fprintf(&list, "  - {player: p%d}\n", i)
	}
	m := newMemory()
	o := contest.Organizer{Store: m}
	spec, err := o.Create(t.Context(), []byte(list.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Start(t.Context(), "cup"); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	return &tournament{t, m, &chance{store: m, rand: r, playing: map[legKey]bool{}, entries: map[int]int{}}, rand.New(rand.NewPCG(seed, 1)), spec}
}

// play runs the contest until it has ended or the time is over.
func (x *tournament) play(most time.Duration, parallel int, oneEach bool) error {
	return x.playBy(x.runner, most, parallel, oneEach)
}

// playBy is play with another runner.
func (x *tournament) playBy(runner Runner, most time.Duration, parallel int, oneEach bool) error {
	ctx, cancel := context.WithTimeout(x.t.Context(), most)
	defer cancel()
	wake := make(chan struct{})
	go func() { // ends with ctx
		for {
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return
			}
			select {
			case wake <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return Run(ctx, Contest{
		Store: x.store, Runner: runner, Name: "cup", Parallel: parallel, OneEach: oneEach, Wake: wake,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
}

// state returns the contest as a new process would read it.
func (x *tournament) state() *contest.State {
	x.t.Helper()
	s, err := contest.Load(x.t.Context(), x.store, "cup")
	if err != nil {
		x.t.Fatal(err)
	}
	return s
}

// check checks a contest that has ended.
func (x *tournament) check() {
	x.t.Helper()
	s := x.state()
	if s.Phase != contest.Ended {
		x.t.Fatalf("got the contest %s, want it ended", s.Phase)
	}
	if x.runner.double {
		x.t.Error("got a leg played twice at the same time, want once")
	}
	v, err := contest.Verify(x.t.Context(), x.store, x.store, "cup")
	if err != nil {
		x.t.Fatal(err)
	}
	if len(v.Problems) > 0 {
		x.t.Errorf("got the problems %q, want none", v.Problems)
	}
	times := map[legKey]int{}
	for _, r := range x.store.results {
		if !r.Aborted {
			times[legKey{r.Pairing, r.Leg}]++
		}
	}
	played := 0
	for i, p := range s.Pairs {
		for j, l := range p.Legs {
			switch n := times[legKey{i, j}]; {
			case l.State == contest.Planned:
				x.t.Errorf("got leg %d of pairing %d undecided at the end, want it decided", j, i)
			case l.State == contest.Played && n != 1, l.State != contest.Played && n != 0:
				x.t.Errorf("leg %d of pairing %d (%s): got %d finished matches, want 1 if it was played, else 0", j, i, l.State, n)
			case n == 1:
				played++
			}
		}
	}
	if played != len(times) {
		x.t.Errorf("got %d legs with results, want %d", played, len(times))
	}
}

func TestContestIsPlayedToItsEnd(t *testing.T) {
	for _, text := range []string{
		"format: round-robin", "format: round-robin\nplayers: 3\nrounds: 4", "format: swiss\nrounds: 4", "format: knockout",
		"format: double-elimination", "format: gauntlet", "format: swiss\nplayers: 4\nmatches: 2\nrounds: 3",
		"format: score\nrounds: 3\nmatches: 2",
	} {
		t.Run(text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newTournament(t, 1, text, 9)
				if err := x.play(24*time.Hour, 3, true); err != nil {
					t.Fatal(err)
				}
				x.check()
				if x.runner.crowded {
					t.Error("got an entry with two matches at the same time, want one")
				}
				if x.runner.most > 3 {
					t.Errorf("got %d matches at the same time, want at most 3", x.runner.most)
				}
			})
		})
	}
}

func TestRandomContestsSurviveKillsAndWithdrawals(t *testing.T) {
	formats := []string{
		"format: round-robin\nmatches: 1", "format: swiss\nmatches: 2", "format: knockout\nmatches: 1", "format: double-elimination\nmatches: 2", "format: gauntlet",
		"format: round-robin\nplayers: 3\nrounds: 3", "format: score\nrounds: 3",
	}
	const shards = 4
	contests := long.Number(48, 240)
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			for i := shard; i < contests && !t.Failed(); i += shards {
				synctest.Test(t, func(t *testing.T) { playRandom(t, i, formats[i%len(formats)]) })
			}
		})
	}
}

// playRandom plays a contest with faults, by processes that are killed at any moment.
func playRandom(t *testing.T, number int, text string) {
	x := newTournament(t, uint64(number), text, 3+number%11)
	x.runner.faults = true
	o := contest.Organizer{Store: x.store}
	for range 1000 {
		err := x.play(time.Duration(1+x.rand.IntN(4000))*time.Millisecond, 1+number%4, number%2 == 0)
		if err == nil {
			break
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("contest %d: %v", number, err)
		}
		change(t, x, o)
	}
	x.check()
	if t.Failed() {
		t.Errorf("contest %d failed", number)
	}
}

// change has the organizer do something between two processes.
func change(t *testing.T, x *tournament, o contest.Organizer) {
	t.Helper()
	s := x.state()
	if s.Phase == contest.Ended {
		return
	}
	var err error
	switch x.rand.IntN(12) {
	case 0:
		err = o.Withdraw(t.Context(), "cup", []string{fmt.Sprint("p", x.rand.IntN(len(s.Entries)))}, x.rand.IntN(2) == 0)
	case 1:
		late := []contest.Entry{{Name: fmt.Sprint("late", len(s.Entries)), Player: fmt.Sprint("late", len(s.Entries))}}
		if f := s.Spec.Format; f != pairing.Knockout && f != pairing.DoubleElimination && len(s.Entries) < 16 {
			err = o.Enter(t.Context(), "cup", late, false)
		}
	case 2:
		if err = o.Pause(t.Context(), "cup", ""); err == nil {
			if e := x.play(time.Second, 2, true); !errors.Is(e, context.DeadlineExceeded) {
				t.Fatalf("a paused contest: got %v, want that it waits", e)
			}
			err = o.Resume(t.Context(), "cup")
		}
	}
	var known *contest.UnknownError
	if err != nil && !strings.Contains(err.Error(), "is not in the contest") || errors.As(err, &known) {
		t.Fatal(err)
	}
}

// failing is a runner with which no match can begin.
type failing struct{ played atomic.Int64 }

func (f *failing) Play(context.Context, contest.Match) ([]int, error) {
	f.played.Add(1)
	return nil, errors.New("there is no such game")
}

func TestLegsAreNotAllTriedWhileNoMatchCanBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTournament(t, 1, "format: round-robin", 60)
		runner := &failing{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		err := Run(ctx, Contest{Store: x.store, Runner: runner, Name: "cup", Parallel: 4, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got the error %v, want that of the context", err)
		}
		if got := runner.played.Load(); got < 200 || got > 1000 {
			t.Errorf("got %d attempts in an hour, want about 4 in 30 s", got)
		}
	})
}

func TestRunEndsWhenItsContestIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		o := contest.Organizer{Store: m}
		if _, err := o.Create(t.Context(), []byte("name: cup\ngame: duel\nformat: swiss\nentries: open")); err != nil {
			t.Fatal(err)
		}
		wake := make(chan struct{}, 1)
		time.AfterFunc(time.Minute, func() {
			_ = m.Remove(t.Context(), "cup")
			wake <- struct{}{}
		})
		err := Run(t.Context(), Contest{Store: m, Name: "cup", Parallel: 1, Wake: wake, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
		if !errors.Is(err, store.ErrNoContest) {
			t.Errorf("got the error %v, want %v", err, store.ErrNoContest)
		}
	})
}

// TestLegThatIsTriedAgainEndsWithTheContest: synctest fails if a goroutine is left.
func TestLegThatIsTriedAgainEndsWithTheContest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTournament(t, 1, "format: round-robin", 4)
		o := contest.Organizer{Store: x.store}
		wake := make(chan struct{}, 1)
		time.AfterFunc(100*time.Millisecond, func() {
			if err := o.End(t.Context(), "cup", ""); err != nil {
				t.Error(err)
			}
			wake <- struct{}{}
		})
		ctx := context.WithoutCancel(t.Context())
		if err := Run(ctx, Contest{Store: x.store, Runner: &failing{}, Name: "cup", Parallel: 1, Wake: wake, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}); err != nil {
			t.Fatal(err)
		}
	})
}
