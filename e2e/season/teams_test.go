package season

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"colosseum/e2e/internal/programs"
)

// size is the number of boards of a team.
const size = 3

// csv returns the rows of the exported table of a contest without the header; of teams without
// the players.
func (c *term) csv(name string) (list [][]string) {
	c.t.Helper()
	rows, err := csv.NewReader(strings.NewReader(c.Run("contest", "standings", name, "--csv"))).ReadAll()
	if err != nil {
		c.t.Fatal(err)
	}
	for _, row := range rows[1:] {
		if rows[0][2] != "player" || row[2] == "" {
			list = append(list, row)
		}
	}
	return list
}

// result is a pairing for one of its teams.
type result struct {
	round    int
	opponent string // empty: a bye
	boards   float64
	points   float64 // 1, 0.5 or 0
	absent   bool    // it did not come to any board
	unplayed bool    // no board was played
}

// checkTeams computes the table of the teams again from the legs and from the decisions of
// this test: points by pairings, then those of the boards, Buchholz without the lowest
// opponent, Buchholz, and Sonneborn-Berger, with article 16 of FIDE's Tie-Break Regulations
// for rounds without a match.
func (c *term) checkTeams(x *export) {
	c.t.Helper()
	teams, boards := map[string]*programs.ContestRow{}, map[string]*programs.ContestRow{}
	numbers, people := map[string]int{}, map[string]int{}
	for i, e := range x.Entries {
		teams[e.Name] = &programs.ContestRow{Name: e.Name}
		numbers[e.Name] = i
		for _, p := range e.Team.Players {
			boards[p] = &programs.ContestRow{Name: p}
			people[p] = len(people)
		}
	}
	decided := decisions(x)
	var teamGames, boardGames []programs.Rated
	results := map[string]map[int]*result{} // by team and round
	for name := range teams {
		results[name] = map[int]*result{}
	}
	byes, replays := 0, 0
	for _, m := range x.Matches {
		replays += len(m.Earlier)
		if m.State == "bye" {
			byes++
			results[m.Seats[0]][m.Round] = &result{round: m.Round, boards: size, points: 1, unplayed: true}
			continue
		}
		ruling := decided[[2]int{m.Pairing, m.Leg}]
		points, counts := pointsOf(m, ruling)
		if !slices.Equal(m.Points, points) {
			c.t.Errorf("clubs %d.%d: got the points %v, want %v", m.Pairing, m.Leg, m.Points, points)
		}
		for seat, name := range m.Seats {
			r := results[name][m.Round]
			if r == nil {
				r = &result{round: m.Round, opponent: m.Seats[1-seat], unplayed: true, absent: true}
				results[name][m.Round] = r
			}
			r.boards += points[seat]
			walkover := m.State == "walkover"
			r.unplayed = r.unplayed && walkover
			r.absent = r.absent && walkover && points[seat] == 0
			board := boards[m.Players[seat]]
			board.Points += points[seat]
			if counts {
				count(board, points[seat])
				count(teams[name], points[seat])
			}
			if counts && ruling == nil && m.Outcomes[seat] != "finished" {
				board.Forfeits++
				teams[name].Forfeits++
			}
		}
		if counts {
			teamGames = append(teamGames, programs.Rated{A: numbers[m.Seats[0]], B: numbers[m.Seats[1]], Score: points[0], Weight: 1})
			boardGames = append(boardGames, programs.Rated{A: people[m.Players[0]], B: people[m.Players[1]], Score: points[0], Weight: 1})
		}
	}
	if byes != 1 || replays != 1 {
		c.t.Errorf("got %d byes and %d matches that were played again, want one in the round of the team that was barred, and one", byes, replays)
	}
	c.teamTable(x, teams, results, programs.Ratings(len(teams), -1, 0, teamGames))
	ratings := programs.Ratings(len(people), -1, 0, boardGames)
	seen := 0
	for _, r := range x.Standings {
		for _, b := range r.Boards {
			seen++
			want := *boards[b.Player]
			e := ratings[people[b.Player]]
			if got := (programs.ContestRow{Name: b.Player, Points: b.Points, Played: b.Played, Wins: b.Wins, Draws: b.Draws, Losses: b.Losses, Forfeits: b.Forfeits}); got != want {
				c.t.Errorf("%s of %s: got %+v, want %+v", b.Player, r.Name, got, want)
			}
			if off := max(math.Abs(b.Rating-e.Rating), math.Abs(b.Low-e.Low), math.Abs(b.High-e.High)); off > 0.01 {
				c.t.Errorf("%s of %s: got the rating %.3f [%.3f, %.3f], want %.3f [%.3f, %.3f]", b.Player, r.Name, b.Rating, b.Low, b.High, e.Rating, e.Low, e.High)
			}
		}
	}
	if seen != students {
		c.t.Errorf("got %d players in teams, want %d", seen, students)
	}
}

