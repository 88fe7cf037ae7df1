package season

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"colosseum/e2e/internal/programs"
)

// The divisions of the league, and the bosses of the second and the third one.
var (
	divisions = []string{"gold", "silver", "bronze"}
	bosses    = []string{"", "bot:strong", "bot:random"}
)

const (
	promoted = 2 // most that go up, and down, at one line and date
	tiny     = 1e-6
)

// move is an entry that goes from one division to another.
type move struct{ Name, From, To string }

// league computes a season again from its matches.
type league struct {
	*export
	number map[string]int // of an entry, by name
	games  []programs.Rated
	rates  map[[2]int][]programs.Estimate // see rate
}

// place is where the entries are before a date.
type place struct {
	cut      int   // matches that counted at the dates until now
	division []int // by entry; -1: a bot
	since    []int // by entry: the matches before it came to its division
}

// checkLeague computes the moves and the final table of a season. First has the divisions in
// which its players begin, from 0. It returns those after the season.
func (c *term) checkLeague(x *export, first map[string]int) (last map[string]int) {
	c.t.Helper()
	l := &league{export: x, number: map[string]int{}, rates: map[[2]int][]programs.Estimate{}}
	begin := place{division: make([]int, len(x.Entries)), since: make([]int, len(x.Entries))}
	for i, e := range x.Entries {
		l.number[e.Name] = i
		begin.division[i] = -1
		if e.Kind != "bot" {
			begin.division[i] = first[owner(e.Name)]
		}
	}
	if x.Done != len(x.Matches) {
		c.t.Fatalf("%s: got %d of its %d matches in the export, want all", x.Name, len(x.Matches), x.Done)
	}
	for _, m := range x.Matches {
		l.games = append(l.games, programs.Rated{A: l.number[m.Seats[0]], B: l.number[m.Seats[1]], Score: score(m.Ranks), Weight: 1})
	}
	end, ok := l.follow(begin, 0)
	if !ok {
		c.t.Errorf("%s: the moves do not follow from the matches:\n%+v", x.Name, x.Season.Dates)
		return nil
	}
	c.table(l, end)
	last = map[string]int{}
	moves := 0
	for i, e := range x.Entries {
		last[owner(e.Name)] = end.division[i]
	}
	for _, d := range x.Season.Dates {
		moves += len(d.Moves)
		if d.Final {
			for _, m := range d.Moves {
				last[owner(m.Name)] = slices.Index(divisions, m.To)
			}
		}
		c.t.Logf("%s: %d moves %s", x.Name, len(d.Moves), cmp.Or(d.Reason, map[bool]string{true: "at the end", false: "at a date"}[d.Final]))
	}
	if moves == 0 {
		c.t.Errorf("%s: nobody has moved, and the best players began in the lowest division", x.Name)
	}
	return last
}

// follow applies the dates from one on, and returns the places before the last one, which ends
// the season. The export does not say which matches had counted at a date: some had ended then
// at which the host had not looked, so it is any number with which all moves are right.
func (l *league) follow(p place, date int) (place, bool) {
	d := l.Season.Dates[date]
	most, least := len(l.Matches), p.cut
	if d.Final {
		return p, date == len(l.Season.Dates)-1 && slices.Equal(l.moves(p, most, d.At), d.Moves)
	}
	for most > least && l.Matches[most-1].Ended.After(d.At) {
		most--
	}
	for cut := most; cut >= least; cut-- {
		if !slices.Equal(l.moves(p, cut, d.At), d.Moves) {
			continue
		}
		next := place{cut, slices.Clone(p.division), slices.Clone(p.since)}
		for _, m := range d.Moves {
			next.division[l.number[m.Name]], next.since[l.number[m.Name]] = slices.Index(divisions, m.To), cut
		}
		if end, ok := l.follow(next, date+1); ok {
			return end, true
		}
	}
	return p, false
}

// rate returns the ratings by the first matches, if that of one entry is fixed; -1: none is.
func (l *league) rate(cut, anchor int, fixed float64) []programs.Estimate {
	key := [2]int{cut, anchor}
	if l.rates[key] == nil {
		l.rates[key] = programs.Ratings(len(l.Entries), anchor, fixed, l.games[:cut])
	}
	return l.rates[key]
}

// moves returns who goes up and down at a time by the first matches.
func (l *league) moves(p place, cut int, at time.Time) []move {
	list := []move{}
	played, here := l.count(p, cut)
	ratings := l.rated(played, cut)
	moved := map[int]bool{}
	for lower := 1; lower < len(divisions); lower++ {
		boss := l.number[bosses[lower]]
		if played[boss] == 0 {
			continue
		}
		apart := l.rate(cut, boss, ratings[boss].Rating)
		across := func(from, to int, beyond func(programs.Estimate) bool) {
			members := l.ranking(p, from, played, ratings, at)
			if to > from {
				slices.Reverse(members)
			}
			for _, n := range members[:min(promoted, len(members))] {
				if beyond(apart[n]) && !moved[n] && here[n] >= least {
					list = append(list, move{l.Entries[n].Name, divisions[from], divisions[to]})
					moved[n] = true
				}
			}
		}
		line := ratings[boss].Rating
		across(lower, lower-1, func(e programs.Estimate) bool { return e.Low > line })
		across(lower-1, lower, func(e programs.Estimate) bool { return e.High < line })
	}
	return list
}

