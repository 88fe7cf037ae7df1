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
	"colosseum/internal/test/long"
)

// serve says which players serve from now on.
func (d *fakeDesk) serve(players ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.serves = players
	d.changeLocked()
}

// dates returns the key of a contest whose first round opens in an hour, and each further one
// four hours later.
func dates(open time.Duration) string {
	return fmt.Sprintf("dates: {first: %s, every: 4h, open: %s}\n", time.Now().Add(time.Hour).UTC().Format(time.RFC3339), open)
}

func verify(t *testing.T, o contest.Organizer) {
	t.Helper()
	v, err := contest.Verify(t.Context(), o.Store, o.Store.(*memory), "cup")
	if err != nil || len(v.Problems) > 0 {
		t.Errorf("got the problems %q and error %v, want none", v.Problems, err)
	}
}

// legs returns how each match of a round was decided: its seats and its state.
func legs(v *contest.View, round int) map[string]contest.MatchView {
	list := map[string]contest.MatchView{}
	for _, m := range v.Matches {
		if m.Round == round {
			list[strings.Join(slices.Sorted(slices.Values(m.Seats)), "-")] = m
		}
	}
	return list
}

func TestRoundsArePlayedOnTheirDates(t *testing.T) {
	for _, format := range []string{"swiss\nrounds: 3", "round-robin", "knockout", "gauntlet"} {
		t.Run(format, func(t *testing.T) {
			withDirector(t, 4, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
				create(t, o, "format: "+format+"\n"+dates(2*time.Hour), 4)
				time.Sleep(59 * time.Minute)
				if v := view(t, d); v.Phase != contest.Open || v.Window == nil || v.Window.Round != 1 || !v.Start.Equal(v.Window.Opens) {
					t.Errorf("got the contest %s with the window %v before round 1, want it open until then", v.Phase, v.Window)
				}
				rounds := 3
				if format == "knockout" {
					rounds = 2
				}
				played := 0
				for round := 1; round <= rounds; round++ {
					time.Sleep(2 * time.Minute)
					v := view(t, d)
					for _, m := range legs(v, round) {
						if m.State != "finished" {
							t.Errorf("round %d: got the match %v %s, want it finished when the round has been open for a minute", round, m.Seats, m.State)
						}
					}
					if len(legs(v, round)) == 0 || desk.count() <= played {
						t.Errorf("round %d: got no match, want some", round)
					}
					played = desk.count()
					time.Sleep(4*time.Hour - 3*time.Minute)
					if got := desk.count(); got != played {
						t.Errorf("got %d matches before round %d opens, want %d", got, round+1, played)
					}
					time.Sleep(time.Minute)
				}
				if v := view(t, d); v.Phase != contest.Ended {
					t.Errorf("got the contest %s after its last round, want it ended", v.Phase)
				}
				verify(t, o)
			})
		})
	}
}

func TestMatchWaitsUntilAllOfItsPlayersAreThere(t *testing.T) {
	withDirector(t, 0, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		create(t, o, "format: swiss\nrounds: 1\nmatches: 1\n"+dates(4*time.Hour), 8)
		time.Sleep(61 * time.Minute)
		opponent := map[string]string{}
		for _, m := range legs(view(t, d), 1) {
			opponent[m.Seats[0]], opponent[m.Seats[1]] = m.Seats[1], m.Seats[0]
		}
		var pairs [][2]string
		for i := range 8 {
			if p := fmt.Sprintf("p%02d", i); opponent[p] > p {
				pairs = append(pairs, [2]string{p, opponent[p]})
			}
		}
		// Those of the first pair are never there at the same time, of the second one nobody
		// comes, of the third one only one player, and those of the fourth one meet.
		desk.serve(pairs[0][0], pairs[2][0], pairs[3][0])
		time.Sleep(time.Hour)
		desk.serve(pairs[0][1])
		time.Sleep(time.Hour)
		if desk.count() > 0 {
			t.Errorf("got %d matches whose players were not there, want none", desk.count())
		}
		desk.serve(pairs[3][0], pairs[3][1])
		time.Sleep(time.Hour)
		if desk.count() != 1 {
			t.Errorf("got %d matches, want that of the players that were there at the same time", desk.count())
		}
		if v := view(t, d); v.Done != 1 {
			t.Errorf("got %d matches decided while the round is open, want 1", v.Done)
		}
		time.Sleep(2 * time.Hour)
		got := legs(view(t, d), 1)
		for i, want := range []string{"void", "walkover", "walkover", "finished"} {
			m := got[pairs[i][0]+"-"+pairs[i][1]]
			absent := [][]string{nil, {pairs[1][0], pairs[1][1]}, {pairs[2][1]}, nil}[i]
			slices.Sort(m.Absent)
			if m.State != want || !slices.Equal(m.Absent, absent) {
				t.Errorf("the match of %v: got it %s with %v absent, want it %s with %v", pairs[i], m.State, m.Absent, want, absent)
			}
		}
		verify(t, o)
	})
}

