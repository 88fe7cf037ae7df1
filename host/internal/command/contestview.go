package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/pairing"
	"colosseum/internal/terminal"
)

func listContests(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	c, err := openContests(ctx, cmd, false)
	if err != nil {
		return err
	}
	defer c.close()
	list, err := c.List(ctx)
	if err != nil {
		return err
	}
	w := cmd.Root().Writer
	if cmd.Bool("json") {
		return printJSON(w, list)
	}
	var rows [][]string
	for _, s := range list {
		rows = append(rows, []string{
			s.Name, s.Game, string(s.Format), state(s), strconv.Itoa(s.Count), decided(s), s.Created.Local().Format(time.DateTime),
		})
	}
	_, err = fmt.Fprintln(w, terminal.Clean(terminal.Table([]string{"name", "game", "format", "state", "entries", "matches", "created"}, rows)))
	return err
}

// decided returns how many matches are decided, of how many; empty: none is paired yet.
func decided(s contest.Summary) string {
	switch {
	case s.All == 0:
		return ""
	case s.Format == contest.Ladder, s.Format == contest.League, s.Format == contest.Pass:
		return strconv.Itoa(s.Done)
	}
	return fmt.Sprintf("%d of %d", s.Done, s.All)
}

// state returns the state of a contest with what people want to know of it.
func state(s contest.Summary) string {
	switch {
	case s.Phase == contest.Open && !s.Start.IsZero():
		return "open, starts " + s.Start.Local().Format("2006-01-02 15:04")
	case s.Reason != "":
		return fmt.Sprintf("%s (%s)", s.Phase, s.Reason)
	case s.Phase == contest.Running && !s.Ends.IsZero():
		return "running until " + s.Ends.Local().Format("2006-01-02 15:04")
	case s.Phase == contest.Running && s.Window != nil:
		return "running, " + windowOf(s)
	case s.Phase == contest.Running && s.Rounds > 0:
		return fmt.Sprintf("running, round %d of %d", s.Round, s.Rounds)
	}
	return string(s.Phase)
}

func showContest(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "", func(c *contests, name string, _ []string) error {
		v, err := c.View(ctx, name)
		switch {
		case err != nil:
			return err
		case cmd.Bool("json"):
			return printJSON(cmd.Root().Writer, v)
		}
		return printContest(cmd.Root().Writer, v)
	})
}

// printContest prints a contest for people.
func printContest(w io.Writer, v *contest.View) error {
	var b strings.Builder
	if v.Format == contest.Cup {
		return printCup(w, v)
	}
	fmt.Fprintf(&b, "%s: %s", v.Title, v.Game)
	if len(v.Args) > 0 {
		fmt.Fprintf(&b, " (%s)", params(v.Args))
	}
	fmt.Fprintf(&b, ", %s, %s, %s matches\n", v.Format, state(v.Summary), cmp.Or(decided(v.Summary), "no"))
	b.WriteString(passMark(v))
	b.WriteString(standingsTable(v) + boardsTable(v) + seasonText(v.Season))
	writeDecisions(&b, v)
	_, err := fmt.Fprintln(w, terminal.Clean(b.String()))
	return err
}

func writeDecisions(b *strings.Builder, v *contest.View) {
	if list := decisions(v.Rulings); list != "" {
		fmt.Fprintf(b, "\n\ndecisions:\n%s", strings.TrimSuffix(list, "\n"))
	}
}

func standingsTable(v *contest.View) string {
	switch v.Format {
	case pairing.Score:
		return scoresTable(v)
	case contest.League:
		return divisionsTable(v)
	case contest.Cup:
		return cupTable(v)
	case contest.Pass:
		return passTable(v)
	}
	headings := slices.Concat([]string{"", "name", "points", "played", "won", "drawn", "lost", "forfeits"}, v.TieBreaks, []string{"rating", "95 % interval"})
	var rows [][]string
	for _, r := range v.Standings {
		name := r.Name
		if r.Withdrawn {
			name += " (withdrawn)"
		}
		row := []string{
			strconv.Itoa(r.Rank), name, decimal(r.Points), strconv.Itoa(r.Played), strconv.Itoa(r.Wins), strconv.Itoa(r.Draws), strconv.Itoa(r.Losses), strconv.Itoa(r.Forfeits),
		}
		for _, t := range r.TieBreaks {
			row = append(row, decimal(t))
		}
		estimate, interval := "–", "–"
		if r.Rated() {
			estimate, interval = fmt.Sprintf("%.0f", r.Rating), fmt.Sprintf("%.0f – %.0f", r.Low, r.High)
		}
		rows = append(rows, append(row, estimate, interval))
	}
	return terminal.Table(headings, rows)
}