// count returns how many matches each entry has played, and how many of them in its division.
func (l *league) count(p place, cut int) (played, here []int) {
	played, here = make([]int, len(l.Entries)), make([]int, len(l.Entries))
	for i, g := range l.games[:cut] {
		for _, n := range []int{g.A, g.B} {
			played[n]++
			if i >= p.since[n] {
				here[n]++
			}
		}
	}
	return played, here
}

// rated returns the ratings of the season: the bot of the highest division has 1500.
func (l *league) rated(played []int, cut int) []programs.Estimate {
	anchor := l.number[bosses[1]]
	if played[anchor] == 0 {
		anchor = -1
	}
	return l.rate(cut, anchor, 1500)
}

// ranking returns the entries of a division that can move at a time, the best first.
func (l *league) ranking(p place, division int, played []int, ratings []programs.Estimate, at time.Time) (list []int) {
	for n, e := range l.Entries {
		if p.division[n] == division && played[n] > 0 && !l.barred(e.Name, at) {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return l.better(ratings, a, b) })
	return list
}

// better compares two entries by their ratings, and equal ones by their seeding.
func (l *league) better(ratings []programs.Estimate, a, b int) int {
	near := func(n int) float64 { return math.Round(ratings[n].Rating / tiny) }
	return cmp.Or(cmp.Compare(near(b), near(a)), cmp.Compare(l.Entries[a].Seed, l.Entries[b].Seed))
}

// barred reports whether an organizer had taken an entry out at a time.
func (x *export) barred(name string, at time.Time) (out bool) {
	for _, r := range x.Rulings {
		if !r.At.After(at) && slices.Contains(r.Entries, name) && (r.Kind == "bar" || r.Kind == "forgive") {
			out = r.Kind == "bar"
		}
	}
	return out
}

// table compares the final tables of the divisions with those that follow from the matches.
func (c *term) table(l *league, end place) {
	c.t.Helper()
	played, _ := l.count(end, len(l.games))
	ratings := l.rated(played, len(l.games))
	want := make([]programs.ContestRow, len(l.Entries))
	for i, m := range l.Matches {
		for seat, name := range m.Seats {
			w := &want[l.number[name]]
			points := math.Abs(float64(seat) - l.games[i].Score)
			w.Points += points
			count(w, points)
			if m.Outcomes[seat] != "finished" {
				w.Forfeits++
			}
		}
	}
	order := []int{}
	for d := range divisions {
		members := []int{}
		for n := range l.Entries {
			if end.division[n] == d || l.Entries[n].Name == bosses[d] {
				members = append(members, n)
			}
		}
		slices.SortFunc(members, func(a, b int) int {
			none := func(n int) int { return map[bool]int{true: 1, false: 0}[played[n] == 0] }
			return cmp.Or(cmp.Compare(none(a), none(b)), l.better(ratings, a, b))
		})
		rank := 0
		for _, n := range members {
			if l.Entries[n].Kind != "bot" && played[n] > 0 {
				rank++
				want[n].Rank = rank
			}
		}
		order = append(order, members...)
	}
	if len(l.Standings) != len(order) {
		c.t.Errorf("%s: got %d rows, want %d", l.Name, len(l.Standings), len(order))
		return
	}
	furthest := 0.0
	for i, r := range l.Standings {
		n := order[i]
		w := want[n]
		w.Name = l.Entries[n].Name
		got := r.ContestRow
		if played[n] > 0 {
			for _, x := range [][2]float64{{got.Rating, ratings[n].Rating}, {got.Low, ratings[n].Low}, {got.High, ratings[n].High}} {
				furthest = max(furthest, math.Abs(x[0]-x[1]))
			}
		}
		got.Rating, got.Low, got.High = 0, 0, 0
		if got != w {
			c.t.Errorf("%s, row %d: got %+v, want %+v", l.Name, i+1, got, w)
		}
		if d := end.division[n]; d >= 0 && r.Division != divisions[d] {
			c.t.Errorf("%s, %s: got the division %s, want %s", l.Name, r.Name, r.Division, divisions[d])
		}
	}
	if furthest > 0.01 {
		c.t.Errorf("%s: got ratings and intervals that are up to %g points from those of the matches", l.Name, furthest)
	}
	c.rows(l.export, func(r row) []any {
		return []any{r.Division, r.Rank, r.Name, r.Points, r.Played, r.Wins, r.Draws, r.Losses, r.Forfeits}
	})
}

// count counts a match with the points of an entry in its row.
func count(w *programs.ContestRow, points float64) {
	w.Played++
	switch points {
	case 1:
		w.Wins++
	case 0.5:
		w.Draws++
	default:
		w.Losses++
	}
}

// rows compares the first cells of the exported CSV with the rows of a table.
func (c *term) rows(x *export, cells func(r row) []any) {
	c.t.Helper()
	got := c.csv(x.Name)
	if len(got) != len(x.Standings) {
		c.t.Errorf("%s: got %d rows of CSV, want %d", x.Name, len(got), len(x.Standings))
		return
	}
	for i, r := range x.Standings {
		want := cells(r)
		if text := fmt.Sprint(got[i][:len(want)]); text != fmt.Sprint(want) {
			c.t.Errorf("%s, row %d of CSV: got %s, want %v", x.Name, i+1, text, want)
		}
	}
}
