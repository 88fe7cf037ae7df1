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
	c.CheckStandings("trio", 1.5)
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
	c.CheckStandings("trio", 1.5)
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

// TestThirteenPlayersAtTablesOfFour plays a round robin with four players to a match among
// 13 daemons: in each round one of them has a bye.
func TestThirteenPlayersAtTablesOfFour(t *testing.T) {
	long.Only(t, "the short run has a ladder at such tables, and tests the pairings without a host")
	t.Parallel()
	const students, size = 13, 4
	const rounds = students // everybody has one bye
	c := newDiceClass(t, students)
	c.Create(fmt.Sprintf("name: tables\ngame: dice\nargs: {rounds: 4}\ntimeout: 60\nformat: round-robin\nplayers: %d\nrounds: %d\nseed: 13\nentries: open\ngrace: 10m\n", size, rounds))
	daemons := c.RollAll(students, func(i int) string { return fmt.Sprintf("%d-%d", 5*i, 5*i+30) }, "--contest", "tables")
	c.Run("contest", "start", "tables")
	d := c.Ended("tables")
	tables := students / size
	if all := rounds * tables * size; d.Done != all || d.All != all || d.Round != rounds || d.Players != size || d.Legs != size {
		t.Errorf("got %d of %d matches of %d, %d to a pairing, in %d rounds, want %d of %d, %d to a pairing, in %d", d.Done, d.All, d.Players, d.Legs, d.Round, all, size, size, rounds)
	}
	byes, perRound, met := map[string]int{}, map[string]int{}, map[string]int{}
	for _, m := range c.ContestMatches("tables") {
		if m.State == "bye" {
			byes[m.Seats[0]]++
			perRound[fmt.Sprint(m.Round, m.Seats[0])] += size
		}
	}
	seats := map[string]int{} // matches of an entry on a seat, by pairing
	for _, m := range c.CheckOnce("tables")["tables"] {
		if len(m.Seats) != size {
			t.Errorf("got the match %+v, want %d players", m, size)
		}
		for i, name := range m.Seats {
			perRound[fmt.Sprint(m.Round, name)]++
			seats[fmt.Sprint(m.Pairing, name, i)]++
			for _, other := range m.Seats[i+1:] {
				met[fmt.Sprint(slices.Sorted(slices.Values([]string{name, other})))]++
			}
		}
	}
	if most := slices.Max(slices.Collect(maps.Values(byes))); len(byes) != rounds || most != 1 {
		t.Errorf("got the byes %v, want one for each of %d players", byes, rounds)
	}
	if len(perRound) != rounds*students {
		t.Errorf("got matches or byes for %d players in all rounds, want %d", len(perRound), rounds*students)
	}
	for key, n := range perRound {
		if n != size {
			t.Errorf("round and player %s: got %d matches, want %d or a bye", key, n, size)
		}
	}
	for key, n := range seats {
		if n != 1 {
			t.Errorf("pairing, player and seat %s: got %d matches, want 1", key, n)
		}
	}
	const pairs = students * (students - 1) / 2
	if times := slices.Collect(maps.Values(met)); len(met) != pairs || slices.Max(times)-slices.Min(times) > 2*size { // of two pairings
		t.Errorf("got the meetings %v, want %d pairs that meet about as often", met, pairs)
	}
	c.CheckStandings("tables", size/2.)
	c.Run("contest", "verify", "tables")
	programs.Drain(t, daemons)
}

// TestLadderAtTablesOfFour plays a ladder with four players to a match among 20 daemons.
func TestLadderAtTablesOfFour(t *testing.T) {
	t.Parallel()
	const students, size, good = 20, 4, 10 // the first ones are good
	matches, least := 8, 1
	if long.Run() {
		matches, least = 150, 15
	}
	c := newDiceClass(t, students)
	c.Create(fmt.Sprintf("name: rungs\ngame: dice\nargs: {rounds: 5}\ntimeout: 60\nformat: ladder\nplayers: %d\nseed: 20\nentries: open\ngrace: 1m\n", size))
	daemons := c.RollAll(students, func(i int) string {
		if i < good {
			return "60-99"
		}
		return "0-39"
	}, "--contest", "rungs")
	c.Until("rungs", fmt.Sprintf("%d matches are over, and everybody has played", matches), func(d *programs.Contest) bool {
		return d.Done >= matches && len(d.Standings) == students && slices.MinFunc(d.Standings, func(a, b programs.ContestRow) int { return a.Played - b.Played }).Played >= least
	})
	c.Run("contest", "pause", "rungs")
	c.Until("rungs", "it is paused", func(d *programs.Contest) bool { return d.State == "paused" })
	programs.Drain(t, daemons) // with the matches that have begun
	d := c.Until("rungs", "all records are counted", func(d *programs.Contest) bool {
		seats := 0
		for _, s := range d.Standings {
			seats += s.Played
		}
		return seats == size*len(c.Host.Records(t))
	})
	c.Run("contest", "end", "rungs")
	c.checkRungs("rungs")
	for name, n := range c.most() {
		if n != 1 {
			t.Errorf("%s: got %d matches at the same time, want 1", name, n)
		}
	}
	ids, groups := map[string]bool{}, map[string]bool{}
	type tally struct{ played, wins, draws, losses int }
	want := map[string]tally{}
	for _, m := range c.ContestMatches("rungs") {
		names := slices.Sorted(slices.Values(m.Seats))
		if m.State != "finished" || len(slices.Compact(slices.Clone(names))) != size || ids[m.ID] {
			t.Errorf("got the match %+v, want it finished once with %d players", m, size)
			continue
		}
		ids[m.ID], groups[fmt.Sprint(names)] = true, true
		first := 0
		for _, rank := range m.Ranks {
			if rank == 1 {
				first++
			}
		}
		for i, name := range m.Seats {
			s := want[name]
			s.played++
			switch {
			case m.Ranks[i] > 1:
				s.losses++
			case first > 1:
				s.draws++
			default:
				s.wins++
			}
			want[name] = s
		}
	}
	if len(groups) < matches*2/3 {
		t.Errorf("got %d different groups in %d matches, want other ones nearly each time", len(groups), len(ids))
	}
	var better, worse []float64
	for _, s := range d.Standings {
		if got := (tally{s.Played, s.Wins, s.Draws, s.Losses}); got != want[s.Name] {
			t.Errorf("%s: got %+v, want %+v as in the matches", s.Name, got, want[s.Name])
		}
		if s.Name <= programs.StudentName(good-1) {
			better = append(better, s.Rating)
		} else {
			worse = append(worse, s.Rating)
		}
	}
	if long.Run() && slices.Min(better) <= slices.Max(worse) {
		t.Errorf("got the ratings %v of good players and %v of bad ones, want all of the good ones above", better, worse)
	}
	c.Run("contest", "verify", "rungs")
}
