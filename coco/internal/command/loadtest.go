package command

import (
	"context"
	"fmt"
	"os"

	"colosseum/coco/internal/loadtest"
	"colosseum/coco/internal/server"
	"colosseum/internal/locale"

	"github.com/urfave/cli/v3"
)

func loadCommand() *cli.Command {
	return &cli.Command{
		Name:      "load",
		Usage:     "measure your own server under load",
		ArgsUsage: "[--matches N] [--rounds N] [--spectators N] [--bots] [--idle N] [--pid PID]... [--json]",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "matches", Value: 100, Usage: "matches at the same time"},
			&cli.IntFlag{Name: "rounds", Value: 200, Usage: "rounds of each match, up to 9999"},
			&cli.IntFlag{Name: "spectators", Usage: "spectators of each match"},
			&cli.BoolFlag{Name: "bots", Usage: "play against the server's bots"},
			&cli.IntFlag{Name: "idle", Usage: "connections that do nothing"},
			&cli.StringFlag{Name: "game", Value: "roshambo", Usage: "`GAME` to play; it must accept the moves of roshambo"},
			&cli.IntSliceFlag{Name: "pid", Usage: "process of the server on this machine, to measure its CPU time and memory; can be repeated"},
			jsonFlag(),
		},
		Action: runLoad,
	}
}

func runLoad(ctx context.Context, cmd *cli.Command) error {
	if _, err := arguments(cmd, 0, 0); err != nil {
		return err
	}
	addr, err := serverAddress(cmd)
	if err != nil {
		return err
	}
	for _, name := range []string{"matches", "rounds"} {
		if cmd.Int(name) < 1 {
			return usage("--%s must be at least 1", name)
		}
	}
	report, err := loadtest.Run(ctx, loadtest.Plan{
		Address: addr, Options: server.Options{Insecure: cmd.Root().Bool("insecure")}, Game: cmd.String("game"),
		Matches: cmd.Int("matches"), Rounds: cmd.Int("rounds"), Spectators: cmd.Int("spectators"),
		Bots: cmd.Bool("bots"), Idle: cmd.Int("idle"), Pids: cmd.IntSlice("pid"),
	})
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		err = printJSON(report)
	} else {
		writeReport(outputLanguage(cmd), report)
	}
	if err != nil {
		return err
	}
	return report.Err()
}

func writeReport(l *locale.Language, r *loadtest.Report) {
	row := func(name, format string, args ...any) {
		fmt.Printf("%-28s %s\n", l.Of(name), l.Sprintf(format, args...))
	}
	fmt.Println(l.Sprintf("%d matches, %d rounds in %.2f s", r.Matches, r.Rounds, r.Seconds))
	row("rounds per second", "%.0f", r.RoundRate)
	row("time of a round, µs", "p50 %.0f  p99 %.0f  max %.0f", r.P50, r.P99, r.Max)
	row("bytes of matches", "%d received, %d sent", r.Received, r.Sent)
	if u := r.Server; u != nil {
		row("server's CPU per round, µs", "%.1f", u.CPUPerRound)
		row("memory per match, KiB", "%.1f", u.MatchKiB)
		if u.IdleKiB > 0 {
			row("per idle connection, KiB", "%.1f", u.IdleKiB)
		}
		row("resident, KiB", "%d, then %d", u.StartedAtKiB, u.ResidentKiB)
	}
	for text, n := range r.Wrong {
		fmt.Fprintln(os.Stderr, l.Sprintf("%d times: %s", n, text))
	}
}
