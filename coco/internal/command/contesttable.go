package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
)

// contestRows returns the rows of the list of contests, the header first.
func contestRows(l *locale.Language, list []server.Contest) [][]string {
	rows := [][]string{headings(l, "Name", "Title", "Game", "Format", "State", "Entrants", "Round", "Matches", "First")}
	for _, c := range list {
		rows = append(rows, []string{
			c.Name, cutCell(c.Title), cutCell(c.Game), l.Of(c.Format), cutCell(stateOf(l, &c)), strconv.Itoa(c.Entrants),
			roundOf(&c), progressOf(&c), cutCell(strings.Join(c.Leaders, ", ")),
		})
	}
	return rows
}

// stateOf returns the state of a contest, and what a player wants to know about it.
func stateOf(l *locale.Language, c *server.Contest) string {
	switch {
	case c.State == "open" && !c.Start.IsZero():
		return l.Sprintf("open until %s", minute(c.Start))
	case c.State == "running" && c.Window != nil:
		return l.Of(c.State) + ", " + windowOf(l, c.Window)
	case c.Reason != "":
		return l.Of(c.State) + ": " + c.Reason
	default:
		return l.Of(c.State)
	}
}

// windowOf returns the next date of a round.
func windowOf(l *locale.Language, w *server.Window) string {
	if w.Opens.After(time.Now()) {
		return l.Sprintf("round %d opens %s", w.Round, minute(w.Opens))
	}
	return l.Sprintf("round %d closes %s", w.Round, minute(w.Closes))
}

func roundOf(c *server.Contest) string {
	switch {
	case c.Rounds > 0:
		return fmt.Sprintf("%d/%d", c.Round, c.Rounds)
	case c.Round > 0:
		return strconv.Itoa(c.Round)
	default:
		return ""
	}
}

// progressOf returns how many matches are decided, of how many; empty: none is paired yet.
func progressOf(c *server.Contest) string {
	switch {
	case c.All == 0:
		return ""
	case c.Format == "ladder", c.Format == "league", c.Format == "pass":
		return strconv.Itoa(c.Done)
	default:
		return fmt.Sprintf("%d/%d", c.Done, c.All)
	}
}

// contestText returns a contest as text, a line for each field.
func contestText(l *locale.Language, c *server.Contest) string {
	var args, lines []string
	for key, value := range c.Args {
		args = append(args, key+"="+value)
	}
	slices.Sort(args)
	field := func(name, value string) {
		if value != "" {
			lines = append(lines, fmt.Sprintf("%-9s %s", l.Of(name), strings.Map(oneLine, value)))
		}
	}
	field("Name", c.Name)
	field("Title", c.Title)
	field("Game", strings.TrimRight(c.Game+" "+strings.Join(args, " "), " "))
	if c.Timeout > 0 {
		field("Timeout", number(c.Timeout)+" s")
	}
	field("Clock", c.Clock)
	field("Format", l.Of(c.Format))
	if c.Players > 2 {
		field("Players", strconv.Itoa(c.Players))
	}
	field("State", stateOf(l, c))
	if c.Open && c.Teams != nil {
		field("Entry", "coco contest enter "+c.Name+" --team TEAM PLAYER...")
	} else if c.Open {
		field("Entry", "coco contest enter "+c.Name)
	}
	if c.Teams != nil {
		field("Boards", strconv.Itoa(c.Teams.Size))
	}
	if p := c.Pass; p != nil {
		field("To pass", l.Sprintf("%d wins of %d against %s", p.Wins, p.Of, p.Against))
		if p.Draws {
			field("", l.Of("a draw is half a win"))
		}
		field("Try", l.Sprintf("%s, %d times in 24 hours", "coco contest try "+c.Name, p.Tries))
		field("Seeds", strings.Join(p.Values, " "))
	}
	if !c.Ends.IsZero() && c.State != "ended" {
		field("Ends", minute(c.Ends))
	}
	if c.Season != nil && !c.Season.Next.IsZero() {
		field("Next date", minute(c.Season.Next))
	}
	if c.Season != nil && len(c.Season.Dates) > 0 {
		field("Moved", movedText(l, c.Season))
	}
	field("Round", roundOf(c))
	field("Matches", progressOf(c))
	field("First", strings.Join(c.Leaders, ", "))
	var names []string
	for _, e := range c.Entries {
		names = append(names, teamText(l, &e))
	}
	if decided := decisionLines(l, c.Rulings); len(decided) > 0 {
		field("Decided", decided[0])
		for _, line := range decided[1:] {
			field("", line)
		}
	}
	field("Entrants", strings.TrimRight(strconv.Itoa(c.Entrants)+" "+strings.Join(names, ", "), " "))
	return strings.Join(lines, "\n")
}

