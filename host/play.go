package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/catalog"
	"colosseum/host/internal/config"
	"colosseum/host/internal/program"
	"colosseum/host/internal/series"
	"colosseum/host/internal/store"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// splitPrograms cuts the arguments at each "--": what follows belongs to a
// program and is never looked at.
func splitPrograms(args []string) (own []string, programs [][]string) {
	if len(args) > 0 && args[len(args)-1] == "--generate-shell-completion" {
		return args, nil
	}
	for i := 0; ; i++ {
		end := slices.Index(args, "--")
		part := args
		if end >= 0 {
			part, args = args[:end], args[end+1:]
		}
		if i == 0 {
			own = part
		} else {
			programs = append(programs, part)
		}
		if end < 0 {
			return own, programs
		}
	}
}

// playCommand plays matches between the programs that stand after the "--"s.
func playCommand(programs [][]string) *cli.Command {
	return &cli.Command{
		Name:      "play",
		Usage:     "play matches between programs, without a server",
		ArgsUsage: "GAME [options] -- PROGRAM ARGUMENTS... [-- PROGRAM ARGUMENTS...]...",
		Description: "GAME is the name of a game, or the path of its folder. In more than one match, the programs\n" +
			"play each seed on every seat.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "arg", Aliases: []string{"a"}, Usage: "parameter of the game, `key=value`; may be repeated"},
			&cli.FloatFlag{Name: "timeout", Aliases: []string{"t"}, Usage: "`SECONDS` that a program has for an answer", DefaultText: "as the game likes"},
			&cli.IntFlag{Name: "bots", Aliases: []string{"b"}, Usage: "`NUMBER` of players that the game provides"},
			&cli.IntFlag{Name: "matches", Aliases: []string{"n"}, Value: 1, Usage: "`NUMBER` of matches"},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the first match; the next seed is one more", DefaultText: "random"},
			&cli.IntFlag{Name: "parallel", Value: runtime.NumCPU(), Usage: "`NUMBER` of matches at the same time", DefaultText: "one for each core"},
			&cli.StringFlag{Name: "out", Usage: "keep a transcript of each match in `DIR`"},
			&cli.BoolFlag{Name: "list", Usage: "list the matches, also when they are many"},
			&cli.BoolFlag{Name: "json", Usage: "print the results as JSON"},
		},
		DisableSliceFlagSeparator: true, // a value may hold commas
		Action:                    func(ctx context.Context, cmd *cli.Command) error { return play(ctx, cmd, programs) },
	}
}

func play(ctx context.Context, cmd *cli.Command, programs [][]string) error {
	game, err := argument(cmd)
	if err != nil {
		return err
	}
	if len(programs) == 0 {
		return errors.New(`play needs programs: host play GAME -- PROGRAM ARGUMENTS... -- PROGRAM ARGUMENTS...`)
	}
	request, err := requestOf(cmd, len(programs))
	if err != nil {
		return err
	}
	entrants, err := series.Entrants(programs, request.Bots)
	if err != nil {
		return err
	}
	games, offer, c, err := openGame(ctx, cmd, game)
	if err != nil {
		return err
	}
	defer games.Close()
	settings, err := offer.Prepare(ctx, request)
	if err != nil {
		return err
	}
	config := seriesOf(cmd, c, offer, request.Args, settings)
	config.Entrants = entrants
	matches := series.Rounded(config.Matches, len(entrants))
	if matches != config.Matches {
		fmt.Fprintf(os.Stderr, "%d matches become %d, so that each seed is played in all %d seatings\n", config.Matches, matches, len(entrants))
	}
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && matches > 1 {
		config.Each = func(played int) {
			fmt.Fprintf(os.Stderr, "\r%d of %d matches", played, matches)
			if played == matches {
				fmt.Fprint(os.Stderr, "\r\x1b[K")
			}
		}
	}
	begin := time.Now()
	played, err := series.Run(ctx, config)
	report := series.NewReport(config, played)
	if len(played) > 0 {
		if err := printSeries(os.Stdout, cmd, report, time.Since(begin)); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted after %d of %d matches", len(played), matches)
	case err != nil:
		return err
	case report.Aborted() > 0:
		return fmt.Errorf("%d of %d matches were aborted", report.Aborted(), matches)
	}
	return nil
}