// decisions returns those about legs that hold.
func decisions(x *export) map[[2]int]*ruling {
	list := map[[2]int]*ruling{}
	for i, r := range x.Rulings {
		if leg := [2]int{r.Pairing, r.Leg}; r.UndoneBy == 0 && (r.Kind == "set" || r.Kind == "annul") {
			list[leg] = &x.Rulings[i]
		}
	}
	return list
}

// pointsOf returns the points of a leg by seat. Counts reports whether it counts as a match
// that was played.
func pointsOf(m match, r *ruling) (points []float64, counts bool) {
	played := m.State == "finished"
	switch {
	case r != nil && r.Kind == "annul":
		return []float64{0, 0}, false
	case r != nil: // the reason has the points by seat
		return map[string][]float64{"1-0": {1, 0}, "0-1": {0, 1}}[r.Reason], played
	case played:
		return []float64{score(m.Ranks), 1 - score(m.Ranks)}, true
	case m.State == "walkover":
		for _, name := range m.Seats {
			switch {
			case slices.Contains(m.Absent, name):
				points = append(points, 0)
			case len(m.Absent) == 0:
				points = append(points, 0.5)
			default:
				points = append(points, 1)
			}
		}
		return points, false
	}
	return []float64{0.5, 0.5}, false // void
}

// teamTable computes the order of the teams, and compares it with the table.
func (c *term) teamTable(x *export, teams map[string]*programs.ContestRow, results map[string]map[int]*result, ratings []programs.Estimate) {
	c.t.Helper()
	boards := map[string]float64{}
	for name, list := range results {
		for _, r := range list {
			if r.opponent != "" {
				other := results[r.opponent][r.round]
				switch {
				case r.boards > other.boards:
					r.points = 1
				case r.boards == other.boards && r.boards > 0:
					r.points = 0.5
				}
			}
			teams[name].Points += r.points
			boards[name] += r.boards
		}
	}
	// As an opponent, a team has half a point more for each round at the end without a pairing.
	adjusted := map[string]float64{}
	for name := range teams {
		adjusted[name] = teams[name].Points
		for round := rounds; round >= 1 && results[name][round] == nil; round-- {
			adjusted[name] += 0.5
		}
	}
	keys := map[string][]float64{}
	for name, own := range teams {
		var opponents, absences []float64
		berger := 0.0
		for round := 1; round <= rounds; round++ {
			switch r := results[name][round]; {
			case r == nil || r.unplayed && r.absent:
				absences = append(absences, own.Points)
			case r.unplayed:
				opponents = append(opponents, own.Points)
				berger += own.Points * r.points
			default:
				opponents = append(opponents, adjusted[r.opponent])
				berger += adjusted[r.opponent] * r.points
			}
		}
		buchholz := 0.0
		for _, p := range slices.Concat(opponents, absences) {
			buchholz += p
		}
		cut := absences
		if len(cut) == 0 {
			cut = opponents
		}
		keys[name] = []float64{own.Points, boards[name], buchholz - slices.Min(cut), buchholz, berger}
	}
	seed, number := map[string]int{}, map[string]int{}
	for i, e := range x.Entries {
		seed[e.Name], number[e.Name] = e.Seed, i
	}
	order := slices.Sorted(maps.Keys(teams))
	slices.SortFunc(order, func(a, b string) int { return cmp.Or(slices.Compare(keys[b], keys[a]), cmp.Compare(seed[a], seed[b])) })
	if got, want := strings.Join(x.TieBreaks, " "), "board-points buchholz-cut-1 buchholz sonneborn-berger"; got != want {
		c.t.Errorf("got the tie-breaks %s, want %s", got, want)
	}
	for i, name := range order {
		want := *teams[name]
		want.Rank = i + 1
		if i > 0 && slices.Equal(keys[name], keys[order[i-1]]) {
			want.Rank = teams[order[i-1]].Rank
		}
		teams[name].Rank = want.Rank
		got, e := x.Standings[i], ratings[number[name]]
		if off := max(math.Abs(got.Rating-e.Rating), math.Abs(got.Low-e.Low), math.Abs(got.High-e.High)); off > 0.01 {
			c.t.Errorf("%s: got the rating %.3f [%.3f, %.3f], want %.3f [%.3f, %.3f]", got.Name, got.Rating, got.Low, got.High, e.Rating, e.Low, e.High)
		}
		got.Rating, got.Low, got.High = 0, 0, 0
		if got.ContestRow != want || !slices.Equal(got.TieBreaks, keys[name][1:]) {
			c.t.Errorf("clubs, row %d: got %+v with %v, want %+v with %v", i+1, got.ContestRow, got.TieBreaks, want, keys[name][1:])
		}
	}
	c.rows(x, func(r row) []any {
		return []any{r.Rank, r.Name, "", "", r.Points, r.Played, r.Wins, r.Draws, r.Losses, r.Forfeits}
	})
	c.t.Logf("clubs: %s", fmt.Sprint(order))
}
