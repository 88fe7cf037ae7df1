package director

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/internal/test/long"
)

// teacher is a runner during whose matches an organizer decides about results.
type teacher struct {
	*chance
	x *tournament
}

func (r teacher) Play(ctx context.Context, m contest.Match) ([]int, error) {
	if m.Leg == 0 && m.Pairing%5 == 0 {
		r.mu.Lock() // of the random numbers
		meddle(r.x)
		r.mu.Unlock()
	}
	return r.chance.Play(ctx, m)
}

// meddle has an organizer decide about something. What is refused stays as it was.
func meddle(x *tournament) {
	o := contest.Organizer{Store: x.store, By: "tea"}
	ctx := x.t.Context()
	s := x.state()
	if len(s.Pairs) == 0 {
		return
	}
	pairing := x.rand.IntN(len(s.Pairs))
	p := s.Pairs[pairing]
	leg := x.rand.IntN(max(1, len(p.Legs)))
	entry := fmt.Sprint("p", x.rand.IntN(len(s.Entries)))
	var err error
	switch x.rand.IntN(9) {
	case 0, 1:
		r := contest.Ruling{Action: contest.Set}
		for range p.Entrants {
			r.Points = append(r.Points, []float64{0, 0.5, 1}[x.rand.IntN(3)])
		}
		err = o.Rule(ctx, "cup", pairing, leg, r, "set")
	case 2:
		err = o.Rule(ctx, "cup", pairing, leg, contest.Ruling{Action: contest.Annul}, "annul")
	case 3, 4:
		err = o.Rule(ctx, "cup", pairing, leg, contest.Ruling{Action: contest.Replay}, "replay")
	case 5, 6:
		err = o.Undo(ctx, "cup", 1+x.rand.Int64N(s.Last()), "undo")
	case 7:
		err = o.Rename(ctx, "cup", entry, fmt.Sprint("n", x.rand.IntN(100)), "rename")
	case 8:
		if err = o.Bar(ctx, "cup", []string{entry}, "bar"); err == nil && x.rand.IntN(2) == 0 {
			err = o.Forgive(ctx, "cup", []string{entry}, "forgive")
		}
	}
	if known := (*contest.UnknownError)(nil); errors.As(err, &known) || errors.Is(err, contest.ErrUnreadable) {
		x.t.Error(err)
	}
}

// TestRandomContestsSurviveRulings plays contests with faults, by processes that are killed at
// any moment, in which an organizer decides at any moment about results.
func TestRandomContestsSurviveRulings(t *testing.T) {
	formats := []string{
		"format: round-robin\nmatches: 1", "format: swiss\nmatches: 2\nrounds: 4", "format: knockout\nmatches: 1", "format: double-elimination\nmatches: 2", "format: gauntlet",
		"format: swiss\nplayers: 3\nrounds: 3", "format: score\nrounds: 3",
	}
	contests := long.Number(21, 105)
	rulings, again := 0, 0
	for i := range contests {
		synctest.Test(t, func(t *testing.T) {
			x := newTournament(t, uint64(i), "organizers: [tea]\n"+formats[i%len(formats)], 3+i%9)
			x.runner.faults = true
			for range 400 {
				err := x.playBy(teacher{x.runner, x}, time.Duration(1+x.rand.IntN(4000))*time.Millisecond, 1+i%4, i%2 == 0)
				if err == nil {
					break
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("contest %d: %v", i, err)
				}
				if x.rand.IntN(3) == 0 {
					meddle(x)
				}
			}
			for range 3 { // after the end
				meddle(x)
			}
			r, a := checkRulings(x)
			rulings, again = rulings+r, again+a
		})
		if t.Failed() {
			t.Fatalf("contest %d failed", i)
		}
	}
	if rulings < contests || again < contests/4 {
		t.Errorf("got %d rulings and %d legs that were played again in %d contests, want more", rulings, again, contests)
	}
}