func TestPlayerAtThePageSaysThatItIsThere(t *testing.T) {
	withDirector(t, 0, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		create(t, o, "format: swiss\nrounds: 1\nmatches: 1\n"+dates(4*time.Hour), 2)
		_, err := d.Here(t.Context(), "cup", "P00")
		if want := "the contest cup is open"; err == nil || err.Error() != want {
			t.Errorf("before the start: got %v, want %q", err, want)
		}
		time.Sleep(61 * time.Minute)
		if _, err := d.Here(t.Context(), "cup", "zoe"); err == nil || err.Error() != "zoe has no match to play now in the contest cup" {
			t.Errorf("somebody else: got %v, want that it has no match", err)
		}
		if _, err := d.Here(t.Context(), "cup", "P00"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if v := view(t, d); len(v.Here) != 1 || v.Here[0].Player != "p00" || v.Here[0].Round != 1 {
			t.Errorf("got %v there, want p00", v.Here)
		}
		time.Sleep(time.Hour)
		desk.serve("p01")
		time.Sleep(time.Hour)
		if desk.count() > 0 {
			t.Error("got a match with a player that was there an hour ago, want none")
		}
		desk.absent["p00"] = true
		before := len(events(t, o))
		for range 3 { // only the first one is noted
			if _, err := d.Here(t.Context(), "cup", "p00"); err != nil {
				t.Fatal(err)
			}
		}
		if got := len(events(t, o)) - before; got != 1 {
			t.Errorf("got %d events of a player that says three times that it is there, want 1", got)
		}
		time.Sleep(20 * time.Minute)
		if desk.count() != 1 {
			t.Errorf("got %d matches of a player that does not come, want 1 until it says again that it is there", desk.count())
		}
		if v := view(t, d); v.Done > 0 {
			t.Error("got a walkover while the round is open, want none")
		}
		desk.mu.Lock()
		desk.absent["p00"] = false
		desk.mu.Unlock()
		if _, err := d.Here(t.Context(), "cup", "p00"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if v := view(t, d); v.Done != 1 || v.Phase != contest.Ended {
			t.Errorf("got %d matches decided and the contest %s, want it played to its end", v.Done, v.Phase)
		}
		verify(t, o)
	})
}

// events returns the events of the contest.
func events(t *testing.T, o contest.Organizer) []string {
	t.Helper()
	list, err := o.Store.Events(t.Context(), "cup", 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range list {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

func TestPlayerThatDoesNotComeWhenItIsCalledLoses(t *testing.T) {
	withDirector(t, 2, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		desk.absent["p01"] = true
		create(t, o, "format: swiss\nrounds: 1\nmatches: 1\ngrace: 20m\n"+dates(2*time.Hour), 2)
		time.Sleep(2 * time.Hour)
		if v := view(t, d); v.Done > 0 || desk.count() == 0 {
			t.Errorf("got %d matches decided of %d that began, want none while the round is open", v.Done, desk.count())
		}
		time.Sleep(90 * time.Minute)
		if m := view(t, d).Matches[0]; m.State != "walkover" || !slices.Equal(m.Absent, []string{"p01"}) {
			t.Errorf("got the match %s with %v absent, want that p01 loses it", m.State, m.Absent)
		}
		verify(t, o)
	})
}

func TestProgramsPlayWhenTheirRoundOpens(t *testing.T) {
	programs := &fakePrograms{versions: map[string]int{"p00": 1, "p01": 1, "p02": 1}, limit: 2}
	withSettings(t, 0, Settings{Parallel: 100, Programs: programs}, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		create(t, o, "format: round-robin\nmatches: 1\n"+dates(2*time.Hour), 4)
		time.Sleep(12 * time.Hour)
		v := view(t, d)
		if v.Phase != contest.Ended {
			t.Fatalf("got the contest %s, want it ended", v.Phase)
		}
		for _, m := range v.Matches {
			want := "finished"
			if slices.Contains(m.Seats, "p03") { // it is never there
				want = "walkover"
			}
			if m.State != want {
				t.Errorf("round %d, %v: got the match %s, want it %s", m.Round, m.Seats, m.State, want)
			}
		}
		verify(t, o)
	})
}

// TestTiedKnockoutGoesOnWhenItsRoundHasClosed: the players go away after a draw, so that the
// replays cannot be played.
func TestTiedKnockoutGoesOnWhenItsRoundHasClosed(t *testing.T) {
	withDirector(t, 0, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		desk.mu.Lock()
		desk.draws = true
		desk.mu.Unlock()
		all := []string{"p00", "p01", "p02", "p03"}
		desk.serve(all...)
		create(t, o, "format: knockout\nmatches: 1\nseeding: entry\n"+dates(2*time.Hour), 4)
		for desk.count() < 2 {
			time.Sleep(100 * time.Millisecond)
		}
		desk.serve()
		time.Sleep(time.Hour)
		if v := view(t, d); v.Round != 1 || desk.count() != 2 || v.Done != 2 || v.All != 4 {
			t.Errorf("got %d of %d matches of round %d decided, want 2 draws and 2 replays", v.Done, v.All, v.Round)
		}
		time.Sleep(time.Hour + time.Minute)
		if v := view(t, d); v.Done != v.All || desk.count() != 2 {
			t.Errorf("got %d of %d matches decided and %d played when the round has closed, want all and 2", v.Done, v.All, desk.count())
		}
		desk.serve(all...)
		time.Sleep(2*time.Hour + time.Minute)
		v := view(t, d)
		if _, ok := legs(v, 2)["p00-p01"]; !ok || v.Phase != contest.Ended || v.Standings[0].Name != "p00" {
			t.Errorf("got the contest %s and the matches %v of round 2, want that the better seeds went on", v.Phase, legs(v, 2))
		}
		verify(t, o)
	})
}

func TestReminderIsSentOnceBeforeARoundCloses(t *testing.T) {
	withDirector(t, 0, func(t *testing.T, d *Director, _ *fakeDesk, o contest.Organizer) {
		create(t, o, "format: swiss\nrounds: 1\nmatches: 1\n"+dates(4*time.Hour), 4)
		reminders := func() int {
			n := 0
			for _, kind := range events(t, o) {
				if kind == string(contest.Remind) {
					n++
				}
			}
			return n
		}
		time.Sleep(3*time.Hour - time.Minute)
		if reminders() != 0 {
			t.Error("got a reminder in the first half of the round, want none")
		}
		time.Sleep(2 * time.Minute)
		if reminders() != 1 {
			t.Errorf("got %d reminders, want 1", reminders())
		}
		if err := o.Shift(t.Context(), "cup", 1, time.Time{}, time.Now().Add(4*time.Hour), "half term"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Hour)
		if reminders() != 2 {
			t.Errorf("got %d reminders, want another one before the new end", reminders())
		}
		if v := view(t, d); v.Phase != contest.Ended {
			t.Errorf("got the contest %s, want it ended", v.Phase)
		}
	})
}

func TestRoundThatNoHostHasOpenedIsOpenForItsWholeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		desk := newFakeDesk(m, 0)
		o := contest.Organizer{Store: m}
		create(t, o, "format: round-robin\nmatches: 1\n"+dates(2*time.Hour), 4)
		run := func(most time.Duration) {
			d := New(o, desk, desk, Settings{Parallel: 100}, slog.New(slog.DiscardHandler))
			ctx, cancel := context.WithTimeout(t.Context(), most)
			defer cancel()
			runAlone(ctx, d)
		}
		run(90 * time.Minute)
		time.Sleep(8 * time.Hour) // the first round has closed, the second one passes, and the third one is open
		run(time.Minute)
		s, err := o.Load(t.Context(), "cup")
		if err != nil {
			t.Fatal(err)
		}
		if done, _ := s.Count(); done != 2 {
			t.Errorf("got %d matches decided, want those of the round that had been open", done)
		}
		desk.serve("p00", "p01", "p02", "p03")
		run(2 * time.Hour)
		if s, err = o.Load(t.Context(), "cup"); err != nil || s.Phase != contest.Ended {
			t.Errorf("got the contest %s and error %v, want it ended", s.Phase, err)
		}
		verify(t, o)
	})
}