// scoresTable is standingsTable for a contest by score.
func scoresTable(v *contest.View) string {
	var rows [][]string
	for _, r := range v.Standings {
		name := r.Name
		if r.Withdrawn {
			name += " (withdrawn)"
		}
		rows = append(rows, []string{
			strconv.Itoa(r.Rank), name, decimal(r.Scores.Mean), decimal(r.Scores.Best), decimal(r.Scores.Sum), strconv.Itoa(r.Played), strconv.Itoa(r.Scores.Missed), strconv.Itoa(r.Forfeits),
		})
	}
	return terminal.Table([]string{"", "name", "mean", "best", "sum", "played", "missed", "forfeits"}, rows)
}

// decimal formats a figure with up to two digits after the point.
func decimal(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0"), ".")
}

func showStandings(ctx context.Context, cmd *cli.Command) error {
	if cmd.Bool("private") && !cmd.Bool("csv") {
		return errors.New("--private adds columns to --csv: give both")
	}
	return onContest(ctx, cmd, "", func(c *contests, name string, _ []string) error {
		v, err := c.View(ctx, name)
		w := cmd.Root().Writer
		switch {
		case err != nil:
			return err
		case cmd.Bool("json"):
			return printJSON(w, v.Standings)
		case cmd.Bool("private"):
			return printPrivate(ctx, c, w, v)
		case cmd.Bool("csv"):
			_, err = w.Write(v.CSV())
			return err
		}
		_, err = fmt.Fprintln(w, terminal.Clean(standingsTable(v)+boardsTable(v)))
		return err
	})
}

func listContestMatches(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "", func(c *contests, name string, _ []string) error {
		v, err := c.View(ctx, name)
		if err != nil {
			return err
		}
		w := cmd.Root().Writer
		if cmd.Bool("ndjson") {
			e := json.NewEncoder(w)
			for _, m := range v.Matches {
				if err := e.Encode(m); err != nil {
					return err
				}
			}
			return nil
		}
		var rows [][]string
		for _, m := range v.Matches {
			names, points := sides(&m)
			state := m.State
			if m.Ruling != nil {
				state += fmt.Sprintf(" (decision %d)", m.Ruling.Event)
			}
			number := fmt.Sprintf("%d.%d", m.Pairing, m.Leg)
			if m.Leg == 0 { // a bye
				number = ""
			}
			rows = append(rows, []string{strconv.Itoa(m.Round), number, strings.Join(names, ", "), state, strings.Join(points, " : "), m.ID})
		}
		_, err = fmt.Fprintln(w, terminal.Clean(terminal.Table([]string{"round", "number", "seats", "state", "points", "match"}, rows)))
		return err
	})
}

// sides returns the names and the points of the sides of a match; those of a team are
// joined. Without points there are none.
func sides(m *contest.MatchView) (names, points []string) {
	at := map[int]int{} // index of each team in names
	for i, name := range m.Seats {
		if i < len(m.Players) && m.Players[i] != "" {
			name = m.Players[i] + " (" + name + ")"
		}
		if i < len(m.Teams) && m.Teams[i] > 0 {
			if j, ok := at[m.Teams[i]]; ok {
				names[j] += " + " + name
				continue
			}
			at[m.Teams[i]] = len(names)
		}
		names = append(names, name)
		if i < len(m.Points) {
			points = append(points, decimal(m.Points[i]))
		}
	}
	return names, points
}

// printJSON prints a value as indented JSON.
func printJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(value)
}
