package command

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"colosseum/host/internal/contests/contest"
	"colosseum/internal/terminal"
)

// divisionsTable is standingsTable for a league.
func divisionsTable(v *contest.View) string {
	var rows [][]string
	for i, r := range v.Standings {
		division, rank, name := r.Division, "", r.Name
		if i > 0 && division == v.Standings[i-1].Division {
			division = ""
		}
		if r.Rank > 0 {
			rank = strconv.Itoa(r.Rank)
		}
		if r.Withdrawn {
			name += " (withdrawn)"
		}
		estimate, interval := "–", "–"
		if r.Rated() {
			estimate, interval = fmt.Sprintf("%.0f", r.Rating), fmt.Sprintf("%.0f – %.0f", r.Low, r.High)
		}
		rows = append(rows, []string{
			division, rank, name, estimate, interval, map[int]string{1: "up", -1: "down"}[r.Move], strconv.Itoa(r.Played),
			strconv.Itoa(r.Wins), strconv.Itoa(r.Draws), strconv.Itoa(r.Losses), strconv.Itoa(r.Forfeits),
		})
	}
	return terminal.Table([]string{"division", "", "name", "rating", "95 % interval", "goes", "played", "won", "drawn", "lost", "forfeits"}, rows)
}

// seasonText returns what a league says besides its tables: the next date, and who has moved.
func seasonText(s *contest.SeasonView) string {
	if s == nil {
		return ""
	}
	var b strings.Builder
	if !s.Next.IsZero() {
		fmt.Fprintf(&b, "\nnext promotion and relegation: %s", s.Next.Local().Format("2006-01-02 15:04"))
	}
	for _, d := range s.Dates {
		fmt.Fprintf(&b, "\n%s:", d.At.Local().Format("2006-01-02 15:04"))
		if len(d.Moves) == 0 {
			b.WriteString(" nobody moved")
		}
		for i, m := range d.Moves {
			if i > 0 {
				b.WriteString(";")
			}
			fmt.Fprintf(&b, " %s from %s to %s", m.Name, m.From, m.To)
		}
		if d.Reason != "" {
			fmt.Fprintf(&b, " (%s)", d.Reason)
		}
	}
	return b.String()
}

// printCup is printContest for a cup.
func printCup(w io.Writer, v *contest.View) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s\n", v.Title, v.Format, state(v.Summary))
	for _, p := range v.Cup {
		if p.Phase == "" {
			fmt.Fprintf(&b, "the contest %s does not exist, or is a cup itself: it does not count\n", p.Name)
		}
	}
	for _, p := range v.Cup {
		if p.Decided {
			fmt.Fprintf(&b, "the contest %s was decided again after the end of the cup, which counts that\n", p.Name)
		}
	}
	b.WriteString(cupTable(v))
	writeDecisions(&b, v)
	_, err := fmt.Fprintln(w, terminal.Clean(b.String()))
	return err
}

// cupTable is standingsTable for a cup.
func cupTable(v *contest.View) string {
	head := []string{"", "name", "points"}
	for _, p := range v.Cup {
		head = append(head, p.Title)
	}
	var rows [][]string
	for _, r := range v.Standings {
		row := []string{strconv.Itoa(r.Rank), r.Name, decimal(r.Points)}
		for _, p := range r.Parts {
			if p == nil {
				row = append(row, "–")
			} else {
				row = append(row, decimal(*p))
			}
		}
		rows = append(rows, row)
	}
	return terminal.Table(head, rows)
}
