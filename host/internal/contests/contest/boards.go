package contest

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"colosseum/host/internal/contests/rating"
)

// BoardRow is a player of a team in the standings.
type BoardRow struct {
	Player   string  `json:"player"`
	Board    int     `json:"board,omitempty"` // now, from 1; 0: a reserve, or it has left the team
	Points   float64 `json:"points"`          // with walkovers
	Played   int     `json:"played"`
	Wins     int     `json:"wins"`
	Draws    int     `json:"draws"`
	Losses   int     `json:"losses"`
	Forfeits int     `json:"forfeits"`
	Rating   float64 `json:"rating"` // from the boards of this contest
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// equal reports whether two rows are the same but for rounding.
func (r BoardRow) equal(other BoardRow) bool {
	same := near(r.Points, other.Points) && near(r.Rating, other.Rating) && near(r.Low, other.Low) && near(r.High, other.High)
	other.Points, other.Rating, other.Low, other.High = r.Points, r.Rating, r.Low, r.High
	return same && r == other
}

// boardTable collects the results of the players of teams.
type boardTable struct {
	s       *State
	teams   [][]BoardRow   // by entry
	numbers map[string]int // of the players as competitors, by name in lower case
	matches []rating.Match
}

// boards returns the players of each team with what they have scored on their boards: those
// of the team now in their order, and then those that have left it.
func (s *State) boards() ([][]BoardRow, error) {
	b := &boardTable{s: s, teams: make([][]BoardRow, len(s.Entries)), numbers: map[string]int{}}
	for n := range s.Entries {
		if team := s.Entries[n].Team; team != nil {
			for i, p := range team.Members() {
				if row := b.row(n, p); i < s.Spec.Teams.Size {
					row.Board = i + 1
				}
			}
		}
	}
	for i := range s.Pairs {
		for j := range s.Pairs[i].Legs {
			b.add(i, j)
		}
	}
	table, err := rating.Fit(len(b.numbers), b.matches, rating.Options{Now: time.Unix(0, 0)}) // as estimates
	if err != nil {
		return nil, err
	}
	for _, rows := range b.teams {
		for i := range rows {
			e := table.Estimates[b.numbers[strings.ToLower(rows[i].Player)]]
			rows[i].Rating, rows[i].Low, rows[i].High = e.Rating, e.Low, e.High
		}
	}
	return b.teams, nil
}

// row returns the row of a player in a team.
func (b *boardTable) row(n int, player string) *BoardRow {
	i := slices.IndexFunc(b.teams[n], func(r BoardRow) bool { return strings.EqualFold(r.Player, player) })
	if i < 0 {
		i = len(b.teams[n])
		b.teams[n] = append(b.teams[n], BoardRow{Player: player})
		if _, known := b.numbers[strings.ToLower(player)]; !known { // it can have been in another team
			b.numbers[strings.ToLower(player)] = len(b.numbers)
		}
	}
	return &b.teams[n][i]
}

// add counts a leg that is decided.
func (b *boardTable) add(pairing, leg int) {
	p := &b.s.Pairs[pairing]
	l := &p.Legs[leg]
	if l.State == Planned {
		return
	}
	points := l.Points(p.Entrants)
	for i, n := range p.Entrants {
		player := b.s.Seated(pairing, leg, n).Player
		if player == "" { // the team had nobody for the board
			continue
		}
		row := b.row(n, player)
		row.Points += points[i]
		if l.State != Played {
			continue
		}
		row.Played++
		switch {
		case points[i] > 0.5:
			row.Wins++
		case points[i] < 0.5:
			row.Losses++
		default:
			row.Draws++
		}
	}
	if r := l.counted(); r != nil {
		for _, seat := range r.Seats {
			if _, forfeit := seat.Ended.Forfeit(); forfeit {
				b.row(seat.Entry, b.s.Seated(pairing, leg, seat.Entry).Player).Forfeits++
			}
		}
	}
	ranks := l.ranks()
	if ranks == nil {
		return
	}
	r := l.Result
	m := rating.Match{At: r.Ended, Sample: sample(pairing, b.s.Spec.sample(leg, len(p.Entrants))) + int64(r.Attempt)<<40, Ranks: ranks}
	for _, seat := range r.Seats {
		m.Players = append(m.Players, b.numbers[strings.ToLower(b.s.Seated(pairing, leg, seat.Entry).Player)])
	}
	b.matches = append(b.matches, m)
}

// teamsTable returns the standings of teams, each with its players below it.
func (v *View) teamsTable() [][]string {
	head := []string{"rank", "team", "player", "board", "points", "played", "wins", "draws", "losses", "forfeits"}
	for _, t := range v.TieBreaks {
		head = append(head, CSVText(t))
	}
	rows := [][]string{append(head, "rating", "low", "high", "withdrawn")}
	rating := func(played int, rating, low, high float64) []string {
		if played == 0 {
			return []string{"", "", ""}
		}
		return []string{CSVNumber(rating), CSVNumber(low), CSVNumber(high)}
	}
	for _, r := range v.Standings {
		rank, withdrawn := strconv.Itoa(r.Rank), strconv.FormatBool(r.Withdrawn)
		row := append([]string{rank, CSVText(r.Name), "", "", CSVNumber(r.Points)}, CSVIntegers(r.Played, r.Wins, r.Draws, r.Losses, r.Forfeits)...)
		for _, t := range r.TieBreaks {
			row = append(row, CSVNumber(t))
		}
		rows = append(rows, append(append(row, rating(r.Played, r.Rating, r.Low, r.High)...), withdrawn))
		for _, b := range r.Boards {
			board := ""
			if b.Board > 0 {
				board = strconv.Itoa(b.Board)
			}
			row := append([]string{rank, CSVText(r.Name), CSVText(b.Player), board, CSVNumber(b.Points)}, CSVIntegers(b.Played, b.Wins, b.Draws, b.Losses, b.Forfeits)...)
			row = append(row, make([]string, len(r.TieBreaks))...)
			rows = append(rows, append(append(row, rating(b.Played, b.Rating, b.Low, b.High)...), withdrawn))
		}
	}
	return rows
}
