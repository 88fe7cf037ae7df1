package contest

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

// season is what the API says about a league.
type season struct {
	State  string
	Done   int
	Season struct {
		Divisions []struct{ Name, Boss string }
		Dates     []struct {
			Final bool
			Moves []struct{ Name, From, To string }
		}
	}
	Standings []rung
}

// rung is a row in the table of a league.
type rung struct {
	Name, Division string
	Played         int
	Points         float64
}

func (c *class) season(name string) (s season) {
	c.t.Helper()
	c.Get("api/contests/"+name, &s)
	return s
}

// divisions returns the division of each student, 0 for the highest.
func (s season) divisions() map[string]int {
	at := map[string]int{}
	for i, d := range s.Season.Divisions {
		for _, r := range s.Standings {
			if r.Division == d.Name {
				at[r.Name] = i
			}
		}
	}
	return at
}

// TestTwoSeasonsOfALeague plays two seasons with a seeding that is upside down, kills the host
// in each, and sums them in a cup.
func TestTwoSeasonsOfALeague(t *testing.T) {
	long.Only(t, "it plays some hundred matches")
	t.Parallel()
	const students, divisions = 12, 3
	c := newDiceClass(t, students)
	var list []string
	for i := range students {
		list = append(list, "{player: "+programs.StudentName(i)+"}")
	}
	file := func(name, more string) string {
		return "name: " + name + "\ngame: dice\nargs: {rounds: 2}\ntimeout: 60\nformat: league\nseeding: entry\nboss: {silver: strong, bronze: random}\nentries: [" + strings.Join(list, ", ") +
			"]\nseason: {divisions: [gold, silver, bronze], after: 8, matches: 5" + more + "}\n"
	}
	c.Create(file("spring", ""))
	c.Create(file("autumn", ", follows: spring"))
	c.Create("name: year\nformat: cup\ncup: [spring, autumn, winter]\n")
	if text := c.refused("contest", "start", "autumn"); !strings.Contains(text, "host contest end spring") {
		t.Errorf("got %q, want that the season before has to end", text)
	}
	var daemons []*programs.Student
	for i := range students { // each one beats all before it
		low := 4 + 8*i
		daemons = append(daemons, c.Roll(programs.StudentName(i), c.Host.URL, fmt.Sprintf("%d-%d", low, low+7)))
	}
	best, worst := programs.StudentName(students-1), programs.StudentName(0)
	for _, name := range []string{"spring", "autumn"} {
		c.Run("contest", "start", name)
		for _, done := range []int{60, 120} {
			c.Plays(name, done)
			c.Restart()
		}
		c.Plays(name, 200)
		if name == "autumn" { // the bosses play by chance, so the number of matches until then is not certain
			poll.Until(t, "the best student is in gold, and the worst in bronze", func() bool {
				at := c.season(name).divisions()
				return at[best] == 0 && at[worst] == divisions-1
			})
		}
		c.Run("contest", "promote", name, "--reason", "the holidays begin")
		c.Run("contest", "end", name)
		c.Ended(name)
		c.Run("contest", "verify", name)
		c.checkLeague(name)
	}
	spring, autumn := c.season("spring"), c.season("autumn")
	if n := len(spring.Season.Dates); n < 3 || !spring.Season.Dates[n-1].Final {
		t.Errorf("got the dates %+v, want some and the end", spring.Season.Dates)
	}
	if place := autumn.divisions(); place[best] != 0 || place[worst] != divisions-1 {
		t.Errorf("got the best player in division %d and the worst in %d, want 0 and %d", place[best], place[worst], divisions-1)
	}

	_, table := programs.Get(t, c.Host.Page("api/contests/year/standings.csv"))
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(rows) != students+1 || strings.Join(rows[0], ",") != "rank,name,points,played,spring,autumn,winter" {
		t.Fatalf("got %v, %v, want a row for each student", rows, err)
	}
	for _, row := range rows[1:] {
		sum := 0.0
		for _, s := range []season{spring, autumn} {
			sum += s.Standings[slices.IndexFunc(s.Standings, func(r rung) bool { return r.Name == row[1] })].Points
		}
		if row[2] != strconv.FormatFloat(sum, 'f', -1, 64) {
			t.Errorf("%s: got %s points in the cup, want %v", row[1], row[2], sum)
		}
	}
	c.Run("contest", "end", "year")
	c.Run("contest", "verify", "year")
	for _, name := range []string{"spring", "year"} {
		out, err := c.Coco(programs.StudentName(0), "contest", "show", name).Output()
		if err != nil || !strings.Contains(string(out), programs.StudentName(students-1)) {
			t.Errorf("coco contest show %s: got %v\n%s", name, err, out)
		}
	}
	programs.Drain(t, daemons)
}

// checkLeague counts the matches of a league again.
func (c *class) checkLeague(name string) {
	c.t.Helper()
	_, text := programs.Get(c.t, c.Host.Page("api/contests/"+name+"/matches.ndjson"))
	played, points, pairings := map[string]int{}, map[string]float64{}, map[int]bool{}
	for line := range strings.Lines(text) {
		var m programs.ContestMatch
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			c.t.Fatal(err)
		}
		if pairings[m.Pairing] {
			c.t.Errorf("%s: got the match %d twice, want once", name, m.Pairing)
		}
		pairings[m.Pairing] = true
		for i, seat := range m.Seats {
			played[seat]++
			points[seat] += m.Points[i]
		}
	}
	for _, r := range c.season(name).Standings {
		if played[r.Name] != r.Played || points[r.Name] != r.Points {
			c.t.Errorf("%s: got %d matches and %v points of %s, want %d and %v", name, r.Played, r.Points, r.Name, played[r.Name], points[r.Name])
		}
	}
	c.t.Logf("%s: %d matches", name, len(pairings))
}
