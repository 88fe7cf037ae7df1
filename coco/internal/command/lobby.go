package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"colosseum/internal/locale"
	"colosseum/internal/terminal"
	"colosseum/protocol"

	"github.com/urfave/cli/v3"
)

func lobbyCommand() *cli.Command {
	return &cli.Command{
		Name:      "lobby",
		Usage:     "list the matches that are waiting or running",
		ArgsUsage: "[--json]",
		Flags:     []cli.Flag{jsonFlag()},
		Action:    lobby,
	}
}

func lobby(ctx context.Context, cmd *cli.Command) error {
	if _, err := arguments(cmd, 0, 0); err != nil {
		return err
	}
	var reply protocol.LobbyListReply
	if err := ask(ctx, cmd, protocol.Encode(protocol.NameLobbyList, nil), protocol.NameLobbyList, &reply); err != nil {
		return err
	}
	if cmd.Bool("json") {
		return printJSON(append([]protocol.MatchInfo{}, reply.Info...)) // never null
	}
	return writeLobby(os.Stdout, outputLanguage(cmd), reply.Info, time.Now(), terminal.Colour(os.Stdout))
}

// writeLobby prints the table of matches. Scripts cut its columns, so in English it is
// the same as the original client's, byte for byte.
func writeLobby(w io.Writer, l *locale.Language, matches []protocol.MatchInfo, now time.Time, colour bool) error {
	rows := [][]string{headings(l, "ID", "Verified", "Name", "Game", "Players", "Spectators", "Timeout", "Password", "Timing")}
	for _, m := range matches {
		rows = append(rows, []string{
			m.ID, mark(m.Verified), m.Name, m.Game,
			fmt.Sprintf("%d/%d", len(m.Connected)+m.Bots, m.Players),
			strconv.Itoa(m.Spectators),
			number(m.Timeout),
			mark(m.Password), timing(l, m, now),
		})
	}
	return writeTable(w, rows, colour)
}

// writeTable prints rows; the first is the header.
func writeTable(w io.Writer, rows [][]string, colour bool) error {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			row[i] = strings.Map(oneLine, terminal.Clean(row[i]))
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	rule := "+"
	for _, width := range widths {
		rule += strings.Repeat("-", width+2) + "+"
	}
	var table strings.Builder
	table.WriteString(rule + "\n")
	for i, row := range rows {
		for j, cell := range row {
			cell = centred(cell, widths[j])
			if i == 0 && colour {
				cell = terminal.Paint(terminal.Bold, cell)
			}
			table.WriteString("| " + cell + " ")
		}
		table.WriteString("|\n" + rule + "\n")
	}
	_, err := io.WriteString(w, table.String())
	return err
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func mark(set bool) string {
	if set {
		return "X"
	}
	return ""
}

func oneLine(r rune) rune {
	if r == '\n' || r == '\t' {
		return ' '
	}
	return r
}

// centred pads s to the width; an odd space goes to the right.
func centred(s string, width int) string {
	space := width - utf8.RuneCountInString(s)
	return strings.Repeat(" ", space/2) + s + strings.Repeat(" ", space-space/2)
}

// timing returns how long a match has been running, or when it expires.
func timing(l *locale.Language, m protocol.MatchInfo, now time.Time) string {
	at := time.Unix(m.Time, 0)
	if m.Running {
		return l.Sprintf("Running for %s", duration(now.Sub(at)))
	}
	return l.Sprintf("Expires in %s", duration(at.Sub(now)))
}

// duration formats d as 1h2m3s, 2m3s or 3s. A negative duration is 0s:
// the clocks of client and server can differ.
func duration(d time.Duration) string {
	s := max(int64(d/time.Second), 0)
	switch {
	case s >= 3600:
		return fmt.Sprintf("%dh%dm%ds", s/3600, s%3600/60, s%60)
	case s >= 60:
		return fmt.Sprintf("%dm%ds", s/60, s%60)
	default:
		return fmt.Sprintf("%ds", s)
	}
}
