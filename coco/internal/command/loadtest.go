package command

import (
	"context"
	"fmt"
	"os"

	"colosseum/coco/internal/loadtest"
	"colosseum/coco/internal/server"

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
		writeReport(report)
	}
	if err != nil {
		return err
	}
	return report.Err()
}

func writeReport(r *loadtest.Report) {
	fmt.Printf("%d matches, %d rounds in %.2f s\n", r.Matches, r.Rounds, r.Seconds)
	fmt.Printf("%-28s %.0f\n", "rounds per second", r.RoundRate)
	fmt.Printf("%-28s p50 %.0f  p99 %.0f  max %.0f\n", "time of a round, µs", r.P50, r.P99, r.Max)
	fmt.Printf("%-28s %d received, %d sent\n", "bytes of matches", r.Received, r.Sent)
	if u := r.Server; u != nil {
		fmt.Printf("%-28s %.1f\n", "server's CPU per round, µs", u.CPUPerRound)
		fmt.Printf("%-28s %.1f\n", "memory per match, KiB", u.MatchKiB)
		if u.IdleKiB > 0 {
			fmt.Printf("%-28s %.1f\n", "per idle connection, KiB", u.IdleKiB)
		}
		fmt.Printf("%-28s %d, then %d\n", "resident, KiB", u.StartedAtKiB, u.ResidentKiB)
	}
	for text, n := range r.Wrong {
		fmt.Fprintf(os.Stderr, "%d times: %s\n", n, text)
	}
}
