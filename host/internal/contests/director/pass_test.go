package director

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/records/store"
	"colosseum/internal/test/long"
)

const passText = "format: pass\npass: {against: easy, wins: 3, of: 5, tries: 2}"

func TestTriesOfAPassMarkArePlayed(t *testing.T) {
	here := func(game string) bool { return game == "duel" }
	away := func(string) bool { return false }
	programs := newPrograms(1, 1, 1)
	withSettings(t, 3, Settings{Parallel: 100, Programs: programs}, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		create(t, o, passText, 2)
		time.Sleep(time.Second)
		if err := d.Enter(t.Context(), "cup", "p02"); err != nil {
			t.Fatal(err)
		}
		if v := view(t, d); v.Phase != contest.Running || v.Count != 3 || desk.count() > 0 {
			t.Fatalf("got the contest %s with %d entries and %d matches, want it running with 3 and none", v.Phase, v.Count, desk.count())
		}
		engaged := func(player string) int {
			desk.mu.Lock()
			defer desk.mu.Unlock()
			return desk.engaged[player]
		}
		if err := d.Try(t.Context(), "cup", "p02", away); err == nil || !strings.Contains(err.Error(), "let it serve with coco serve duel -- PROGRAM") {
			t.Errorf("a try of a player that is away: got %v, want what to do", err)
		}
		for _, p := range []string{"p00", "p01"} {
			here := map[string]func(string) bool{"p00": here, "p01": away}[p] // a program plays for p01
			if err := d.Try(t.Context(), "cup", p, here); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(300 * time.Millisecond)
		if engaged("p00") != 1 || engaged("p01") != 0 || engaged("p02") != 0 {
			t.Error("want that p00 is engaged alone: a program plays for p01, and p02 tries nothing")
		}
		if err := d.Try(t.Context(), "cup", "p00", here); err == nil || !strings.Contains(err.Error(), "is being tried by p00 now") {
			t.Errorf("a second try at the same time: got %v, want a refusal", err)
		}
		time.Sleep(5 * time.Minute)
		v := view(t, d)
		for i, r := range v.Standings[:2] {
			if r.Pass.Tries != 1 || r.Pass.Left != 1 || r.Played != 5 || r.Pass.At.IsZero() != (r.Pass.Best < 3) {
				t.Errorf("place %d: got %+v with %+v, want one try of five matches", i+1, r, r.Pass)
			}
		}
		if v.Phase != contest.Running || engaged("p00") != 0 {
			t.Errorf("got the contest %s, want it running, and p00 free for others", v.Phase)
		}
		if err := d.Try(t.Context(), "cup", "p00", here); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if err := d.Try(t.Context(), "cup", "p00", here); err == nil || !strings.Contains(err.Error(), "2 tries in the last 24 hours") {
			t.Errorf("a third try in a day: got %v, want a refusal", err)
		}
		left := func() int {
			for _, r := range view(t, d).Standings {
				if r.Name == "p00" {
					return r.Pass.Left
				}
			}
			return -1
		}
		before := d.Generation()
		if got := left(); got != 0 {
			t.Errorf("got %d tries left, want 0", got)
		}
		time.Sleep(24 * time.Hour)
		if got := left(); got != 2 || d.Generation() == before {
			t.Errorf("a day later: got %d tries left, want 2 in another generation", got)
		}
		if list, err := d.Ratings(t.Context(), "duel"); !errors.Is(err, contest.ErrUnknown) {
			t.Errorf("got the ratings %v, %v, want none: a pass mark is not rated", list, err)
		}
		if err := o.End(t.Context(), "cup", "the term is over"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if err := d.Try(t.Context(), "cup", "p00", here); err == nil || !strings.Contains(err.Error(), "is ended") {
			t.Errorf("a try after the end: got %v, want a refusal", err)
		}
		verifyPass(t, desk.store)
	})
}

// checkReached checks that there is one event of each entry that has passed.
func checkReached(t *testing.T, m *memory, rows []contest.Row) {
	t.Helper()
	list, err := m.Events(t.Context(), "cup", 0)
	if err != nil {
		t.Fatal(err)
	}
	count, entries := 0, map[string]bool{}
	for _, e := range list {
		if e.Kind == string(contest.Reach) {
			count++
			entries[string(e.Data)[:strings.Index(string(e.Data), "]")]] = true
		}
	}
	want := 0
	for _, r := range rows {
		if !r.Pass.At.IsZero() {
			want++
		}
	}
	if count != want || len(entries) != want {
		t.Errorf("got %d events that one of %d entries has passed, want one for each of %d", count, len(entries), want)
	}
}

// verifyPass checks that the contest is verified, and that its table is that of its results.
func verifyPass(t *testing.T, m *memory) {
	t.Helper()
	v, err := contest.Verify(t.Context(), m, m, "cup")
	if err != nil || len(v.Problems) > 0 || v.Matches == 0 {
		t.Fatalf("got %+v, %v, want it verified", v, err)
	}
	s, err := contest.Load(t.Context(), m, "cup")
	if err != nil {
		t.Fatal(err)
	}
	checkReached(t, m, s.Table)
	wins := map[[2]int]int{} // of each try, by entry and pairing
	for _, r := range m.results {
		if !r.Aborted && len(r.Seats) == 2 {
			for i, seat := range r.Seats {
				if seat.Rank < r.Seats[1-i].Rank {
					wins[[2]int{seat.Entry, r.Pairing}]++
				}
			}
		}
	}
	for _, row := range s.Table {
		n, _ := s.Number(row.Name)
		best, tries := 0, 0
		for i, p := range s.Pairs {
			if p.Entrants[0] == n {
				tries++
				best = max(best, wins[[2]int{n, i}])
			}
		}
		if row.Pass.Best != float64(best) || row.Pass.Tries != tries || row.Pass.At.IsZero() != (best < s.Spec.Pass.Wins) {
			t.Errorf("%s: got %+v, want %d wins in the best of %d tries", row.Name, row.Pass, best, tries)
		}
	}
}

// TestPassMarksSurviveKillsAndWithdrawals plays pass marks with faults, by processes that are
// killed at any moment.
func TestPassMarksSurviveKillsAndWithdrawals(t *testing.T) {
	for number := range long.Number(10, 40) {
		synctest.Test(t, func(t *testing.T) {
			x := newTournament(t, uint64(number), passText, 1+number%5)
			x.runner.faults = true
			o := contest.Organizer{Store: x.store}
			play := func(most time.Duration) {
				t.Helper()
				if err := x.play(most, 1+number%4, true); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("got %v, want that it goes on until it is ended", err)
				}
			}
			for range 60 {
				play(time.Duration(1+x.rand.IntN(4000)) * time.Millisecond)
				name := fmt.Sprint("p", x.rand.IntN(1+number%5))
				var err error
				switch x.rand.IntN(10) {
				case 0:
					err = o.Withdraw(t.Context(), "cup", []string{name}, x.rand.IntN(2) == 0)
				case 1:
					err = o.Enter(t.Context(), "cup", []contest.Entry{{Name: name, Player: name}}, false)
				case 2:
					time.Sleep(time.Duration(x.rand.IntN(30)) * time.Hour)
				default:
					_ = o.Try(t.Context(), "cup", name, []string{name, ""}[x.rand.IntN(2)]) // it can be refused
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			for !x.state().Complete() {
				play(time.Minute)
			}
			play(time.Minute)
			if err := o.End(t.Context(), "cup", ""); err != nil {
				t.Fatal(err)
			}
			x.check()
			verifyPass(t, x.store)
			checkQuota(t, x.store)
		})
	}
}

// checkQuota checks the tries of each entry.
func checkQuota(t *testing.T, m *memory) {
	t.Helper()
	s, err := contest.Load(t.Context(), m, "cup")
	if err != nil {
		t.Fatal(err)
	}
	own := map[int][]time.Time{}
	for _, p := range s.Pairs {
		if n := p.Entrants[0]; !p.Given {
			if last := len(own[n]) - s.Spec.Pass.Tries; last >= 0 && p.Begun.Sub(own[n][last]) < 24*time.Hour {
				t.Errorf("%s began a try at %v, want none within a day of %v", s.Entries[n].Name, p.Begun, own[n][last])
			}
			own[n] = append(own[n], p.Begun)
		}
	}
}

// TestTryOfSeveralHostsIsOne: two hosts begin the same try at the same time.
func TestTryOfSeveralHostsIsOne(t *testing.T) {
	m := newMemory()
	o := contest.Organizer{Store: m}
	create(t, o, passText, 1)
	if err := o.Start(t.Context(), "cup"); err != nil {
		t.Fatal(err)
	}
	other := contest.Organizer{Store: &meanwhile{memory: m, do: func() error { return o.Try(t.Context(), "cup", "p00", "p00") }}}
	if err := other.Try(t.Context(), "cup", "p00", "p00"); err == nil || !strings.Contains(err.Error(), "is being tried by p00 now") {
		t.Errorf("got %v, want a refusal", err)
	}
}

// meanwhile does something before the first event is appended.
type meanwhile struct {
	*memory
	do func() error
}

func (m *meanwhile) Append(ctx context.Context, name string, after int64, events []store.Event) error {
	if do := m.do; do != nil {
		m.do = nil
		if err := do(); err != nil {
			return err
		}
	}
	return m.memory.Append(ctx, name, after, events)
}
