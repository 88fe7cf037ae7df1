package command

import (
	"context"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"colosseum/coco/internal/server"
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
		warnInsecure()
	}
	if err := writeTable(os.Stdout, historyRows(list), terminal.Colour(os.Stdout)); err != nil || !more {
		return true, err
	}
	fmt.Fprintf(os.Stderr, "These are the last %d; coco history --plain lists the IDs of all.\n", len(list))
	return true, nil
}

// historyRows returns the rows of the table, the header first. Times are local.
func historyRows(list []server.EndedMatch) [][]string {
	rows := [][]string{{"ID", "Game", "Players", "Result", "Ended"}}
	for _, m := range list {
		names := make([]string, len(m.Seats))
		for i, s := range m.Seats {
			names[i] = s.Name
		}
		rows = append(rows, []string{
			m.ID, m.Game, cutCell(strings.Join(names, ", ")), cutCell(result(m)), m.Ended.Local().Format("2006-01-02 15:04"),
		})
	}
	return rows
}

// result names the winners of a match, and the players that forfeited, with the reason.
func result(m server.EndedMatch) string {
	if m.State != protocol.EndedFinished {
		return m.State
	}
	var first, forfeits []string
	for _, s := range m.Seats {
		if s.Rank == 1 {
			first = append(first, s.Name)
		}
		if why, forfeited := strings.CutPrefix(s.Ended, protocol.Forfeit); forfeited {
			forfeits = append(forfeits, s.Name+": "+why)
		}
	}
	var text string
	switch {
	case len(m.Seats) == 1 && m.Seats[0].Score != nil:
		text = number(*m.Seats[0].Score) + " points"
		if *m.Seats[0].Score == 1 {
			text = "1 point"
		}
	case len(first) > 1 && len(first) == len(m.Seats):
		text = "draw"
	case len(first) > 0:
		text = strings.Join(first, ", ") + " won"
	}
	if len(forfeits) > 0 {
		text += " (" + strings.Join(forfeits, ", ") + ")"
	}
	return text
}

// cutCell shortens a text to cellWidth characters.
func cutCell(text string) string {
	if utf8.RuneCountInString(text) <= cellWidth {
		return text
	}
	return string([]rune(text)[:cellWidth-1]) + "…"
}
