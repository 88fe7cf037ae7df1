package season

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
)

// export is a contest as host contest show --json exports it.
type export struct {
	Name, State string
	Done        int
	TieBreaks   []string `json:"tie_breaks"`
	Entries     []struct {
		Name, Kind string
		Seed       int
		Team       *struct{ Players []string }
	}
	Rulings   []ruling
	Standings []row
	Matches   []match
	Season    *struct {
		Dates []struct {
			At     time.Time
			Reason string
			Final  bool
			Moves  []move
		}
	}
}

type ruling struct {
	Event        int64
	At           time.Time
	Kind, Reason string
	Pairing, Leg int
	Entries      []string
	UndoneBy     int64 `json:"undone_by"`
}

type row struct {
	programs.ContestRow
	Division  string
	TieBreaks []float64 `json:"tie_breaks"`
	Boards    []struct {
		Player                                       string
		Board, Played, Wins, Draws, Losses, Forfeits int
		Points, Rating, Low, High                    float64
	}
}

type match struct {
	programs.ContestMatch
	Ended   time.Time
	Earlier []struct{ ID string }
}

// export exports a contest. The page must say the same.
func (c *term) export(name string) *export {
	c.t.Helper()
	var x *export
	if err := json.Unmarshal([]byte(c.Run("contest", "show", name, "--json")), &x); err != nil {
		c.t.Fatal(err)
	}
	if x.State == "ended" {
		var page []row // it is a moment behind
		poll.Until(c.t, "the page of "+name+" has the table that the host exports", func() bool {
			var p export
			c.Get("api/contests/"+name, &p)
			page = p.Standings
			return reflect.DeepEqual(page, x.Standings)
		}, func() any { return fmt.Sprintf("%+v\n%+v", page, x.Standings) })
	}
	return x
}

// decision returns the number of the last decision about a match.
func (x *export) decision(m programs.ContestMatch) (event int64) {
	for _, r := range x.Rulings {
		if r.Pairing == m.Pairing && r.Leg == m.Leg {
			event = r.Event
		}
	}
	return event
}

// recorded checks that each result is that of a record, that no match has two of them, and
// that no record of a finished match is without one.
func (c *term) recorded(contests ...*export) {
	c.t.Helper()
	records := c.Host.Records(c.t)
	seen := map[string]string{}
	take := func(id, where string) {
		if other := seen[id]; other != "" {
			c.t.Errorf("got the match %s in %s and in %s, want one", id, other, where)
		}
		seen[id] = where
		if r := records[id]; r == nil || r.State != "finished" {
			c.t.Errorf("%s: got the record %+v of match %s, want a finished one", where, r, id)
		}
	}
	for _, x := range contests {
		legs := map[[2]int]bool{}
		for _, m := range x.Matches {
			where := fmt.Sprintf("%s %d.%d", x.Name, m.Pairing, m.Leg)
			if leg := [2]int{m.Pairing, m.Leg}; legs[leg] {
				c.t.Errorf("got %s twice, want once", where)
			} else {
				legs[leg] = true
			}
			for _, e := range m.Earlier {
				take(e.ID, where)
			}
			if m.ID == "" {
				continue
			}
			take(m.ID, where)
			r := records[m.ID]
			if r == nil || len(r.Seats) != 2 {
				continue
			}
			for i, seat := range r.Seats {
				name := m.Seats[i]
				if m.Players != nil {
					name = m.Players[i]
				}
				version, n := 0, slices.Index(names(), owner(name))
				if n >= 0 && handsIn(n) {
					version = 1
				}
				if (n >= 0) != (owner(seat.Name) == owner(name)) || seat.Version != version {
					c.t.Errorf("%s: got %+v in the record of match %s, want %s with version %d", where, seat, m.ID, name, version)
				}
			}
			if got, want := fmt.Sprint(m.Ranks), fmt.Sprint(ranks(r)); got != want {
				c.t.Errorf("%s: got the ranks %s, want %s by the record %+v", where, got, want, r)
			}
		}
		c.t.Logf("%s: %d matches", x.Name, len(legs))
	}
	for id, r := range records {
		if r.State == "finished" && seen[id] == "" {
			c.t.Errorf("got the record %+v of a match that no contest has", r)
		}
	}
}

// names returns those of the students.
func names() (list []string) {
	for i := range students {
		list = append(list, programs.StudentName(i))
	}
	return list
}

// ranks returns those of a match of two by its record.
func ranks(r *programs.Record) []int {
	a, b := r.Seats[0], r.Seats[1]
	gone := func(ended string) bool { return ended != "finished" }
	switch {
	case gone(a.Ended) && !gone(b.Ended), !gone(b.Ended) && a.Score < b.Score:
		return []int{2, 1}
	case gone(b.Ended) && !gone(a.Ended), !gone(a.Ended) && a.Score > b.Score:
		return []int{1, 2}
	}
	return []int{1, 1}
}

// score returns the points of the first seat.
func score(ranks []int) float64 {
	switch {
	case ranks[0] < ranks[1]:
		return 1
	case ranks[0] > ranks[1]:
		return 0
	}
	return 0.5
}
