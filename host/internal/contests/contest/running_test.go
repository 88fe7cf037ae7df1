package contest

import (
	"testing"

	"colosseum/host/internal/records/record"
)

// running returns the matches of a view that are being played, by their IDs.
func running(t *testing.T, s *State, matches map[string]record.Fixture) map[string]MatchView {
	t.Helper()
	v, err := s.View(matches)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]MatchView{}
	for _, m := range v.Matches {
		if m.State == "running" {
			list[m.ID] = m
		}
	}
	return list
}

func TestRunningMatchesOfALeagueHaveTheirDivision(t *testing.T) {
	o, p := newLeague(t, leagueOf("one", 4, "divisions: [gold, silver]", "boss: {gold: strong, silver: easy}\n"))
	if err := o.Start(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	p.add("one", 0, 1)
	s, err := LoadLeague(t.Context(), p, "one")
	if err != nil {
		t.Fatal(err)
	}
	bosses := []int{s.Boss(0), s.Boss(1)}
	list := running(t, s, map[string]record.Fixture{
		"1": {Pairing: 0, Entries: []int{0, 1}}, // it has ended in between
		"a": {Pairing: 1, Entries: []int{0, 1}}, "b": {Pairing: 2, Entries: []int{2, bosses[1]}}, "c": {Pairing: 3, Entries: []int{bosses[1], 0}},
		"d": {Pairing: 4, Entries: bosses}, "e": {Pairing: 5, Entries: []int{99, 0}},
	})
	for id, want := range map[string]string{"a": "gold", "b": "silver", "c": "gold", "d": "gold"} {
		if m := list[id]; m.Division != want || len(m.Seats) != 2 {
			t.Errorf("got the match %s as %+v, want it in %s", id, m, want)
		}
	}
	if len(list) != 4 {
		t.Errorf("got the running matches %+v, want 4", list)
	}
}

// TestMatchOfAnEarlierAttemptIsNotThatOfTheLeg: the match goes on while an organizer sets its
// result, and then has it played again.
func TestMatchOfAnEarlierAttemptIsNotThatOfTheLeg(t *testing.T) {
	g := newGame(t, "format: round-robin")
	first := g.state().Fixture(0, 0)
	matches := map[string]record.Fixture{"old": {Pairing: 0, Leg: 0, Entries: first.Seats}}
	g.must(g.Rule(t.Context(), "cup", 0, 0, set(1, 0), "x"))
	g.must(g.Rule(t.Context(), "cup", 0, 0, Ruling{Action: Replay}, "x"))
	if list := running(t, g.state(), matches); len(list) != 0 {
		t.Errorf("got the running matches %+v, want none of the attempt before", list)
	}
	matches["new"] = record.Fixture{Pairing: 0, Leg: 0, Attempt: 1, Entries: first.Seats}
	if list := running(t, g.state(), matches); len(list) != 1 || list["new"].Leg != 1 {
		t.Errorf("got the running matches %+v, want the one of the new attempt", list)
	}
}
