package contest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
)

const groups = "name: trio\ngame: dice\nargs: {rounds: 4}\ntimeout: 60\nformat: round-robin\nplayers: 3\nrounds: 7\ngrace: 10m\n"

// TestGroupsOfThreePrograms plays a round robin of a game for three among programs.
func TestGroupsOfThreePrograms(t *testing.T) {
	t.Parallel()
	var hows []string
	for i := range 7 {
		hows = append(hows, fmt.Sprintf("%d-%d", i, i+5))
	}
	l := newLocal(t, groups, hows)
	d, matches := decodeContest(t, l.run("contest", "run", l.file, "--json"))
	checkGroups(t, d, matches)
	l.run("contest", "verify", "trio")
	c := l.open()
	c.CheckOnce("trio")
	c.CheckStandings("trio", 3)
}

// TestGroupsOfThreePlayers plays the same among players that are connected.
func TestGroupsOfThreePlayers(t *testing.T) {
	long.Only(t, "it plays what programs play, among players")
	t.Parallel()
	c := newDiceClass(t, 7)
	c.Create(groups + "entries: open\n")
	daemons := c.RollAll(7, func(i int) string { return fmt.Sprintf("%d-%d", i, i+5) }, "--contest", "trio")
	c.Run("contest", "start", "trio")
	d := c.Ended("trio")
	checkGroups(t, d, c.ContestMatches("trio"))
	c.CheckOnce("trio")
	c.CheckStandings("trio", 3)
	c.Run("contest", "verify", "trio")
	programs.Drain(t, daemons)
}

// checkGroups checks that the groups are balanced, and that everybody has each seat once
// in each of its groups.
func checkGroups(t *testing.T, d *programs.Contest, matches []programs.ContestMatch) {
	t.Helper()
	if d.State != "ended" || len(d.Standings) != 7 {
		t.Fatalf("got the state %s and %d standings, want ended and 7", d.State, len(d.Standings))
	}
	seats := map[string]int{} // matches of an entry on a seat, by pairing
	met := map[string]int{}   // matches of two entries
	count := map[string]int{} // matches of an entry
	for _, m := range matches {
		if m.State == "bye" {
			continue
		}
		if m.State != "finished" || len(m.Seats) != 3 {
			t.Errorf("got the match %+v, want three players and the end", m)
			continue
		}
		sum := 0.0
		for i, name := range m.Seats {
			seats[fmt.Sprint(m.Pairing, name, i)]++
			count[name]++
			sum += m.Points[i]
			for _, other := range m.Seats[i+1:] {
				met[fmt.Sprint(slices.Sorted(slices.Values([]string{name, other})))]++
			}
		}
		if sum < 1.499 || sum > 1.501 {
			t.Errorf("got the points %v, want 1.5 in all", m.Points)
		}
	}
	for key, n := range seats {
		if n != 1 {
			t.Errorf("%s: got %d matches on this seat, want 1", key, n)
		}
	}
	values := slices.Sorted(maps.Values(count))
	if len(count) != 7 || values[0] != values[6] { // a bye for each in seven rounds
		t.Errorf("got the matches %v, want as many for everybody", count)
	}
	pairs := slices.Sorted(maps.Values(met))
	if len(met) != 7*6/2 || pairs[20]-pairs[0] > 6 { // two groups of three matches
		t.Errorf("got the meetings %v, want 21 pairs that meet about as often", met)
	}
}
