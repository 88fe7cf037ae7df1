package contest

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"colosseum/host/internal/records/store"
)

func TestEntriesFollowTheNamesOfTheirPlayers(t *testing.T) {
	o, _ := newOrganizer(t)
	mustCreate(t, o, "format: swiss\nrounds: 2\nentries: [{player: ana}, {player: bob}, {player: eve}]\n")
	if _, err := o.Create(t.Context(), []byte("name: over\ngame: duel\nformat: swiss\nrounds: 2\nentries: [{player: ana}, {player: bob}]\n")); err != nil {
		t.Fatal(err)
	}
	if err := o.End(t.Context(), "over", ""); err != nil {
		t.Fatal(err)
	}
	if err := o.Start(t.Context(), "cup"); err != nil {
		t.Fatal(err)
	}
	o.Players.(registry)["ana"], o.Players.(registry)["zoe"] = "Zoe", "Zoe"
	o.Players.(registry)["bob"] = "BOB" // only in another case
	var events int64
	for range 2 { // the second time changes nothing
		if err := o.FollowNames(t.Context()); err != nil {
			t.Fatal(err)
		}
		s, err := o.Load(t.Context(), "cup")
		if err != nil {
			t.Fatal(err)
		}
		if e := s.Entries[0]; e.Name != "Zoe" || e.Player != "Zoe" {
			t.Errorf("got the entry %+v, want Zoe", e)
		}
		for _, name := range []string{"ana", "ZOE"} {
			if n, ok := s.Number(name); n != 0 || !ok {
				t.Errorf("the entry %s: got %d, %v, want 0", name, n, ok)
			}
		}
		if events > 0 && s.Last() != events {
			t.Errorf("got event %d, want none after %d", s.Last(), events)
		}
		events = s.Last()
	}
	s, err := o.Load(t.Context(), "over")
	if err != nil {
		t.Fatal(err)
	}
	if e := s.Entries[0]; e.Name != "Ana" {
		t.Errorf("got the entry %+v of the contest that has ended, want Ana", e)
	}
	if err := o.Enter(t.Context(), "cup", player("zoe"), false); err != nil { // it is there
		t.Fatal(err)
	}
	if err := o.Withdraw(t.Context(), "cup", []string{"ana"}, false); err != nil {
		t.Fatal(err)
	}
	s, err = o.Load(t.Context(), "cup")
	if err != nil || len(s.Entries) != 3 || !s.Entries[0].Withdrawn {
		t.Errorf("got %+v, %v, want three entries, and the first withdrawn", s.Entries, err)
	}
}

func TestARenameReachesTeamsAndOrganizers(t *testing.T) {
	team := &Team{Captain: "ana", Players: []string{"bob", "ana"}}
	s := &State{Spec: &Spec{Name: "cup"}, Phase: Running, numbers: map[string]int{"reds": 0}, Entries: []Entrant{{Entry: Entry{Name: "reds", Team: team}}}, Organizers: []string{"kim", "Ana"}}
	e := s.renamed("ana", "Zoe")
	if e == nil {
		t.Fatal("got no event, want one")
	}
	e.Number = 1
	if err := s.Apply(*e); err != nil {
		t.Fatal(err)
	}
	got := s.Entries[0]
	if got.Name != "reds" || got.Team.Captain != "Zoe" || !slices.Equal(got.Team.Players, []string{"bob", "Zoe"}) || !slices.Equal(s.Organizers, []string{"kim", "Zoe"}) {
		t.Errorf("got %+v with %+v and the organizers %v, want Zoe instead of ana", got.Entry, got.Team, s.Organizers)
	}
	if team.Players[1] != "ana" {
		t.Error("the team of an earlier event has changed")
	}
	if again := s.renamed("ana", "Zoe"); again != nil {
		t.Errorf("got the event %s, want none", again.Data)
	}
}

// renamedStore has matches between four players. From the given one on, b has the name new.
func renamedStore(from int) *interrupted {
	s := &interrupted{contest: store.Contest{Name: "cup", Game: "duel", Spec: head + "entries: open"}, most: 1 << 20}
	var entries []Entry
	for _, name := range []string{"a", "b", "c", "d", "new"} {
		entries = append(entries, Entry{Name: name, Player: name})
	}
	enter := newEvent(Enter, eventData{Entries: entries})
	enter.Number = 1
	s.events = []store.Event{enter}
	for i := range 30 {
		seats := []store.ResultSeat{{Entry: i % 4, Rank: 1 + i%2}, {Entry: (i + 1 + i%3) % 4, Rank: 2 - i%2}}
		for j := range seats {
			if i >= from && seats[j].Entry == 1 {
				seats[j].Entry = 4
			}
		}
		s.results = append(s.results, store.Result{Number: int64(i + 1), Contest: "cup", Pairing: i, Match: strconv.Itoa(i), Ended: time.Unix(int64(i)*3600, 0), Seats: seats})
	}
	return s
}

func TestResultsOfAllNamesOfAPlayerAreOneRating(t *testing.T) {
	now := time.Unix(30*3600, 0)
	want, err := LoadRatings(t.Context(), renamedStore(30), "duel", 0)
	if err != nil {
		t.Fatal(err)
	}
	aliases := map[string]string{"b": "New"}
	for _, tt := range []struct {
		name       string
		from, read int // results under the new name, and those that were read before the name changed
	}{
		{"before the first", 0, 0}, {"from the start", 12, 0}, {"when some were read", 12, 12}, {"too late", 12, 20}, {"without a match since", 30, 30},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := renamedStore(tt.from)
			all := s.results
			s.results = all[:tt.read]
			r := NewRatings("duel", 0)
			if err := r.Refresh(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			s.results = all
			for range 2 {
				r.Follow(aliases)
				if err := r.Refresh(t.Context(), s); err != nil {
					t.Fatal(err)
				}
			}
			got := r.Standings(now)
			for i, w := range want.Standings(now) {
				if w.Name == "b" {
					w.Name = "New"
				}
				g := got[i]
				if tt.from == 0 && g.Name == "new" { // no match says otherwise
					g.Name = "New"
				}
				if len(got) != 4 || g.Name != w.Name || g.Played != w.Played || g.Wins != w.Wins || !near(g.Rating, w.Rating) || !near(g.Low, w.Low) {
					t.Errorf("place %d: got %+v, want %+v", i+1, g, w)
				}
			}
			for _, name := range []string{"b", "B", "new"} {
				p, ok, err := r.Profile(name, now)
				if !ok || err != nil || p.Played != want.Standings(now)[slices.IndexFunc(want.Standings(now), func(s Standing) bool { return s.Name == "b" })].Played {
					t.Errorf("the profile of %s: got %s, %v, %v, want all matches", name, fmt.Sprint(p.Standing), ok, err)
				}
			}
		})
	}
}
