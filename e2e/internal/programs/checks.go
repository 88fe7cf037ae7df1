package programs

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// CheckOnce checks that each leg of each pairing was decided exactly once, that its
// match has a record with the same seats, and that no other match of their games has been
// finished. It returns the matches that were played.
func (c *Class) CheckOnce(contests ...string) (played map[string][]ContestMatch) {
	c.T.Helper()
	records := c.Host.Records(c.T)
	played = map[string][]ContestMatch{}
	seen, games := map[string]bool{}, map[string]bool{}
	for _, name := range contests {
		d, list := c.Contest(name), c.ContestMatches(name)
		games[d.Game] = true
		legs := map[int][]int{}
		for _, m := range list {
			switch m.State {
			case "bye":
				continue
			case "finished":
				r := records[m.ID]
				if r == nil || r.State != "finished" || len(r.Seats) != len(m.Seats) {
					c.T.Errorf("%s, match %+v: got the record %+v, want a finished one", name, m, r)
					continue
				}
				names := m.Seats
				if m.Players != nil {
					names = m.Players
				}
				for i, seat := range r.Seats {
					if strings.HasPrefix(names[i], "bot:") != (seat.Name != names[i]) {
						c.T.Errorf("%s, match %s: got %q on seat %d of the record, want %q", name, m.ID, seat.Name, i, names[i])
					}
				}
				if seen[m.ID] {
					c.T.Errorf("%s: got the match %s twice, want once", name, m.ID)
				}
				seen[m.ID] = true
				played[name] = append(played[name], m)
			case "walkover":
				if m.ID != "" {
					c.T.Errorf("%s: got the walkover %+v with a match, want none", name, m)
				}
			default:
				c.T.Errorf("%s: got the match %+v, want it decided", name, m)
			}
			legs[m.Pairing] = append(legs[m.Pairing], m.Leg)
		}
		for pairing, got := range legs {
			var want []int
			for i := range d.Legs {
				want = append(want, i+1)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				c.T.Errorf("%s: pairing %d: got the legs %v, want %v", name, pairing, got, want)
			}
		}
	}
	for id, r := range records {
		if r.State == "finished" && !seen[id] && games[r.Game] {
			c.T.Errorf("got a record of the finished match %s between %v that belongs to no leg of %v, want none", id, r.Seats, contests)
		}
	}
	return played
}

// CheckStandings computes the points of a contest again from its matches, and compares
// them with the standings, and these with the exported ones. A bye is worth the points of
// byes.
func (c *Class) CheckStandings(name string, byes float64) {
	c.T.Helper()
	d := c.Contest(name)
	void := voided(d, c.ContestMatches(name))
	type tally struct {
		points                      float64
		played, wins, draws, losses int
	}
	want := map[string]*tally{}
	for _, e := range d.Entries {
		want[e.Name] = &tally{}
	}
	for _, m := range c.ContestMatches(name) {
		if slices.ContainsFunc(m.Seats, func(name string) bool { return void[name] }) {
			continue
		}
		switch m.State {
		case "bye":
			want[m.Seats[0]].points += byes
			continue
		case "walkover":
			for i, seat := range m.Seats {
				want[seat].points += m.Points[i]
			}
			continue
		}
		others := float64(len(m.Seats) - 1)
		for i, seat := range m.Seats {
			s := want[seat]
			s.played++
			above, below := 0, 0
			for j := range m.Seats {
				switch {
				case i == j:
				case m.Ranks[j] < m.Ranks[i]:
					above++
				case m.Ranks[j] > m.Ranks[i]:
					below++
				default:
					s.points += 0.5 / others
				}
			}
			s.points += float64(below) / others
			switch shared := above+below < len(m.Seats)-1; {
			case above > 0:
				s.losses++
			case shared:
				s.draws++
			default:
				s.wins++
			}
		}
	}
	if len(d.Standings) != len(want) {
		c.T.Errorf("%s: got %d standings, want %d", name, len(d.Standings), len(want))
	}
	for i, r := range d.Standings {
		w := want[r.Name]
		got := tally{r.Points, r.Played, r.Wins, r.Draws, r.Losses}
		if diff := got.points - w.points; diff > 1e-9 || diff < -1e-9 {
			c.T.Errorf("%s, %s: got %v points, want %v", name, r.Name, got.points, w.points)
		}
		if got.points = w.points; got != *w {
			c.T.Errorf("%s, %s: got %+v, want %+v", name, r.Name, got, *w)
		}
		if i > 0 && (r.Rank < d.Standings[i-1].Rank || d.Format != "knockout" && r.Points > d.Standings[i-1].Points+1e-9) {
			c.T.Errorf("%s: got %+v after %+v, want them in the order of ranks and points", name, r, d.Standings[i-1])
		}
	}
	_, page := Get(c.T, c.Host.Page("api/contests/"+name+"/standings.csv"))
	for from, text := range map[string]string{"page": page, "host": c.Run("contest", "standings", name, "--csv")} {
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(rows) != len(d.Standings)+1 {
			c.T.Errorf("%s from the %s: got %d rows of CSV, %v, want %d:\n%s", name, from, len(rows), err, len(d.Standings)+1, text)
			continue
		}
		for i, r := range d.Standings {
			points, err := strconv.ParseFloat(rows[i+1][2], 64)
			rest := slices.Concat(rows[i+1][:2], rows[i+1][3:8])
			want := fmt.Sprint([]any{r.Rank, r.Name, r.Played, r.Wins, r.Draws, r.Losses, r.Forfeits})
			if diff := points - r.Points; err != nil || diff > 0.01 || diff < -0.01 || fmt.Sprint(rest) != want {
				c.T.Errorf("%s from the %s, row %d: got %v, want %s and %v points", name, from, i+1, rows[i+1], want, r.Points)
			}
		}
	}
}

// voided returns the entries of a round robin that withdrew before half of their matches:
// none of their results counts (FIDE Tournament Rules, C.06, article 5.4).
func voided(d *Contest, list []ContestMatch) map[string]bool {
	void := map[string]bool{}
	for _, e := range d.Entries {
		all, played := 0, 0
		for _, m := range list {
			if m.State != "bye" && slices.Contains(m.Seats, e.Name) {
				all++
				if m.State == "finished" {
					played++
				}
			}
		}
		void[e.Name] = d.Format == "round-robin" && d.Players == 2 && e.Withdrawn && 2*played < all
	}
	return void
}