// checkRulings checks a contest that has ended, and returns how many decisions it has, and how
// many legs were played again.
func checkRulings(x *tournament) (rulings, again int) {
	t := x.t
	t.Helper()
	s := x.state()
	if s.Phase != contest.Ended {
		t.Fatalf("got the contest %s, want it ended", s.Phase)
	}
	v, err := contest.Verify(t.Context(), x.store, x.store, "cup")
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Problems) > 0 {
		t.Errorf("got the problems %q, want none", v.Problems)
	}
	played := map[string]bool{}
	for _, r := range x.store.results {
		if key := fmt.Sprint(r.Pairing, r.Leg, r.Attempt); !r.Aborted {
			if played[key] {
				t.Errorf("the attempt %s was played twice", key)
			}
			played[key] = true
		}
	}
	view, err := s.View(nil)
	if err != nil {
		t.Fatal(err)
	}
	points := map[string]float64{}
	for _, m := range view.Matches {
		if len(m.Earlier) > 0 {
			again++
		}
		if m.State == string(contest.Planned) {
			t.Errorf("leg %d of pairing %d is planned at the end", m.Leg, m.Pairing)
		}
		for i := range m.Points {
			points[m.Seats[i]] += m.Points[i]
		}
	}
	if strings.HasPrefix(string(s.Spec.Format), "swiss") || s.Spec.Format == "gauntlet" {
		for _, row := range view.Standings {
			if math.Abs(row.Points-points[row.Name]) > 1e-6 {
				t.Errorf("%s: got %v points, want %v", row.Name, row.Points, points[row.Name])
			}
		}
	}
	sameStepByStep(x, view)
	return len(view.Rulings), again
}

// sameStepByStep checks that a reader that has followed the contest has the same state.
func sameStepByStep(x *tournament, want *contest.View) {
	x.t.Helper()
	all := x.store.contests["cup"]
	s, err := contest.NewState(all)
	if err != nil {
		x.t.Fatal(err)
	}
	next := 0
	for _, e := range x.store.events["cup"] {
		for next < len(x.store.results) && !x.store.results[next].Ended.After(e.At) {
			if err := s.Add(x.store.results[next]); err != nil {
				x.t.Fatal(err)
			}
			next++
		}
		if err := s.Apply(e); err != nil {
			x.t.Fatal(err)
		}
	}
	for _, r := range x.store.results[next:] {
		if err := s.Add(r); err != nil {
			x.t.Fatal(err)
		}
	}
	v, err := s.View(nil)
	if err != nil {
		x.t.Fatal(err)
	}
	got, _ := json.Marshal(v)
	if other, _ := json.Marshal(want); string(got) != string(other) {
		x.t.Errorf("a reader that has followed the contest: got\n%s\nwant\n%s", got, other)
	}
}

func TestDecisionAfterTheEndIsShown(t *testing.T) {
	withDirector(t, 4, func(t *testing.T, d *Director, _ *fakeDesk, o contest.Organizer) {
		create(t, o, "organizers: [tea]\nformat: round-robin\nmatches: 1", 4)
		if err := d.Organize(t.Context(), "cup", "tea", contest.Order{Action: "start"}); err != nil {
			t.Fatal(err)
		}
		for _, action := range []string{"pause", "resume"} {
			if err := d.Organize(t.Context(), "cup", "tea", contest.Order{Action: action}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
		v := view(t, d)
		if v.Phase != contest.Ended || len(v.Rulings) != 0 {
			t.Fatalf("got the contest %s with the decisions %v, want it ended without any", v.Phase, v.Rulings)
		}
		rule := contest.Order{Action: "rule", Pairing: 1, Leg: 1, Ruling: &contest.Ruling{Action: contest.Annul}, Reason: "seen too late"}
		if err := d.Organize(t.Context(), "cup", "p00", rule); !errors.Is(err, contest.ErrOrganizer) {
			t.Errorf("the order of a player: got %v, want %v", err, contest.ErrOrganizer)
		}
		if err := d.Organize(t.Context(), "cup", "tea", rule); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if v := view(t, d); len(v.Rulings) != 1 || v.Rulings[0].By != "tea" || v.Matches[0].Points[0] != 0 || v.Matches[0].Points[1] != 0 {
			t.Errorf("got the decisions %+v and the match %+v, want it annulled by tea", v.Rulings, v.Matches[0])
		}
		if list, err := d.List(t.Context()); err != nil || len(list) != 1 {
			t.Errorf("got the list %v, %v", list, err)
		}
		if ok, err := d.Organizes(t.Context(), "CUP", "TEA"); err != nil || !ok {
			t.Errorf("tea organizes the cup: got %t, %v", ok, err)
		}
	})
}
