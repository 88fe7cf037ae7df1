package contest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
)

// TestTwoAgainstTwo plays a contest of a game with teams among four players, of whom one
// always has the highest number. In three rounds it has each other one as its mate.
func TestTwoAgainstTwo(t *testing.T) {
	t.Parallel()
	c := newDiceClass(t, 4)
	c.Create("name: pairs\ngame: dice\nargs: {rounds: 2, teams: \"yes\"}\ntimeout: 60\nformat: round-robin\nplayers: 4\nrounds: 3\ngrace: 10m\nentries: open\n")
	daemons := c.RollAll(4, func(i int) string { return []string{"9-9", "0-0", "0-0", "0-0"}[i] }, "--contest", "pairs")
	c.Run("contest", "start", "pairs")
	d := c.Ended("pairs")
	best := programs.StudentName(0)
	for _, r := range d.Standings {
		want := "4 points, 4 won, 0 drawn, 8 lost"
		if r.Name == best {
			want = "12 points, 12 won, 0 drawn, 0 lost"
		}
		if got := fmt.Sprintf("%v points, %d won, %d drawn, %d lost", r.Points, r.Wins, r.Draws, r.Losses); got != want {
			t.Errorf("%s: got %s, want %s", r.Name, got, want)
		}
	}
	matches := c.ContestMatches("pairs")
	if len(matches) != 12 {
		t.Errorf("got %d matches, want 12", len(matches))
	}
	for _, m := range matches {
		mate := m.Seats[slices.Index(m.Seats, best)^2]
		for i, name := range m.Seats {
			points := 0.0
			if name == best || name == mate {
				points = 1
			}
			if m.Points[i] != points || !slices.Equal(m.Teams, []int{1, 2, 1, 2}) {
				t.Errorf("got the points %v and the teams %v of %v, want 1 for %s and its mate", m.Points, m.Teams, m.Seats, best)
			}
		}
	}
	if out := c.Run("contest", "matches", "pairs"); strings.Count(out, " + ") != 2*12 || !strings.Contains(out, " 1 : 0 ") {
		t.Errorf("got the matches\n%s\nwant two teams in each", out)
	}
	var profile struct {
		Games []struct {
			Rating    float64
			Opponents []struct {
				Name         string
				Played, Wins int
			}
		}
	}
	c.Get("api/players/"+best, &profile)
	if len(profile.Games) != 1 || len(profile.Games[0].Opponents) != 3 {
		t.Fatalf("got the profile %+v, want three opponents", profile)
	}
	for _, o := range profile.Games[0].Opponents {
		if o.Played != 8 || o.Wins != 8 {
			t.Errorf("got %+v, want 8 wins: in the other 4 matches it was the mate", o)
		}
	}
	if r := profile.Games[0].Rating; r < 1600 {
		t.Errorf("got the rating %.0f of the best, want more than 1600", r)
	}
	c.CheckOnce("pairs")
	c.Run("contest", "verify", "pairs")
	programs.Drain(t, daemons)
}
