package contest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
)

// TestTeamsOfStudents plays a contest of three teams with two boards. Two are entered by their
// captains, and one by the teacher. The host is killed while it runs.
func TestTeamsOfStudents(t *testing.T) {
	t.Parallel()
	const students = 7
	c := newDiceClass(t, students)
	c.Create("name: clubs\ngame: dice\nargs: {rounds: 3}\ntimeout: 60\nformat: round-robin\nmatches: 2\nteams: {size: 2, reserves: 1, points: match}\nentries: open\ngrace: 10m\n")
	coco := func(student string, args ...string) string {
		out, err := c.Coco(student, append([]string{"contest"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("coco contest %s: got %v, want no error\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	coco("s01", "enter", "clubs", "--team", "reds", "s02")
	coco("s02", "enter", "clubs", "--team", "reds")
	coco("s04", "enter", "clubs", "--team", "blues", "s03", "s07")
	coco("s03", "enter", "clubs", "--team", "blues")
	coco("s07", "withdraw", "clubs") // declines
	coco("s04", "lineup", "clubs", "blues", "s03", "s04")
	coco("s07", "enter", "clubs", "--team", "alone")
	c.Run("contest", "enter", "clubs", "greens=s05,s06")
	for _, tt := range []struct{ args, want string }{
		{"contest enter clubs s07", "is for teams: host contest enter clubs s07=PLAYER,PLAYER..."},
		{"contest enter clubs whites=s01,s07", "s01 is in the team reds"},
		{"contest lineup clubs greens s05", "it needs 2"},
	} {
		if got := c.refused(strings.Fields(tt.args)...); !strings.Contains(got, tt.want) {
			t.Errorf("host %s: got %q, want an error with %q", tt.args, got, tt.want)
		}
	}
	daemons := c.RollAll(6, func(i int) string { return fmt.Sprintf("%d-%d", 10-i, 30-i) }, "--contest", "clubs")
	c.Run("contest", "start", "clubs")
	c.Until("clubs", "some matches are over", func(d *programs.Contest) bool { return d.Done >= 3 })
	c.Restart()
	d := c.Ended("clubs")
	if d.Done != 12 || d.Round != 3 {
		t.Errorf("got %d matches in %d rounds, want 12 in 3", d.Done, d.Round)
	}
	line := map[string][]string{"reds": {"s01", "s02"}, "blues": {"s03", "s04"}, "greens": {"s05", "s06"}}
	points := map[string]float64{}
	played := c.CheckOnce("clubs")["clubs"]
	for _, m := range played {
		for seat, team := range m.Seats {
			if want := line[team][m.Board-1]; m.Players[seat] != want {
				t.Errorf("got %s on board %d of the %s, want %s", m.Players[seat], m.Board, team, want)
			}
			points[fmt.Sprint(m.Pairing, " ", team)] += m.Points[seat]
		}
	}
	matchPoints := map[string]float64{}
	for key, own := range points {
		pairing, team, _ := strings.Cut(key, " ")
		for other := range line {
			if theirs, ok := points[pairing+" "+other]; ok && other != team {
				switch {
				case own > theirs:
					matchPoints[team]++
				case own == theirs:
					matchPoints[team] += 0.5
				}
			}
		}
	}
	for _, row := range d.Standings {
		if row.Name != "alone" && (row.Points != matchPoints[row.Name] || row.Played != 8) {
			t.Errorf("got %+v, want %v match points from 8 matches", row, matchPoints[row.Name])
		}
	}
	if n := slices.IndexFunc(d.Entries, func(e struct {
		Name, Kind string
		Seed       int
		Withdrawn  bool
	}) bool {
		return e.Name == "alone" && e.Withdrawn && e.Kind == "team"
	}); n < 0 {
		t.Errorf("got the entries %+v, want a team without players withdrawn", d.Entries)
	}
	c.Run("contest", "verify", "clubs")
	csv := strings.Split(c.Run("contest", "standings", "clubs", "--csv"), "\n")
	if len(csv) != 1+3*3+1+1+1 || !strings.HasPrefix(csv[0], "rank,team,player,board,points,") {
		t.Errorf("got the table\n%s\nwant a head, three teams with two players, and one with one", strings.Join(csv, "\n"))
	}
	if got := coco("s01", "show", "clubs"); !strings.Contains(got, "Boards    2") || !strings.Contains(got, "blues: s03 s04") || !strings.Contains(got, "1 s03") {
		t.Errorf("got\n%s\nwant the teams with their players", got)
	}
	var ratings struct{ Ratings []struct{ Name string } }
	c.Get("api/ratings/dice", &ratings)
	if len(ratings.Ratings) != 6 {
		t.Errorf("got the ratings %+v, want those of six players", ratings.Ratings)
	}
	programs.Drain(t, daemons)
}
