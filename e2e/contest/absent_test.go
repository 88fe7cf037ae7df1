package contest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/cutproxy"
)

// TestPlayersThatAreAbsentLateOrCutOff plays a Swiss in which one player never comes,
// another one comes after its first match was lost, and a third one loses its connection
// in its first match.
func TestPlayersThatAreAbsentLateOrCutOff(t *testing.T) {
	t.Parallel()
	const never, late, cut = 3, 4, 0
	c := newDiceClass(t, 6)
	c.Create("name: gaps\ngame: dice\nargs: {rounds: 20}\ntimeout: 60\nformat: swiss\nrounds: 2\nmatches: 1\ngrace: 8s\n" +
		"entries: [{player: s01}, {player: s02}, {player: s03}, {player: s04}, {player: s05}, {player: s06}]\n")
	// Its first connection serves, and each other one is for a match. The proxy cuts
	// that of the first match after some answers.
	proxy, url := cutproxy.Listen(t, c.Host.URL, func(f cutproxy.Frame) cutproxy.Action {
		if f.Connection == 1 && f.Direction == cutproxy.ToServer && f.Number == 8 {
			return cutproxy.Action{Cut: cutproxy.After}
		}
		return cutproxy.Action{}
	})
	how := func(i int) string { return fmt.Sprintf("%d-%d", 60-10*i, 70-10*i) }
	var daemons []*programs.Student
	for i := range 6 {
		switch i {
		case never, late:
		case cut:
			daemons = append(daemons, c.Roll(programs.StudentName(i), url, how(i)))
		default:
			daemons = append(daemons, c.Roll(programs.StudentName(i), c.Host.URL, how(i)))
		}
	}
	c.Run("contest", "start", "gaps")
	c.Until("gaps", "the late player has lost its first match", func(*programs.Contest) bool {
		return slices.ContainsFunc(c.ContestMatches("gaps"), func(m programs.ContestMatch) bool { return slices.Contains(m.Absent, programs.StudentName(late)) })
	})
	daemons = append(daemons, c.Roll(programs.StudentName(late), c.Host.URL, how(late)))
	d := c.Ended("gaps")
	for _, m := range c.ContestMatches("gaps") {
		for i, name := range m.Seats {
			absent := slices.Contains(m.Absent, name)
			switch {
			case absent && name != programs.StudentName(never) && (name != programs.StudentName(late) || m.Round > 1):
				t.Errorf("got %+v, want %s present", m, name)
			case !absent && name == programs.StudentName(never):
				t.Errorf("got %+v, want %s absent", m, name)
			case absent && m.Points[i] != 0, m.State == "walkover" && !absent && m.Points[i] != 1:
				t.Errorf("got the walkover %+v, want a point for the one that was present", m)
			case m.State == "finished" && m.Outcomes[i] != "finished":
				t.Errorf("got %+v, want nobody to forfeit", m)
			}
		}
	}
	for _, s := range d.Standings {
		want := map[string]int{programs.StudentName(never): 0}
		if n, ok := want[s.Name]; ok && (s.Played != n || s.Points != 0) {
			t.Errorf("got %+v, want no match and no point", s)
		}
		if s.Name == programs.StudentName(late) && s.Played == 0 {
			t.Errorf("got %+v, want matches of the player that came later", s)
		}
	}
	if n := proxy.Connections(); n < 3 {
		t.Errorf("got %d connections through the proxy, want that of a match and another one after the cut", n)
	}
	c.CheckOnce("gaps")
	c.CheckStandings("gaps", 1)
	c.Run("contest", "verify", "gaps")
	programs.Drain(t, daemons)
	for _, d := range daemons {
		for _, line := range d.Log {
			if strings.Contains(line, "msg=why") || strings.Contains(line, "result=aborted") {
				t.Errorf("%s: got the line %s, want no failure", d.Name, line)
			}
		}
	}
}