// standingRows returns the rows of the standings, the header first.
func standingRows(l *locale.Language, c *server.Contest) [][]string {
	switch c.Format {
	case "league":
		return divisionRows(l, c)
	case "cup":
		return cupRows(l, c)
	}
	head := headings(l, "Rank", "Name", "Points", "Played", "Won", "Drawn", "Lost")
	head = append(append(head, c.TieBreaks...), l.Of("Rating"), "95 %")
	if c.Format == "score" {
		head = headings(l, "Rank", "Name", "Mean", "Best", "Sum", "Played", "Missed")
	}
	if c.Pass != nil {
		head = headings(l, "Rank", "Name", "Passed", "Best", "Tries", "Played", "Left today")
	}
	rows := [][]string{head}
	for _, s := range c.Standings {
		name := s.Name
		if s.Withdrawn {
			name = l.Sprintf("%s (withdrawn)", name)
		}
		rank := ""
		if s.Rank > 0 {
			rank = strconv.Itoa(s.Rank)
		}
		if s.Pass != nil && c.Pass != nil {
			passed := ""
			if !s.Pass.At.IsZero() {
				passed = minute(s.Pass.At)
			}
			rows = append(rows, []string{rank, name, passed, fmt.Sprintf("%s/%d", points(s.Pass.Best), c.Pass.Of), strconv.Itoa(s.Pass.Tries), strconv.Itoa(s.Played), strconv.Itoa(s.Pass.Left)})
			continue
		}
		if s.Scores != nil {
			rows = append(rows, []string{rank, name, points(s.Scores.Mean), points(s.Scores.Best), points(s.Scores.Sum), strconv.Itoa(s.Played), strconv.Itoa(s.Scores.Missed)})
			continue
		}
		row := []string{rank, name, points(s.Points), strconv.Itoa(s.Played), strconv.Itoa(s.Wins), strconv.Itoa(s.Draws), strconv.Itoa(s.Losses)}
		for i := range c.TieBreaks {
			value := ""
			if i < len(s.TieBreaks) {
				value = points(s.TieBreaks[i])
			}
			row = append(row, value)
		}
		rating, interval := ratingOf(l, &s)
		rows = append(rows, append(row, rating, interval))
		rows = append(rows, boardRows(l, &s, len(c.TieBreaks))...)
	}
	return rows
}

// ratingOf returns the rating of an entry and its interval, or dashes.
func ratingOf(l *locale.Language, s *server.Standing) (rating, interval string) {
	if s.Played > 0 && (s.Rating != 0 || s.Low != s.High) { // a host can have none
		return fmt.Sprintf("%.0f", s.Rating), l.Sprintf("%.0f to %.0f", s.Low, s.High)
	}
	return "–", "–"
}

// matchRows returns the rows of a contest's matches, the header first.
func matchRows(l *locale.Language, list []server.ContestMatch) [][]string {
	rows := [][]string{headings(l, "Round", "ID", "Players", "State", "Points", "Ended")}
	for _, m := range list {
		round := strings.TrimSpace(strconv.Itoa(m.Round) + " " + m.Bracket)
		var shares []string
		for _, p := range m.Points {
			shares = append(shares, points(p))
		}
		ended := ""
		if !m.Ended.IsZero() {
			ended = minute(m.Ended)
		}
		rows = append(rows, []string{round, m.ID, strings.Join(seatsOf(&m), ", "), l.Of(m.State), strings.Join(shares, " : "), ended})
	}
	return rows
}

// headings returns the header of a table in a language.
func headings(l *locale.Language, names ...string) []string {
	for i, name := range names {
		names[i] = l.Of(name)
	}
	return names
}

// points formats points, which can be thirds in a game for more than two.
func points(p float64) string {
	text := strconv.FormatFloat(p, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// minute formats a time of the server in the user's zone.
func minute(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }
