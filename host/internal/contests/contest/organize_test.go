package contest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"colosseum/host/internal/records/store"
)

// registry has the registered players of a test, by name in lower case.
type registry map[string]string

func (r registry) Owner(_ context.Context, name string) (string, error) {
	return r[strings.ToLower(name)], nil
}

func (r registry) Names(_ context.Context, name string) (names []string, err error) {
	now := r[strings.ToLower(name)]
	for _, old := range append([]string{now}, slices.Sorted(maps.Keys(r))...) {
		if now != "" && r[strings.ToLower(old)] == now && (len(names) == 0 || !strings.EqualFold(old, now)) {
			names = append(names, old)
		}
	}
	return names, nil
}

func (r registry) Aliases(context.Context) (map[string]string, error) {
	aliases := map[string]string{}
	for name, now := range r {
		if !strings.EqualFold(name, now) {
			aliases[name] = now
		}
	}
	return aliases, nil
}

// newOrganizer returns an organizer with a store of its own, and the path of its file.
func newOrganizer(t *testing.T) (*Organizer, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "colosseum.db")
	return openOrganizer(t, path), path
}

func openOrganizer(t *testing.T, path string) *Organizer {
	t.Helper()
	file, err := store.OpenContests(t.Context(), path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	players := registry{"ana": "Ana", "bob": "bob", "eve": "eve", "kim": "kim"}
	return &Organizer{Store: file, Players: players}
}

func mustCreate(t *testing.T, o *Organizer, text string) {
	t.Helper()
	if _, err := o.Create(t.Context(), []byte("name: cup\ngame: duel\n"+text)); err != nil {
		t.Fatal(err)
	}
}

func player(name string) []Entry { return []Entry{{Name: name, Player: name}} }

func TestOrganizerRefuses(t *testing.T) {
	const open = "format: knockout\nentries: open\n"
	start := func(t *testing.T, o *Organizer) {
		t.Helper()
		for _, name := range []string{"ana", "bob"} {
			if err := o.Enter(t.Context(), "cup", player(name), true); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.Start(t.Context(), "cup"); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, text string
		do         func(t *testing.T, o *Organizer) error
		want       string
	}{
		{"a contest that exists", open, func(t *testing.T, o *Organizer) error {
			_, err := o.Create(t.Context(), []byte("name: cup\ngame: duel\n"+open))
			return err
		}, "there is already a contest cup: choose another name"},
		{"an unknown player", open, func(t *testing.T, o *Organizer) error { return o.Enter(t.Context(), "cup", player("zoe"), false) }, "zoe is not registered"},
		{"an unknown contest", open, func(t *testing.T, o *Organizer) error { return o.Enter(t.Context(), "cap", player("ana"), false) }, `there is no contest "cap"`},
		{"an invalid name", open, func(t *testing.T, o *Organizer) error { return o.Start(t.Context(), "../cup") }, `there is no contest "../cup"`},
		{"a closed contest", "format: swiss\nentries: [{player: bob}]\n", func(t *testing.T, o *Organizer) error {
			return o.Enter(t.Context(), "cup", player("ana"), true)
		}, "the contest cup is not open"},
		{"a start with one entry", "format: swiss\nentries: [{player: bob}]\n", func(t *testing.T, o *Organizer) error { return o.Start(t.Context(), "cup") }, "has 1 entries, and needs at least 2"},
		{"a second start", open, func(t *testing.T, o *Organizer) error { start(t, o); return o.Start(t.Context(), "cup") }, "has already started"},
		{"a late entry to a knockout", open, func(t *testing.T, o *Organizer) error {
			start(t, o)
			return o.Enter(t.Context(), "cup", player("eve"), true)
		}, "nobody can enter a knockout later"},
		{"an entry that was withdrawn by the organizer", "format: swiss\nentries: open\n", func(t *testing.T, o *Organizer) error {
			start(t, o)
			if err := o.Withdraw(t.Context(), "cup", []string{"ANA"}, false); err != nil {
				t.Fatal(err)
			}
			return o.Enter(t.Context(), "cup", player("ana"), true)
		}, "the organizer of the contest cup has withdrawn Ana"},
		{"the withdrawal of somebody else", open, func(t *testing.T, o *Organizer) error {
			return o.Withdraw(t.Context(), "cup", []string{"ana"}, true)
		}, "ana is not in the contest cup"},
		{"a pause before the start", open, func(t *testing.T, o *Organizer) error { return o.Pause(t.Context(), "cup", "") }, "only a running one can be paused"},
		{"a resumption without a pause", open, func(t *testing.T, o *Organizer) error { start(t, o); return o.Resume(t.Context(), "cup") }, "only a paused one can be resumed"},
		{"the removal of a running contest", open, func(t *testing.T, o *Organizer) error { start(t, o); return o.Remove(t.Context(), "cup") }, "end it first"},
		{"a program among players", open, func(t *testing.T, o *Organizer) error {
			return o.Enter(t.Context(), "cup", []Entry{{Name: "x", Command: []string{"x"}}}, false)
		}, "cannot meet"},
		{"an entry after the end", open, func(t *testing.T, o *Organizer) error {
			if err := o.End(t.Context(), "cup", ""); err != nil {
				t.Fatal(err)
			}
			return o.Enter(t.Context(), "cup", player("ana"), true)
		}, "the contest cup has ended"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, _ := newOrganizer(t)
			mustCreate(t, o, tt.text)
			if err := tt.do(t, o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got the error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestEnteringTwiceIsOneEntryUnderTheRegisteredName(t *testing.T) {
	o, _ := newOrganizer(t)
	mustCreate(t, o, "format: swiss\nentries: open\n")
	for range 3 {
		if err := o.Enter(t.Context(), "CUP", player("ANA"), true); err != nil {
			t.Fatal(err)
		}
	}
	s, err := o.Load(t.Context(), "cup")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Entries) != 1 || s.Entries[0].Name != "Ana" || s.Entries[0].Player != "Ana" || s.Last() != 1 {
		t.Errorf("got the entries %+v after %d events, want one of Ana after 1", s.Entries, s.Last())
	}
}

func TestProcessesThatChangeAContestAtOnceLoseNothing(t *testing.T) {
	first, path := newOrganizer(t)
	mustCreate(t, first, "format: swiss\nentries: open\n")
	var group sync.WaitGroup
	const each = 20
	for i := range 3 {
		o := openOrganizer(t, path)
		o.Players = nil
		group.Go(func() {
			for j := range each {
				if err := o.Enter(t.Context(), "cup", player(fmt.Sprintf("p%d-%d", i, j)), false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	s, err := first.Load(t.Context(), "cup")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Entries) != 3*each {
		t.Errorf("got %d entries, want %d", len(s.Entries), 3*each)
	}
}

func TestWarningIsKeptOnceAndShown(t *testing.T) {
	o, _ := newOrganizer(t)
	mustCreate(t, o, "format: swiss\nentries: [{name: fast, command: [fast]}, {name: slow, command: [slow]}]\n")
	for _, name := range []string{"slow", "slow", "nobody"} {
		if err := o.Warn(t.Context(), "cup", name, NearlyLate); err != nil {
			t.Fatal(err)
		}
	}
	s, err := o.Load(t.Context(), "cup")
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.View(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Entries[1].Warnings; len(v.Entries[0].Warnings) > 0 || !slices.Equal(got, []Warning{NearlyLate}) {
		t.Errorf("got the warnings %v and %v, want one about slow", v.Entries[0].Warnings, got)
	}
	if err := o.End(t.Context(), "cup", ""); err != nil {
		t.Fatal(err)
	}
	if err := o.Warn(t.Context(), "cup", "fast", NearlyLate); err != nil {
		t.Errorf("after the end: got %v, want that nothing happens", err)
	}
}

func TestSeedingIsDrawnFromTheSeed(t *testing.T) {
	orders := map[string]int{}
	for seed := 1; seed <= 20; seed++ {
		o, _ := newOrganizer(t)
		o.Players = nil
		mustCreate(t, o, fmt.Sprintf("format: swiss\nseeding: random\nseed: %d\nentries: [{player: a}, {player: b}, {player: c}, {player: d}]\n", 1+seed%2))
		if err := o.Start(t.Context(), "cup"); err != nil {
			t.Fatal(err)
		}
		s, err := o.Load(t.Context(), "cup")
		if err != nil {
			t.Fatal(err)
		}
		var places []int
		for _, e := range s.Entries {
			places = append(places, e.Seed)
		}
		orders[fmt.Sprint(places)]++
		if sorted := slices.Sorted(slices.Values(places)); !slices.Equal(sorted, []int{0, 1, 2, 3}) {
			t.Errorf("got the places %v, want each of 4 once", places)
		}
	}
	if len(orders) != 2 {
		t.Errorf("got the orders %v from two seeds, want two", orders)
	}
}

func TestContestKeepsTheByesOfItsStart(t *testing.T) {
	o, _ := newOrganizer(t)
	mustCreate(t, o, "format: swiss\nplayers: 3\nentries: [{player: ana}, {player: bob}, {player: eve}, {player: kim}]\n")
	full := func() bool {
		t.Helper()
		s, err := o.Load(t.Context(), "cup")
		if err != nil {
			t.Fatal(err)
		}
		return s.History().Earlier
	}
	if full() {
		t.Error("before the start: got byes of a whole pairing, want half")
	}
	if err := o.Start(t.Context(), "cup"); err != nil {
		t.Fatal(err)
	}
	if full() {
		t.Error("after the start: got byes of a whole pairing, want half")
	}
	c, err := o.Store.Contest(t.Context(), "cup")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewState(c)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range []store.Event{ // of an earlier host
		newEvent(Enter, eventData{Entries: slices.Concat(player("ana"), player("bob"))}),
		newEvent(Start, eventData{Numbers: []int{0, 1}}),
	} {
		e.Number = int64(i + 1)
		if err := s.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	if !s.History().Earlier {
		t.Error("started by an earlier host: got byes of half, want those of a whole pairing")
	}
}

func TestRemovedContestIsGone(t *testing.T) {
	o, _ := newOrganizer(t)
	mustCreate(t, o, "format: swiss\nentries: open\n")
	if err := o.Remove(t.Context(), "cup"); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Load(t.Context(), "cup"); !errors.Is(err, ErrUnknown) {
		t.Errorf("got the error %v, want %v", err, ErrUnknown)
	}
	if list, err := o.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("got the list %v and error %v, want none", list, err)
	}
}

func TestPlayerComesBackByItselfSomeTimes(t *testing.T) {
	o, _ := newOrganizer(t)
	mustCreate(t, o, "format: swiss\nentries: open\n")
	again := func(byself bool) error {
		if err := o.Withdraw(t.Context(), "cup", []string{"ana"}, true); err != nil {
			t.Fatal(err)
		}
		return o.Enter(t.Context(), "cup", player("ana"), byself)
	}
	if err := o.Enter(t.Context(), "cup", player("ana"), true); err != nil {
		t.Fatal(err)
	}
	for range maxReturns {
		if err := again(true); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if err := again(true); err == nil || !strings.Contains(err.Error(), "ask the organizer") {
			t.Errorf("got the error %v, want one that says to ask the organizer", err)
		}
	}
	s, err := o.Load(t.Context(), "cup")
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(2*maxReturns + 2); s.Last() != want || !s.Entries[0].Withdrawn {
		t.Errorf("got %d events of %+v, want %d of a player that has withdrawn", s.Last(), s.Entries[0], want)
	}
	if err := again(false); err != nil {
		t.Errorf("the organizer enters it: got %v, want no error", err)
	}
}

// TestSeedOfTheContestIsNotThatOfTheDraw: the generators of pairings are reversible, and
// who knows the seed of the contest knows those of its matches.
func TestSeedOfTheContestIsNotThatOfTheDraw(t *testing.T) {
	o, _ := newOrganizer(t)
	mustCreate(t, o, "format: round-robin\nplayers: 3\nseed: 5\nentries: open\n")
	s, err := o.Load(t.Context(), "cup")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.History().Seed; got != s.Draw() || got == s.Seed {
		t.Errorf("got the seed %d for the pairings of a contest with the seed %d, want %d", got, s.Seed, s.Draw())
	}
	for i := range 1000 {
		if s.LadderFixture(i, nil).Seed == s.Draw() {
			t.Errorf("match %d has the seed of the draw", i)
		}
	}
}
