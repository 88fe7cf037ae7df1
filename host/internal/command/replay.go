package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/records/record"
	"colosseum/internal/terminal"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

func replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "show a recorded match",
		ArgsUsage: "ID|FILE [--answers | --json]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "answers", Usage: "list the answers instead of the spectators' stream"},
			&cli.BoolFlag{Name: "json", Usage: "print the whole record, as a transcript"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			match, err := argument(cmd)
			if err != nil {
				return err
			}
			r, err := readRecord(ctx, cmd, match)
			if err != nil {
				return err
			}
			if cmd.Bool("json") {
				b, err := record.EncodeTranscript(r)
				if err != nil {
					return err
				}
				_, err = os.Stdout.Write(b)
				return err
			}
			var b bytes.Buffer
			printHeader(&b, r)
			if cmd.Bool("answers") {
				printAnswers(&b, r)
			} else {
				b.WriteString(terminal.Clean(string(r.Stream)))
			}
			_, err = os.Stdout.Write(b.Bytes())
			return err
		},
	}
}

func printHeader(w io.Writer, r *record.Match) {
	line := func(key, format string, args ...any) {
		fmt.Fprintf(w, "%-8s %s\n", key, terminal.Clean(fmt.Sprintf(format, args...)))
	}
	verified := ""
	if r.Verified {
		verified = ", verified"
	}
	line("match", "%s (%s%s)", r.ID, r.Name, verified)
	line("game", "%s, version %s of the plugin %s", r.Game, r.Version, r.Plugin)
	if len(r.Params) > 0 {
		line("params", "%s", params(r.Params))
	}
	line("timeout", "%v s", r.Timeout)
	if r.Clock != nil {
		line("clock", "%v s", protocol.Clock(*r.Clock))
	}
	line("seed", "%d", r.Seed)
	if r.Salt != nil {
		line("salt", "%x, commitment %s", r.Salt, r.Commitment())
	}
	if !r.Started.IsZero() {
		line("started", "%s", r.Started.UTC().Format(time.DateTime+" UTC"))
	}
	if !r.Ended.IsZero() {
		line("took", "%.3f s", r.Ended.Sub(r.Started).Seconds())
	}
	reason := ""
	if r.Reason != "" {
		reason = ": " + r.Reason
	}
	line("state", "%s%s", r.State, reason)
	var rows [][]string
	for i, s := range r.Seats {
		name := s.Name
		switch {
		case s.Level != "":
			name += " (" + s.Level + " bot)"
		case s.Bot:
			name += " (bot)"
		}
		rows = append(rows, []string{strconv.Itoa(i), name, strconv.FormatFloat(s.Score, 'f', -1, 64), strconv.Itoa(s.Rank), string(s.Ended)})
	}
	fmt.Fprintf(w, "%s\n\n", terminal.Table([]string{"seat", "player", "score", "rank", "ended"}, rows))
}

// printAnswers lists each answer: seconds since the start, seconds left if the match has a
// clock, seat, player, line, time of a program of the host, note.
func printAnswers(w io.Writer, r *record.Match) {
	width := 0
	for _, s := range r.Seats {
		width = max(width, len(s.Name))
	}
	for _, a := range r.Answers {
		text := terminal.Clean(strings.ReplaceAll(a.Line, "\n", `\n`))
		if a.Outcome != driver.Answered {
			text = "(" + string(a.Outcome) + ")"
		}
		left := ""
		switch {
		case r.Timed(a.Seat):
			left = fmt.Sprintf("  %10.3f", a.Left.Seconds())
		case r.Clock != nil:
			left = fmt.Sprintf("  %10s", "-")
		}
		switch spent := a.Spent; {
		case spent.Counted:
			text += fmt.Sprintf("  (%.1f ms of CPU time, %.1f ms in all)", milliseconds(spent.CPU), milliseconds(spent.Wall))
		case spent.Wall > 0:
			text += fmt.Sprintf("  (%.1f ms)", milliseconds(spent.Wall))
		}
		if a.Note != "" {
			text += "  (note: " + terminal.Clean(strings.ReplaceAll(a.Note, "\n", `\n`)) + ")"
		}
		fmt.Fprintf(w, "%10.3f%s  %2d  %-*s  %s\n", a.At.Seconds(), left, a.Seat, width, terminal.Clean(r.Seats[a.Seat].Name), text)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
