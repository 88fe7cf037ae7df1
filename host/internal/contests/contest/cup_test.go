package contest

import (
	"fmt"
	"strings"
	"testing"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

// cupTable returns a cup as "RANK NAME POINTS PARTS; ...".
func cupTable(t *testing.T, o *Organizer) string {
	t.Helper()
	v, err := o.View(t.Context(), "sum")
	must(t, err)
	var list []string
	for _, r := range v.Standings {
		one := fmt.Sprint(r.Rank, " ", r.Name, " ", CSVNumber(r.Points))
		for _, p := range r.Parts {
			if p == nil {
				one += " –"
			} else {
				one += " " + CSVNumber(*p)
			}
		}
		list = append(list, one)
	}
	return strings.Join(list, "; ")
}

func newCup(t *testing.T, places string) (*Organizer, *played) {
	t.Helper()
	return newLeague(t,
		leagueOf("north", 4, "divisions: [gold, silver]", "boss: {silver: easy}\n"),
		leagueOf("south", 3, "divisions: [only]", ""),
		"name: sum\ntitle: Both\nformat: cup\ncup: [north, south, east]\n"+places)
}

func playCup(t *testing.T, o *Organizer, p *played) {
	t.Helper()
	must(t, o.Start(t.Context(), "north"))
	must(t, o.Start(t.Context(), "south"))
	p.add("north", 0, 1)
	p.add("north", 0, 1)
	p.add("north", 3, 2)
	p.add("north", 3, 4) // the boss
	p.add("south", 1, 0)
}

func TestCupIsTheSumOfItsContests(t *testing.T) {
	o, p := newCup(t, "")
	if got := cupTable(t, o); got != "" {
		t.Errorf("got %q before any match, want nobody", got)
	}
	playCup(t, o, p)
	const want = "1 p0 2 2 0 –; 1 p3 2 2 – –; 3 p1 1 0 1 –; 4 p2 0 0 0 –"
	if got := cupTable(t, o); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v, err := o.View(t.Context(), "sum")
	must(t, err)
	if fmt.Sprint(v.Cup) != "[{north north league running false} {south south league running false} {east east   false}]" || v.Count != 4 || strings.Join(v.Leaders, " ") != "p0 p3" {
		t.Errorf("got %v with %d entries and the leaders %v, want its contests, the last of which does not exist", v.Cup, v.Count, v.Leaders)
	}
	if csv := string(v.CSV()); !strings.HasPrefix(csv, "rank,name,points,played,north,south,east\n1,p0,2,3,2,0,\n") {
		t.Errorf("got the table\n%s, want a column for each contest", csv)
	}
	must(t, o.End(t.Context(), "north", ""))
	must(t, o.End(t.Context(), "sum", "enough"))
	p.add("south", 2, 0)
	if got := cupTable(t, o); got != want {
		t.Errorf("got %q after the end, want %q", got, want)
	}
	verify := func() []string {
		t.Helper()
		found, err := Verify(t.Context(), p, p, "sum")
		must(t, err)
		return found.Problems
	}
	if problems := verify(); problems != nil {
		t.Errorf("got the problems %q, want none", problems)
	}
	must(t, o.Remove(t.Context(), "north"))
	if problems := verify(); problems != nil {
		t.Errorf("got the problems %q without one of the contests, want none", problems)
	}
}

func TestCupCountsPlaces(t *testing.T) {
	o, p := newCup(t, "places: [10, 6, 4, 3]\n")
	playCup(t, o, p)
	// The places of north go on in silver: p3 is the third.
	if got, want := cupTable(t, o), "1 p0 16 10 6 –; 1 p1 16 6 10 –; 3 p3 4 4 – –; 4 p2 3 3 0 –"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCupEndsWithTheLastOfItsContests(t *testing.T) {
	o, p := newLeague(t, leagueOf("a", 2, "divisions: [x]", ""), leagueOf("b", 2, "divisions: [x]", ""), "name: sum\nformat: cup\ncup: [a, b]\n")
	must(t, o.Start(t.Context(), "a"))
	p.add("a", 1, 0)
	for i, name := range []string{"a", "b"} {
		if ended, err := o.EndCup(t.Context(), "sum"); err != nil || ended {
			t.Errorf("after %d contests: got %t, %v, want a cup that goes on", i, ended, err)
		}
		must(t, o.End(t.Context(), name, ""))
	}
	for range 2 {
		if ended, err := o.EndCup(t.Context(), "sum"); err != nil || !ended {
			t.Errorf("got %t, %v, want the end", ended, err)
		}
	}
	found, err := Verify(t.Context(), p, p, "sum")
	if err != nil || found.Problems != nil {
		t.Errorf("got %v, %v, want no problems", found, err)
	}
	p.results["a"][0].Seats[0].Rank, p.results["a"][0].Seats[1].Rank = 2, 1 // the table of a stays as it was recorded
	if got := cupTable(t, o); got != "1 p1 1 1 0; 2 p0 0 0 0" {
		t.Errorf("got %q, want the final table", got)
	}
}

// TestDecisionsAfterTheEndOfACupCount: an organizer decides about a contest of it that has ended
// long before.
func TestDecisionsAfterTheEndOfACupCount(t *testing.T) {
	duel := func(name string) string {
		return "name: " + name + "\ngame: duel\nseed: 7\nformat: round-robin\nmatches: 1\nseeding: entry\nentries: [{player: p0}, {player: p1}]\n"
	}
	o, p := newLeague(t, duel("a"), duel("b"), "name: sum\nformat: cup\ncup: [a, b]\n")
	for _, name := range []string{"a", "b"} {
		must(t, o.Start(t.Context(), name))
		s, err := o.Load(t.Context(), name)
		must(t, err)
		next, _, err := pairing.Next(s.History())
		must(t, err)
		must(t, o.Store.Append(t.Context(), name, s.Last(), []store.Event{s.NewPairs(next)}))
		p.add(name, 0, 1)
		must(t, o.End(t.Context(), name, ""))
	}
	_, err := o.EndCup(t.Context(), "sum")
	must(t, err)
	check := func(table, decisions string, decided bool) {
		t.Helper()
		if got := cupTable(t, o); got != table {
			t.Errorf("got %q, want %q", got, table)
		}
		v, err := o.View(t.Context(), "sum")
		must(t, err)
		got := ""
		for _, d := range v.Rulings {
			got += fmt.Sprintf("%s %s ", d.Contest, d.Kind)
		}
		if got != decisions || v.Cup[0].Decided || v.Cup[1].Decided != decided {
			t.Errorf("got the decisions %q and the contests %+v, want %q", got, v.Cup, decisions)
		}
		found, err := Verify(t.Context(), p, p, "sum")
		must(t, err)
		if found.Problems != nil {
			t.Errorf("got the problems %q, want none", found.Problems)
		}
	}
	check("1 p0 2 1 1; 2 p1 0 0 0", "", false)
	must(t, o.Rule(t.Context(), "b", 0, 0, set(0, 1), "the wrong program"))
	check("1 p0 1 1 0; 1 p1 1 0 1", "b set ", true)
	v, err := o.View(t.Context(), "b")
	must(t, err)
	must(t, o.Undo(t.Context(), "b", v.Rulings[0].Event, "it was the right one"))
	check("1 p0 2 1 1; 2 p1 0 0 0", "b set b undo ", true)
	must(t, o.Rename(t.Context(), "b", "p1", "zoe", "her wish"))
	check("1 p0 2 1 1; 2 p1 0 0 –; 2 zoe 0 – 0", "b set b undo b rename ", true)
	p.results["b"][0].Seats[0].Rank, p.results["b"][0].Seats[1].Rank = 2, 1
	if found, err := Verify(t.Context(), p, p, "sum"); err != nil || found.Problems != nil {
		t.Errorf("got %+v, %v, want the final table of b as it was recorded", found, err)
	}
}