// crowd is an attendance of players that come and go by chance.
type crowd struct {
	tournament *tournament
	random     *rand.Rand

	mu      sync.Mutex // guards the fields below
	there   map[string]bool
	changed chan struct{}
}

// come lets players come and go until ctx ends.
func (c *crowd) come(ctx context.Context) {
	for ctx.Err() == nil {
		c.mu.Lock()
		c.there = map[string]bool{}
		for i := range 16 {
			if c.random.IntN(4) == 0 {
				c.there[fmt.Sprint("p", i)] = true
			}
		}
		close(c.changed)
		c.changed = make(chan struct{})
		wait := time.Duration(1+c.random.IntN(10_000)) * time.Millisecond
		c.mu.Unlock()
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

func (c *crowd) There() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.there
}

func (c *crowd) Automatic(e contest.Entry) bool { return e.Player == "p0" || e.Player == "p1" }
func (c *crowd) Listed() map[legKey]bool        { return nil }
func (c *crowd) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// Play checks that a match may begin.
func (c *crowd) Play(ctx context.Context, m contest.Match) ([]int, error) {
	s := c.tournament.state()
	w, _ := s.Window(m.Round)
	now := time.Now()
	alone := c.Automatic(m.Entries[0]) && c.Automatic(m.Entries[len(m.Entries)-1])
	if now.Before(w.Opens) || !now.Before(w.Closes) && !alone {
		c.tournament.t.Errorf("a match of round %d began at %s, want it from %s to %s", m.Round+1, now, w.Opens, w.Closes)
	}
	return c.tournament.runner.Play(ctx, m)
}

func TestRandomRoundsOnDatesSurviveKillsAndShifts(t *testing.T) {
	formats := []string{
		"format: round-robin\nmatches: 1", "format: swiss\nmatches: 2\nrounds: 4", "format: knockout\nmatches: 1", "format: double-elimination\nmatches: 1", "format: gauntlet\nmatches: 1",
		"format: swiss\nplayers: 3\nrounds: 3", "format: score\nrounds: 3",
	}
	for i := range long.Number(28, 140) {
		synctest.Test(t, func(t *testing.T) { playRandomDates(t, i, formats[i%len(formats)]) })
		if t.Failed() {
			t.Fatalf("contest %d failed", i)
		}
	}
}

func playRandomDates(t *testing.T, number int, text string) {
	first := time.Now().Add(time.Second)
	text += fmt.Sprintf("\ndates: {first: %s, every: 60s, open: %ds}", first.UTC().Format(time.RFC3339Nano), 20+number%41)
	x := newTournament(t, uint64(number), text, 3+number%11)
	x.runner.faults = number%3 > 0
	o := contest.Organizer{Store: x.store}
	for range 2000 {
		if !playDated(x, time.Duration(1+x.rand.IntN(30_000))*time.Millisecond) {
			break
		}
		time.Sleep(time.Duration(x.rand.IntN(20)*x.rand.IntN(20)) * time.Second) // nothing runs
		s := x.state()
		round := 1 + x.rand.IntN(4)
		if w, ok := s.Window(round - 1); ok && x.rand.IntN(4) == 0 {
			later := time.Duration(x.rand.IntN(60)) * time.Second
			err := o.Shift(t.Context(), "cup", round, w.Opens.Add(later), w.Closes.Add(later), "")
			if err != nil && !strings.Contains(err.Error(), "is over") && !strings.Contains(err.Error(), "has ended") && !strings.Contains(err.Error(), "closed at") && !strings.Contains(err.Error(), "has no round") {
				t.Fatal(err)
			}
		}
	}
	x.check()
}

// playDated plays a contest for some time, and reports whether it has not ended.
func playDated(x *tournament, most time.Duration) bool {
	ctx, cancel := context.WithTimeout(x.t.Context(), most)
	defer cancel()
	c := &crowd{tournament: x, random: rand.New(rand.NewPCG(x.rand.Uint64(), 2)), changed: make(chan struct{})}
	var coming sync.WaitGroup
	coming.Go(func() { c.come(ctx) })
	err := Run(ctx, Contest{Store: x.store, Runner: c, Name: "cup", Parallel: 3, OneEach: true, Attendance: c, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	cancel()
	coming.Wait()
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		x.t.Fatal(err)
	}
	return err != nil
}

// listing is an attendance of nobody, while matches of an earlier leader run.
type listing struct {
	crowd
	listed map[legKey]bool
}

func (l *listing) There() map[string]bool       { return nil }
func (l *listing) Automatic(contest.Entry) bool { return false }
func (l *listing) Listed() map[legKey]bool      { return l.listed }

func TestMatchOfAnEarlierLeaderIsAwaitedWhenItsRoundHasClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTournament(t, 1, "format: swiss\nrounds: 1\nmatches: 1\ndates: {first: "+time.Now().UTC().Format(time.RFC3339)+", every: 1h}", 4)
		l := &listing{crowd: crowd{changed: make(chan struct{})}}
		run := func(most time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), most)
			defer cancel()
			return Run(ctx, Contest{Store: x.store, Runner: x.runner, Name: "cup", Parallel: 3, OneEach: true, Attendance: l, Log: slog.New(slog.DiscardHandler)})
		}
		if err := run(time.Minute); !errors.Is(err, context.DeadlineExceeded) || x.runner.played > 0 {
			t.Fatalf("got %v and %d matches, want that the contest waits for its players", err, x.runner.played)
		}
		time.Sleep(time.Hour)
		l.listed = map[legKey]bool{{0, 0}: true}
		if err := run(time.Hour); err != nil {
			t.Fatal(err)
		}
		x.check()
		s := x.state()
		if a, b := s.Pairs[0].Legs[0].State, s.Pairs[1].Legs[0].State; a != contest.Played || b != contest.Walkover {
			t.Errorf("got the match that ran %s and the other one %s, want one %s and one %s", a, b, contest.Played, contest.Walkover)
		}
	})
}
