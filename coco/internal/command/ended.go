package command

import (
	"context"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"colosseum/coco/internal/server"
	"colosseum/protocol"

	"github.com/urfave/cli/v3"
)

const (
	// tableLength is how many matches the table of the history has.
	tableLength = 50
	// cellWidth is how much of the names and of the result it shows.
	cellWidth = 32
)

// historyTable prints the last matches for people. False: the server can't tell
// more of them than their IDs.
func historyTable(ctx context.Context, cmd *cli.Command) (printed bool, err error) {
	addr, err := serverAddress(cmd)
	if err != nil {
		return false, err
	}
	insecure := cmd.Root().Bool("insecure")
	list, more, err := server.ListEnded(ctx, addr, server.Options{Insecure: insecure}, tableLength)
	if err != nil {
		return false, nil
	}
	if insecure {
		warnInsecure()
	}
	if err := printTable(endedRows(list)); err != nil || !more {
		return true, err
	}
	fmt.Fprintf(os.Stderr, "These are the last %d; coco history --plain lists the IDs of all.\n", len(list))
	return true, nil
}

// endedRows are the rows of the table, the first being its header. Times are
// local.
func endedRows(list []server.Ended) [][]string {
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

// result says who won, and who forfeited and why.
func result(m server.Ended) string {
	if m.State != "finished" {
		return m.State
	}
	var first, gone []string
	for _, s := range m.Seats {
		if s.Rank == 1 {
			first = append(first, s.Name)
		}
		if why, forfeited := strings.CutPrefix(s.Ended, protocol.Forfeit); forfeited {
			gone = append(gone, s.Name+": "+why)
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
	if len(gone) > 0 {
		text += " (" + strings.Join(gone, ", ") + ")"
	}
	return text
}

// cutCell shortens what would make the table too wide.
func cutCell(text string) string {
	if utf8.RuneCountInString(text) <= cellWidth {
		return text
	}
	return string([]rune(text)[:cellWidth-1]) + "…"
}
