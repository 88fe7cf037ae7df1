package command

import (
	"context"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/internal/terminal"
	"colosseum/protocol"

	"github.com/urfave/cli/v3"
)

const (
	// tableLength is how many matches the table of the history shows.
	tableLength = 50
	// cellWidth limits the names and the result in a cell, in characters.
	cellWidth = 32
)

// historyTable prints a table of the last matches. It reports false if the server
// has only their IDs.
func historyTable(ctx context.Context, cmd *cli.Command) (printed bool, err error) {
	addr, err := serverAddress(cmd)
	if err != nil {
		return false, err
	}
	insecure := cmd.Root().Bool("insecure")
	list, more, err := server.ListEndedMatches(ctx, addr, server.Options{Insecure: insecure}, tableLength)
	if err != nil {
		return false, nil
	}
	if insecure {
		warnInsecure(cmd)
	}
	if err := writeTable(os.Stdout, historyRows(outputLanguage(cmd), list), terminal.Colour(os.Stdout)); err != nil || !more {
		return true, err
	}
	fmt.Fprintln(os.Stderr, languageOf(cmd).Sprintf("These are the last %d; coco history --plain lists the IDs of all.", len(list)))
	return true, nil
}

// historyRows returns the rows of the table, the header first. Times are local.
func historyRows(l *locale.Language, list []server.EndedMatch) [][]string {
	rows := [][]string{headings(l, "ID", "Game", "Players", "Result", "Ended")}
	for _, m := range list {
		rows = append(rows, []string{
			m.ID, m.Game, cutCell(sides(m.Seats)), cutCell(result(l, m)), m.Ended.Local().Format("2006-01-02 15:04"),
		})
	}
	return rows
}

// result names the winners of a match, and the players that forfeited, with the reason.
func result(l *locale.Language, m server.EndedMatch) string {
	if m.State != protocol.EndedFinished {
		return l.Of(m.State)
	}
	var first []server.Seat
	var forfeits []string
	for _, s := range m.Seats {
		if s.Rank == 1 {
			first = append(first, s)
		}
		if why, forfeited := strings.CutPrefix(s.Ended, protocol.Forfeit); forfeited {
			forfeits = append(forfeits, s.Shown()+": "+l.Of(why))
		}
	}
	var text string
	switch {
	case len(m.Seats) == 1 && m.Seats[0].Score != nil:
		text = l.Sprintf("%s points", number(*m.Seats[0].Score))
		if *m.Seats[0].Score == 1 {
			text = l.Of("1 point")
		}
	case len(first) == len(m.Seats) && protocol.Drawn(m.Seats, func(s server.Seat) (int, int) { return s.Rank, s.Team }):
		text = l.Of("draw")
	case len(first) > 0:
		text = l.Sprintf("%s won", sides(first))
	}
	if len(forfeits) > 0 {
		text += " (" + strings.Join(forfeits, ", ") + ")"
	}
	return text
}

// sides joins the names of players, those of a team as one.
func sides(seats []server.Seat) string {
	var names []string
	at := map[int]int{} // index of each team in names
	for _, s := range seats {
		if i, ok := at[s.Team]; ok {
			names[i] += " + " + s.Shown()
			continue
		}
		if s.Team > 0 {
			at[s.Team] = len(names)
		}
		names = append(names, s.Shown())
	}
	return strings.Join(names, ", ")
}

// cutCell shortens a text to cellWidth characters.
func cutCell(text string) string {
	if utf8.RuneCountInString(text) <= cellWidth {
		return text
	}
	return string([]rune(text)[:cellWidth-1]) + "…"
}
