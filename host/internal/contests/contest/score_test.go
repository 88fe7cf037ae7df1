package contest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
	"colosseum/sdk/driver"
)

// scored returns a contest by score of two programs with one round of two legs, of which
// ana has played both and bob one.
func scored(t *testing.T) *State {
	t.Helper()
	s, err := NewState(store.Contest{Name: "cup", Game: "puzzle", Seed: 1, Spec: "name: cup\ngame: puzzle\nformat: score\nmatches: 2\nrounds: 1\nentries: [{name: ana, command: [a]}, {name: bob, command: [b]}]\n"})
	if err != nil {
		t.Fatal(err)
	}
	number := int64(0)
	apply := func(e store.Event) {
		number++
		e.Number = number
		if err := s.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	apply(newEvent(Enter, eventData{Entries: s.Spec.Entries.List}))
	apply(newEvent(Start, eventData{Numbers: []int{0, 1}}))
	next, _, err := pairing.Next(s.History())
	if err != nil {
		t.Fatal(err)
	}
	apply(s.NewPairs(next))
	for i, x := range []struct {
		pairing, leg int
		score        float64
		ended        driver.Ended
	}{{0, 0, 30, driver.EndedFinished}, {0, 1, 50, driver.ForfeitTimeout}, {1, 0, 20, driver.EndedFinished}} {
		r := store.Result{Number: int64(i + 1), Contest: "cup", Match: fmt.Sprint("m", i), Pairing: x.pairing, Leg: x.leg, Ended: time.Unix(1, 0)}
		r.Seats = []store.ResultSeat{{Entry: x.pairing, Rank: 1, Score: x.score, Ended: x.ended}}
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestAllPlayTheSameMatchByScore(t *testing.T) {
	s := scored(t)
	seed := s.Fixture(0, 0).Seed
	for p := range s.Pairs {
		for leg := range s.Pairs[p].Legs {
			if f := s.Fixture(p, leg); f.Seed != seed || len(f.Seats) != 1 || f.Seats[0] != p {
				t.Errorf("leg %d of pairing %d: got %+v, want the entry %d with the seed %d", leg, p, f, p, seed)
			}
		}
	}
}

// TestForfeitKeepsItsScore: the game has given the points until then.
func TestForfeitKeepsItsScore(t *testing.T) {
	v, err := scored(t).View(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "rank,name,mean,best,sum,played,missed,forfeits,withdrawn\n1,ana,40,50,80,2,0,1,false\n2,bob,20,20,20,1,0,0,false\n"
	if got := string(v.CSV()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if v.Standings[0].Rated() {
		t.Error("got a rating from matches alone, want none")
	}
	if v.Round != 1 || v.Rounds != 1 || v.Done != 3 || v.All != 4 {
		t.Errorf("got round %d of %d, %d of %d matches, want 1 of 1, 3 of 4", v.Round, v.Rounds, v.Done, v.All)
	}
	for i, m := range v.Matches {
		if want := [][]float64{{30}, {50}, {20}, nil}[i]; !slices.Equal(m.Points, want) {
			t.Errorf("match %d: got the points %v, want %v", i, m.Points, want)
		}
	}
	if p, ok := v.Participation("ANA"); !ok || p.Points != 40 || p.Rank != 1 {
		t.Errorf("got %+v, %t, want the first place with 40", p, ok)
	}
}

// TestEventsOfOtherFormatsKeepTheirBytes: what is recorded never changes.
func TestEventsOfOtherFormatsKeepTheirBytes(t *testing.T) {
	got, err := json.Marshal(pairing.Pairing{Entrants: []int{0, 1}})
	if want := `{"Round":0,"Bracket":"","Slot":0,"Replay":0,"Entrants":[0,1]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	rows, err := json.Marshal(Row{TieBreaks: []float64{}})
	if err != nil || strings.Contains(string(rows), "scores") {
		t.Errorf("got %s, %v, want no scores", rows, err)
	}
}

// TestMatchesAloneRateNobody: a match of one says nothing about strength against others.
func TestMatchesAloneRateNobody(t *testing.T) {
	o, _ := newOrganizer(t)
	mustCreate(t, o, "format: score\nentries: [{player: ana}]\n")
	r := NewRatings("duel", 0)
	x := store.Result{Number: 1, Contest: "cup", Match: "m", Ended: time.Unix(1, 0), Seats: []store.ResultSeat{{Rank: 1, Score: 7, Ended: driver.EndedFinished}}}
	if m, err := r.addLocked(t.Context(), o.Store, x); err != nil || m.Players != nil {
		t.Errorf("got %+v, %v, want no match that counts", m, err)
	}
	if list := r.Standings(time.Now()); len(list) != 0 {
		t.Errorf("got %+v, want no ratings", list)
	}
}
