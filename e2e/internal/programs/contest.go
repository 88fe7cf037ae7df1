package programs

import (
	"fmt"
	"time"

	"colosseum/internal/test/poll"
)

// Contest is a contest of dice as the API describes it.
type Contest struct {
	Name, Game            string
	State, Reason, Format string
	Round, Done, All      int
	Players, Legs         int
	Started, Ended        time.Time
	Entries               []struct {
		Name, Kind string
		Seed       int
		Withdrawn  bool
	}
	Standings []ContestRow
	Running   []ContestMatch
}

// ContestRow is an entry in the standings.
type ContestRow struct {
	Rank                                  int
	Name                                  string
	Points                                float64
	Played, Wins, Draws, Losses, Forfeits int
	Rating, Low, High                     float64
}

// ContestMatch is a match of a contest.
type ContestMatch struct {
	ID                                string
	Round, Slot, Replay, Pairing, Leg int
	Bracket                           string
	Seats                             []string
	Board                             int      // of a contest of teams: from 1
	Players                           []string // of a contest of teams: by seat
	State                             string
	Points                            []float64
	Ranks                             []int
	Teams                             []int // by seat; none: there are no teams
	Outcomes                          []string
	Absent                            []string
	Versions                          []int // by seat; none: no program was handed in
}

// Contest reads a contest.
func (c *Class) Contest(name string) *Contest {
	c.T.Helper()
	var d Contest
	c.Get("api/contests/"+name, &d)
	return &d
}

// Until waits until a contest is as it should be, and returns it.
func (c *Class) Until(name, condition string, ok func(d *Contest) bool) *Contest {
	c.T.Helper()
	var d *Contest
	poll.Until(c.T, name+": "+condition, func() bool {
		d = c.Contest(name)
		return ok(d)
	})
	return d
}

// Plays waits until a number of matches of a contest are over: as long as matches end, however
// slowly.
func (c *Class) Plays(name string, matches int) {
	c.T.Helper()
	for done := c.Contest(name).Done; done < matches; {
		condition := fmt.Sprintf("more than %d of %d matches are over", done, matches)
		done = c.Until(name, condition, func(d *Contest) bool { return d.Done > done }).Done
	}
}

// Ended waits for the end of a contest.
func (c *Class) Ended(name string) *Contest {
	c.T.Helper()
	return c.Until(name, "it has ended", func(d *Contest) bool { return d.State == "ended" })
}

// ContestMatches reads all matches of a contest.
func (c *Class) ContestMatches(name string) []ContestMatch {
	c.T.Helper()
	var all []ContestMatch
	for after := ""; ; {
		var page struct {
			Matches []ContestMatch
			Next    int
		}
		c.Get("api/contests/"+name+"/matches?limit=150"+after, &page)
		all = append(all, page.Matches...)
		if page.Next == 0 {
			return all
		}
		after = fmt.Sprintf("&after=%d", page.Next)
	}
}