// requestOf reads what the options ask of the game.
func requestOf(cmd *cli.Command, programs int) (driver.Request, error) {
	r := driver.Request{Bots: cmd.Int("bots"), Args: map[string]string{}}
	switch {
	case r.Bots < 0 || r.Bots > sdk.MaxSeats:
		return r, fmt.Errorf("%d bots? Give a number from 0 to %d", r.Bots, sdk.MaxSeats)
	case cmd.Int("matches") < 1:
		return r, errors.New("--matches must be 1 at least")
	case cmd.Int("parallel") < 1:
		return r, errors.New("--parallel must be 1 at least")
	}
	for _, arg := range cmd.StringSlice("arg") {
		key, value, ok := strings.Cut(arg, "=")
		if !ok {
			return r, fmt.Errorf("-a %q is not of the form key=value", arg)
		}
		r.Args[key] = value
	}
	players := programs + r.Bots
	r.Players = &players
	if cmd.IsSet("timeout") {
		timeout := cmd.Float("timeout")
		r.Timeout = &timeout
	}
	return r, nil
}

func seriesOf(cmd *cli.Command, c *config.Config, offer *catalog.Offer, args map[string]string, settings driver.Settings) series.Config {
	seed := uint64(rand.Uint32()) // short enough to be typed
	if cmd.IsSet("seed") {
		seed = cmd.Uint64("seed")
	}
	return series.Config{
		Record: store.Record{
			Game: offer.Name, Plugin: offer.Plugin, Version: offer.Version,
			Args: args, Params: settings.Params, Timeout: settings.Timeout,
		},
		Game: offer.Engine, Seed: seed, Matches: cmd.Int("matches"), Parallel: cmd.Int("parallel"), Stall: c.Plugins.Stall,
		Limits: program.Limits{Line: c.Clients.LineBytes, Backlog: c.Clients.BacklogKB << 10},
		Folder: cmd.String("out"), Log: slog.New(slog.DiscardHandler), // all of it is in the report
	}
}

// listed is how many matches are listed without being asked.
const listed = 20

func printSeries(w io.Writer, cmd *cli.Command, r *series.Report, took time.Duration) error {
	if cmd.Bool("json") {
		b, err := r.JSON()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", b)
		return err
	}
	first, last := r.Played[0], r.Played[len(r.Played)-1]
	count := "1 match"
	if len(r.Played) > 1 {
		count = fmt.Sprintf("%d matches", len(r.Played))
	}
	fmt.Fprintf(w, "%s (version %s), %sat most %v s for an answer: %s in %v\n", r.Record.Game, r.Record.Version,
		params(r.Record.Params), r.Record.Timeout, count, took.Round(time.Millisecond))
	fmt.Fprintln(w, r.Table())
	if len(r.Played) <= listed || cmd.Bool("list") {
		fmt.Fprintln(w, r.Matches())
	}
	if faults := r.Faults(); faults != "" {
		fmt.Fprintln(w, faults)
	}
	again := "-n 1"
	if first.Number != last.Number {
		again = fmt.Sprintf("-n %d", len(first.Seating))
		fmt.Fprintf(w, "Seeds %d to %d, each in %d seatings. ", first.Seed, last.Seed, len(first.Seating))
	}
	_, err := fmt.Fprintf(w, "To play a seed again: --seed %d %s\n", first.Seed, again)
	return err
}

// params is like "pace=0 rounds=3, ", or empty.
func params(values map[string]string) string {
	var list []string
	for name, value := range values {
		list = append(list, name+"="+value)
	}
	if len(list) == 0 {
		return ""
	}
	slices.Sort(list)
	return strings.Join(list, " ") + ", "
}

// argument returns the one positional argument of a command.
func argument(cmd *cli.Command) (string, error) {
	if n := cmd.Args().Len(); n != 1 {
		return "", fmt.Errorf("%s takes one argument and was given %d: host %s %s", cmd.Name, n, cmd.Name, cmd.ArgsUsage)
	}
	return cmd.Args().First(), nil
}
