package contest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

const dated = "dates: {first: 2027-03-01T18:00:00Z, every: 168h, open: 48h}\n"

func day(n int) time.Time { return time.Date(2027, 3, n, 18, 0, 0, 0, time.UTC) }

func TestDatesAreRefused(t *testing.T) {
	rounds := func(list string) string { return "dates: {rounds: [" + list + "]}\n" }
	const first = "{opens: 2027-03-01T18:00:00Z, closes: 2027-03-03T18:00:00Z}"
	for _, tt := range []struct{ name, text, want string }{
		{"a ladder", "format: ladder\n" + dated, "dates: a ladder has no rounds; leave them out"},
		{"groups", "format: round-robin\nplayers: 3\nrounds: 3\n" + dated, "dates: a round-robin has them only with 2 players to a match; use swiss"},
		{"nothing", "format: swiss\ndates: {}\n", "dates: write first and every, or a list of rounds"},
		{"no interval", "format: swiss\ndates: {first: 2027-03-01T18:00:00Z}\n", "dates.every: it is not from 1ns to 8784h0m0s"},
		{"rounds that overlap", "format: swiss\ndates: {first: 2027-03-01T18:00:00Z, every: 24h, open: 25h}\n", "dates.open: a round is open until the next one opens at most (dates.every)"},
		{"both forms", "format: swiss\ndates: {every: 24h, rounds: [" + first + "]}\n", "dates: write first, every and open, or a list of rounds, not both"},
		{"too few", "format: swiss\nrounds: 2\n" + rounds(first), "dates.rounds: there are 1, for 2 rounds"},
		{"no end", "format: swiss\n" + rounds("{opens: 2027-03-01T18:00:00Z}"), "dates: round 1: it needs both opens and closes"},
		{"backwards", "format: swiss\n" + rounds("{opens: 2027-03-01T18:00:00Z, closes: 2027-02-01T18:00:00Z}"), "dates: round 1: it closes before it opens"},
		{"out of order", "format: swiss\n" + rounds(first+", {opens: 2027-03-02T18:00:00Z, closes: 2027-03-05T18:00:00Z}"), "dates: round 2 opens before round 1 closes"},
		{"far away", "format: swiss\n" + rounds("{opens: 9998-03-01T18:00:00Z, closes: 9998-03-05T18:00:00Z}"), "dates: round 1: its year is not from 2000 to 3000"},
		{"a long reminder", "format: swiss\ndates: {first: 2027-03-01T18:00:00Z, every: 24h, remind: 24h}\n", "dates.remind: round 1 is open for 24h0m0s only"},
		{"a late start", "format: swiss\nstart: 2027-03-02T18:00:00Z\n" + dated, "start: it is after round 1 opens (dates)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadSpec([]byte("name: cup\ngame: duel\nentries: open\n" + tt.text))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	_, err := ReadSpec([]byte("name: cup\ngame: duel\nformat: swiss\n" + dated + "entries:\n  - {name: a, command: [a]}\n  - {name: b, command: [b]}\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "dates: they are for registered players") {
		t.Errorf("programs on this machine: got %v, want that they have no dates", err)
	}
}

// datedState returns a running contest of four players that has events at given times.
func datedState(t *testing.T, text string, events ...store.Event) *State {
	t.Helper()
	s, err := NewState(store.Contest{Name: "cup", Game: "duel", Seed: 1, Spec: "name: cup\ngame: duel\nmatches: 1\n" + text + "entries: open\n", Created: day(1)})
	if err != nil {
		t.Fatal(err)
	}
	var entries []Entry
	for _, name := range []string{"ana", "bob", "eve", "kim"} {
		entries = append(entries, Entry{Name: name, Player: name})
	}
	pairs := []pairing.Pairing{{Entrants: []int{0, 1}}, {Slot: 1, Entrants: []int{2, 3}}}
	all := append([]store.Event{
		newEvent(Enter, eventData{Entries: entries}), newEvent(Start, eventData{Numbers: []int{0, 1, 2, 3}, Groups: true}), s.NewPairs(pairs),
	}, events...)
	for i, e := range all {
		e.Number = int64(i + 1)
		if err := s.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// at returns an event of another time.
func at(when time.Time, e store.Event) store.Event {
	e.At = when
	return e
}

func TestWindowsOfRounds(t *testing.T) {
	list := "dates: {rounds: [{opens: 2027-03-01T18:00:00Z, closes: 2027-03-03T18:00:00Z}, {opens: 2027-03-10T18:00:00Z, closes: 2027-03-12T18:00:00Z}]}\n"
	shift := func(round, opens, closes int) store.Event {
		return newEvent(Shift, eventData{Round: round, Opens: day(opens), Closes: day(closes), Reason: "half term"})
	}
	opened := func(round, on int) store.Event { return at(day(on), newEvent(Seen, eventData{Round: round})) }
	for _, tt := range []struct {
		name, text    string
		events        []store.Event
		round         int
		opens, closes int // 0: none
	}{
		{"first", dated, nil, 0, 1, 3},
		{"third", dated, nil, 2, 15, 17},
		{"until the next one", "dates: {first: 2027-03-01T18:00:00Z, every: 168h}\n", nil, 0, 1, 8},
		{"of the list", list, nil, 1, 10, 12},
		{"after the list", list, nil, 2, 0, 0},
		{"after the list, from an organizer", list, []store.Event{shift(2, 20, 22)}, 2, 20, 22},
		{"shifted twice", dated, []store.Event{shift(0, 2, 4), shift(0, 3, 5), shift(1, 20, 21)}, 0, 3, 5},
		{"opened in time", dated, []store.Event{opened(0, 2)}, 0, 1, 3},
		{"opened too late", dated, []store.Event{opened(0, 5), opened(0, 6)}, 0, 5, 7},
		{"opened too late and shifted", dated, []store.Event{opened(0, 5), shift(0, 5, 10)}, 0, 5, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := datedState(t, "format: swiss\n"+tt.text, tt.events...)
			w, ok := s.Window(tt.round)
			if ok != (tt.opens > 0) || ok && (!w.Opens.Equal(day(tt.opens)) || !w.Closes.Equal(day(tt.closes))) {
				t.Errorf("got %v and %t, want from day %d to %d", w, ok, tt.opens, tt.closes)
			}
		})
	}
}

func TestShiftIsUndone(t *testing.T) {
	s := datedState(t, "format: swiss\n"+dated,
		newEvent(Shift, eventData{Opens: day(2), Closes: day(4)}), newEvent(Shift, eventData{Opens: day(5), Closes: day(6)}))
	s.remind(eventData{})
	if err := s.unshift(5); err != nil {
		t.Fatal(err)
	}
	if w, _ := s.Window(0); !w.Opens.Equal(day(2)) {
		t.Errorf("got round 1 from %v, want it from that of the shift before", w.Opens)
	}
	if s.RemindAt(0).IsZero() {
		t.Error("got no other reminder after another end, want one")
	}
	if err := s.unshift(5); err == nil {
		t.Error("got no error for a shift that was undone before, want one")
	}
	if err := s.unshift(4); err != nil {
		t.Fatal(err)
	}
	if w, _ := s.Window(0); !w.Opens.Equal(day(1)) {
		t.Errorf("got round 1 from %v, want it from that of the file", w.Opens)
	}
}

func TestShiftIsRefused(t *testing.T) {
	s := datedState(t, "format: swiss\nrounds: 3\n"+dated, NewAbsent(Fixture{}, []int{0}), NewAbsent(Fixture{Pairing: 1}, []int{2}))
	for _, tt := range []struct {
		name          string
		round         int
		opens, closes time.Time
		want          string
	}{
		{"a round that is over", 1, time.Time{}, day(20), "round 1 of the contest cup is over"},
		{"no round", 4, time.Time{}, day(20), "the contest cup has no round 4"},
		{"nothing", 2, time.Time{}, time.Time{}, "say when round 2 opens, or when it closes"},
		{"backwards", 2, day(12), time.Time{}, "round 2: it closes before it opens"},
		{"in the past", 2, day(2), day(3), "round 2 would have closed at 2027-03-03 18:00 UTC already"},
	} {
		if _, err := s.newWindow(tt.round, tt.opens, tt.closes, day(5)); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	if w, err := s.newWindow(2, time.Time{}, day(20), day(5)); err != nil || !w.Opens.Equal(day(8)) || !w.Closes.Equal(day(20)) {
		t.Errorf("got %v and error %v, want the end alone shifted", w, err)
	}
	plain := datedState(t, "format: swiss\n")
	if _, err := plain.newWindow(1, day(1), day(2), day(1)); err == nil || err.Error() != "the rounds of the contest cup have no dates" {
		t.Errorf("got %v, want that there are no dates", err)
	}
}

func TestShiftIsAnEventOfItsOrganizer(t *testing.T) {
	o, _ := newOrganizer(t)
	year := time.Now().Year() + 1
	mustCreate(t, o, fmt.Sprintf("format: swiss\nentries: open\ndates: {first: %d-03-01T18:00:00Z, every: 168h}\n", year))
	opens := time.Date(year, 3, 4, 18, 0, 0, 0, time.UTC)
	if err := o.Shift(t.Context(), "cup", 1, opens, time.Time{}, "half term"); err != nil {
		t.Fatal(err)
	}
	s, err := o.Load(t.Context(), "cup")
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.View(nil)
	if err != nil || !v.Start.Equal(opens) || v.Window == nil || !v.Window.Opens.Equal(opens) || !v.Window.Shifted || v.Window.Reason != "half term" {
		t.Errorf("got the start %v and the window %+v, %v, want both from %v", v.Start, v.Window, err, opens)
	}
	if err := o.Shift(t.Context(), "cup", 4, opens.AddDate(0, 0, 60), opens.AddDate(0, 0, 70), ""); err != nil {
		t.Fatal(err)
	}
	if s, err = o.Load(t.Context(), "cup"); err != nil || len(s.Calendar()) != 4 {
		t.Errorf("got the calendar %+v and error %v before anybody has entered, want it up to the shifted round 4", s.Calendar(), err)
	}
	if a := s.Calendar(); len(a) == 0 || a[0].ID != "round-1" || !a[0].At.Equal(opens) || a[0].Changes != 1 {
		t.Errorf("got the calendar %+v, want round 1 changed once", a)
	}
}

func TestOrganizerShiftsARoundAndUndoesIt(t *testing.T) {
	o, _ := newOrganizer(t)
	year := time.Now().Year() + 1
	mustCreate(t, o, fmt.Sprintf("format: swiss\nentries: open\norganizers: [kim]\ndates: {first: %d-03-01T18:00:00Z, every: 168h}\n", year))
	o.By = "kim"
	closes := time.Date(year, 3, 20, 18, 0, 0, 0, time.UTC)
	if err := o.Obey(t.Context(), "cup", Order{Action: "shift", Round: 1, Closes: closes}); err != nil {
		t.Fatal(err)
	}
	round := func() (Decision, time.Time) {
		t.Helper()
		s, err := o.Load(t.Context(), "cup")
		if err != nil {
			t.Fatal(err)
		}
		w, _ := s.Window(0)
		return s.Decisions()[0], w.Closes
	}
	d, until := round()
	if d.By != "kim" || d.Round != 1 || !until.Equal(closes) {
		t.Errorf("got the decision %+v and that the round closes %v, want that of kim, and %v", d, until, closes)
	}
	if err := o.Obey(t.Context(), "cup", Order{Action: "undo", Event: d.Event, Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	if d, until := round(); d.UndoneBy == 0 || !until.Equal(time.Date(year, 3, 8, 18, 0, 0, 0, time.UTC)) {
		t.Errorf("got the decision %+v and that the round closes %v, want it undone", d, until)
	}
}

func TestShiftStaysOnceItsUndoWouldCloseTheRound(t *testing.T) {
	s := datedState(t, "format: swiss\n"+dated, at(day(1), newEvent(Seen, eventData{})), newEvent(Shift, eventData{Opens: day(1), Closes: day(9)}))
	d := &s.decisions[0]
	if err := s.unshifts(d, day(2)); err != nil {
		t.Errorf("got %v while the round would still be open, want no error", err)
	}
	if err := s.unshifts(d, day(5)); err == nil || !strings.Contains(err.Error(), "give it other dates instead") {
		t.Errorf("got %v, want that it would have closed", err)
	}
	if w, _ := s.Window(0); !w.Closes.Equal(day(9)) {
		t.Errorf("got that the round closes %v after the questions, want %v", w.Closes, day(9))
	}
}

func TestPausedContestIsNotResumedAfterItsRoundHasClosed(t *testing.T) {
	s := datedState(t, "format: swiss\n"+dated, at(day(1), newEvent(Seen, eventData{})), newEvent(Pause, eventData{}))
	if err := s.closedWhilePaused(day(2)); err != nil {
		t.Errorf("got %v while the round is open, want no error", err)
	}
	if err := s.closedWhilePaused(day(3)); err == nil || !strings.Contains(err.Error(), "host contest shift cup 1 --closes DATE") {
		t.Errorf("got %v, want what to do", err)
	}
}

func TestPresenceOfAPlayerEnds(t *testing.T) {
	seen := newEvent(Seen, eventData{Numbers: []int{0}, Until: day(2).Add(HereFor)})
	s := datedState(t, "format: swiss\n"+dated, seen)
	m := s.Undecided()[0]
	for _, tt := range []struct {
		at   time.Time
		want bool
	}{{day(2), true}, {day(2).Add(HereFor - 1), true}, {day(2).Add(HereFor), false}, {day(1), false}} { // the last one: the clock was set back
		if got := s.Here(&m, 0, tt.at); got != tt.want {
			t.Errorf("at %v: got %t, want %t", tt.at, got, tt.want)
		}
	}
	missed := s.NewMissed(0, []Attendant{{0, "ana"}})
	missed.Number = s.Last() + 1
	if err := s.Apply(missed); err != nil {
		t.Fatal(err)
	}
	if s.Here(&m, 0, day(2)) || !s.Seen(&m, 0) {
		t.Error("got a player there that did not come to its match, want it only seen")
	}
}

func TestClosedRoundDecidesWhatWasNotPlayed(t *testing.T) {
	seen := func(missed bool, numbers ...int) store.Event {
		return newEvent(Seen, eventData{Numbers: numbers, Missed: missed})
	}
	for _, tt := range []struct {
		name      string
		events    []store.Event
		automatic []int
		kind      Kind
		absent    []int
	}{
		{"nobody came", nil, nil, Absent, []int{0, 1}},
		{"one came", []store.Event{seen(false, 1)}, nil, Absent, []int{0}},
		{"both came", []store.Event{seen(false, 1), seen(false, 0)}, nil, Abandon, nil},
		{"one did not come to the match", []store.Event{seen(false, 0, 1), seen(true, 1)}, nil, Absent, []int{1}},
		{"both did not come to the match", []store.Event{seen(false, 0, 1), seen(true, 0, 1)}, nil, Abandon, nil},
		{"against a program", nil, []int{0}, Absent, []int{1}},
		{"in another round", []store.Event{newEvent(Seen, eventData{Round: 1, Numbers: []int{0, 1}})}, nil, Absent, []int{0, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := datedState(t, "format: swiss\n"+dated, tt.events...)
			m := s.Undecided()[0]
			e := s.NewClosed(m, func(seat int) bool { return slices.Contains(tt.automatic, m.Seats[seat]) })
			if Kind(e.Kind) != tt.kind {
				t.Fatalf("got the event %s, want %s", e.Kind, tt.kind)
			}
			e.Number = s.Last() + 1
			if err := s.Apply(e); err != nil {
				t.Fatal(err)
			}
			if got := s.Pairs[0].Legs[0].Absent; !slices.Equal(got, tt.absent) {
				t.Errorf("got %v absent, want %v", got, tt.absent)
			}
		})
	}
}

func TestDatesOfASeasonAreInTheCalendar(t *testing.T) {
	s := datedState(t, "format: swiss\nstart: 2027-03-01T18:00:00Z\n")
	s.Spec.Season, s.Started = &Season{Start: day(1), End: day(30), Every: 7 * 24 * time.Hour}, day(2)
	var got []string
	for _, a := range s.Calendar() {
		got = append(got, fmt.Sprintf("%s %d", a.ID, a.At.Day()))
	}
	want := []string{"start 1", "season-start 1", "move-1 8", "move-2 15", "move-3 22", "move-4 29", "season-end 30"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNobodyIsThereInAContestWithoutDates(t *testing.T) {
	o, _ := newOrganizer(t)
	mustCreate(t, o, "format: swiss\nentries: open\n")
	if _, err := o.Here(t.Context(), "cup", "ana"); err == nil || !strings.Contains(err.Error(), "have no dates") {
		t.Errorf("got %v, want that there are no dates", err)
	}
	if _, err := o.Here(t.Context(), "other", "ana"); !errors.Is(err, ErrUnknown) {
		t.Errorf("got %v, want %v", err, ErrUnknown)
	}
}

func TestLegThatIsPlayedAgainHasTheTimeOfItsRound(t *testing.T) {
	s := datedState(t, "format: swiss\n"+dated, at(day(1), newEvent(Seen, eventData{})))
	s.playAgain(0, 0, day(10))
	s.playAgain(1, 0, day(2)) // while the round was open
	for i, want := range []Window{{day(10), day(12)}, {day(1), day(3)}} {
		if w, ok := s.WindowOf(&s.Undecided()[i]); !ok || w != want {
			t.Errorf("pairing %d: got %v and %t, want %v", i, w, ok, want)
		}
	}
}
