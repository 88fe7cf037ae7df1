package contest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/sdk/driver"
)

// teamSeats returns the seats of entries 0 to n-1 with their ranks and teams.
func teamSeats(ranks []int, teams []int) (seats []store.ResultSeat) {
	for i, rank := range ranks {
		seats = append(seats, store.ResultSeat{Entry: i, Rank: rank, Team: teams[i], Ended: driver.EndedFinished})
	}
	return seats
}

func TestPointsOfAMatchBetweenTeamsAreThoseOfTheTeam(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ranks  []int
		teams  []int
		points []float64
	}{
		{"two pairs", []int{1, 3, 1, 3}, []int{1, 2, 1, 2}, []float64{1, 0, 1, 0}},
		{"two pairs that drew", []int{1, 1, 1, 1}, []int{1, 2, 1, 2}, []float64{0.5, 0.5, 0.5, 0.5}},
		{"three pairs", []int{5, 1, 3, 5, 1, 3}, []int{1, 2, 3, 1, 2, 3}, []float64{0, 1, 0.5, 0, 1, 0.5}},
		{"a pair and two others", []int{3, 1, 1, 4}, []int{0, 1, 1, 0}, []float64{0.5, 1, 1, 0}},
		{"a pair that shares the first place with another player", []int{1, 1, 1, 4}, []int{1, 1, 0, 0}, []float64{0.75, 0.75, 0.75, 0}},
		{"all in one team", []int{1, 1, 1}, []int{1, 1, 1}, []float64{0.5, 0.5, 0.5}},
		{"no teams", []int{1, 2, 2, 4}, []int{0, 0, 0, 0}, []float64{1, 0.5, 0.5, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := Leg{Outcome: Outcome{State: Played, Result: &store.Result{Seats: teamSeats(tt.ranks, tt.teams)}}}
			entries := make([]int, len(tt.ranks))
			for i := range entries {
				entries[i] = i
			}
			if got := l.Points(entries); !slices.EqualFunc(got, tt.points, near) {
				t.Errorf("got the points %v, want %v", got, tt.points)
			}
		})
	}
}

// teamStore has one pairing of four legs, in which the entries a and c play b and d.
func teamStore(t *testing.T) *interrupted {
	s := &interrupted{contest: store.Contest{Name: "cup", Game: "duel", Spec: "name: cup\ngame: duel\nformat: round-robin\nplayers: 4\nrounds: 1\nentries: open\n"}, most: 1 << 20}
	var entries []Entry
	for _, name := range []string{"a", "b", "c", "d"} {
		entries = append(entries, Entry{Name: name, Player: name})
	}
	s.events = []store.Event{newEvent(Enter, eventData{Entries: entries}), newEvent(Start, eventData{Numbers: []int{0, 1, 2, 3}, Groups: true})}
	state, err := NewState(s.contest)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.events {
		s.events[i].Number = int64(i + 1)
		if err := state.Apply(s.events[i]); err != nil {
			t.Fatal(err)
		}
	}
	next, _, err := pairing.Next(state.History())
	if err != nil {
		t.Fatal(err)
	}
	pairs := newEvent(PairUp, eventData{Pairings: next})
	pairs.Number = 3
	s.events = append(s.events, pairs)
	if err := state.Apply(pairs); err != nil {
		t.Fatal(err)
	}
	for leg := range 4 {
		x := store.Result{Number: int64(leg + 1), Contest: "cup", Leg: leg, Match: strconv.Itoa(leg), Ended: time.Unix(int64(leg), 0)}
		for seat, n := range state.Fixture(0, leg).Seats {
			rank := 1 + 2*(n%2) // a and c win
			if leg == 3 {
				rank = 1
			}
			x.Seats = append(x.Seats, store.ResultSeat{Entry: n, Rank: rank, Team: 1 + seat%2, Ended: driver.EndedFinished})
		}
		s.results = append(s.results, x)
	}
	return s
}

func (s *interrupted) Results(context.Context, string, int64) ([]store.Result, error) {
	return s.results, nil
}

func (s *interrupted) Get(_ context.Context, id string) (*record.Match, error) {
	for _, x := range s.results {
		if x.Match != id {
			continue
		}
		state, err := NewState(s.contest)
		if err != nil {
			return nil, err
		}
		m := &record.Match{ID: id, Fixture: &record.Fixture{Contest: "cup", Leg: x.Leg}, Seed: state.LadderFixture(0, nil).Seed}
		for _, seat := range x.Seats {
			m.Fixture.Entries = append(m.Fixture.Entries, seat.Entry)
			m.Seats = append(m.Seats, record.Seat{Rank: seat.Rank, Ended: seat.Ended, Team: seat.Team})
		}
		return m, nil
	}
	return nil, store.ErrNotFound
}

// In the legs of a pairing everybody moves on by one seat, so the seats 0 and 2 always have
// the same two players.
func TestTeamsCountAsOneInStandingsAndRatings(t *testing.T) {
	s := teamStore(t)
	state, err := Load(t.Context(), s, "cup")
	if err != nil {
		t.Fatal(err)
	}
	v, err := state.View(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"a 3.5 3 1 0", "c 3.5 3 1 0", "b 0.5 0 1 3", "d 0.5 0 1 3"} {
		r := v.Standings[i]
		if got := fmt.Sprint(r.Name, " ", r.Points, " ", r.Wins, " ", r.Draws, " ", r.Losses); got != want {
			t.Errorf("place %d: got %s, want %s", i+1, got, want)
		}
		if mate := v.Standings[i^1]; !near(r.Rating, mate.Rating) || (r.Rating > 1500) != (i < 2) {
			t.Errorf("got the rating %.1f of %s, and %.1f of its mate, want the same", r.Rating, r.Name, mate.Rating)
		}
	}
	if got := v.Matches[1].Teams; !slices.Equal(got, []int{1, 2, 1, 2}) {
		t.Errorf("got the teams %v of a match, want [1 2 1 2]", got)
	}
	ratings, err := LoadRatings(t.Context(), s, "duel", 0)
	if err != nil {
		t.Fatal(err)
	}
	p, ok, err := ratings.Profile("a", time.Unix(9, 0))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if p.Played != 4 || p.Wins != 3 || p.Draws != 1 || !near(p.History[len(p.History)-1].Rating, p.Rating) {
		t.Errorf("got %+v, want three wins and a draw", p)
	}
	var met []string
	for _, o := range p.Opponents {
		met = append(met, fmt.Sprint(o.Name, " ", o.Wins, " ", o.Draws, " ", o.Losses))
	}
	if got := strings.Join(met, ", "); got != "b 3 1 0, d 3 1 0" {
		t.Errorf("got the opponents %s, want b and d, and not the mate", got)
	}
}

func TestVerifyComparesTheTeams(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(seats []store.ResultSeat)
		want   string // a problem; empty: none
	}{
		{"as recorded", func([]store.ResultSeat) {}, ""},
		{"of an older host", func(seats []store.ResultSeat) {
			for i := range seats {
				seats[i].Team = 0
			}
		}, ""},
		{"another team", func(seats []store.ResultSeat) { seats[2].Team = 3 }, "the record of the match 1 has another result for seat 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := teamStore(t)
			other := *s
			other.results = slices.Clone(s.results)
			other.results[1].Seats = slices.Clone(s.results[1].Seats)
			tt.change(other.results[1].Seats)
			v, err := Verify(t.Context(), &other, s, "cup")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(v.Problems, "; "); got != tt.want || v.Matches != 4 {
				t.Errorf("got the problems %q in %d matches, want %q in 4", got, v.Matches, tt.want)
			}
		})
	}
}
