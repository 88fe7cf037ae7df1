package command

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
	"colosseum/host/internal/record"
	"colosseum/host/internal/series"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// splitPrograms cuts the arguments at each "--". The parts after the first are
// programs with their arguments, which are not parsed.
func splitPrograms(args []string) (own []string, programs [][]string) {
	if len(args) > 0 && args[len(args)-1] == "--generate-shell-completion" {
		return args, nil
	}
	var parts [][]string
	for {
		end := slices.Index(args, "--")
		if end < 0 {
			parts = append(parts, args)
			return parts[0], parts[1:]
		}
		parts, args = append(parts, args[:end]), args[end+1:]
	}
}

func playCommand(programs [][]string) *cli.Command {
	return &cli.Command{
		Name:      "play",
		Usage:     "play matches between programs, without a server",
		ArgsUsage: "GAME [options] -- PROGRAM ARGUMENTS... [-- PROGRAM ARGUMENTS...]...",
		Description: "GAME is the name of a game, or the path of its folder. With more than one match, each\n" +
			"program plays each seed on every seat. Programs run with your rights; those of others should\n" +
			"run with --isolation require.",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "arg", Aliases: []string{"a"}, Usage: "parameter of the game, `key=value`; can be repeated"},
			&cli.FloatFlag{Name: "timeout", Aliases: []string{"t"}, Usage: "`SECONDS` that a program has for an answer", DefaultText: "the game's"},
			&cli.StringFlag{Name: "clock", Usage: "`BANK+INCREMENT`: seconds that a program has for the whole match, and more for each turn, like 60+1"},
			&cli.IntFlag{Name: "bots", Aliases: []string{"b"}, Usage: "`NUMBER` of players that the game provides"},
			&cli.IntFlag{Name: "matches", Aliases: []string{"n"}, Value: 1, Usage: "`NUMBER` of matches"},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the first match; the next seed is one more", DefaultText: "random"},
			&cli.IntFlag{Name: "parallel", Value: runtime.NumCPU(), Usage: "`NUMBER` of matches at the same time", DefaultText: "one for each core"},
			&cli.StringFlag{Name: "out", Usage: "keep a transcript of each match in `DIR`"},
			&cli.BoolFlag{Name: "list", Usage: "list the matches, even if there are many"},
			&cli.BoolFlag{Name: "json", Usage: "print the results as JSON"},
		}, isolationFlags()...),
		DisableSliceFlagSeparator: true, // a value can contain commas
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
	clock, err := clockOf(cmd)
	if err != nil {
		return err
	}
	if clock != nil && request.Timeout == nil { // as in the lobby
		request.Timeout = new(clock.Timeout(offer.Timeout))
	}
	settings, err := offer.Prepare(ctx, request)
	if err != nil {
		return err
	}
	config := seriesOf(cmd, c, offer, request.Args, settings)
	if config.Isolation, err = isolationOf(cmd, c); err != nil {
		return err
	}
	config.Record.Clock = (*record.Clock)(clock)
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

func requestOf(cmd *cli.Command, programs int) (driver.Request, error) {
	r := driver.Request{Bots: cmd.Int("bots"), Args: map[string]string{}}
	switch {
	case r.Bots < 0 || r.Bots > sdk.MaxSeats:
		return r, fmt.Errorf("--bots must be from 0 to %d, got %d", sdk.MaxSeats, r.Bots)
	case cmd.Int("matches") < 1:
		return r, errors.New("--matches must be at least 1")
	case cmd.Int("parallel") < 1:
		return r, errors.New("--parallel must be at least 1")
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

// clockOf returns the clock of the option, or nil.
func clockOf(cmd *cli.Command) (*protocol.Clock, error) {
	if !cmd.IsSet("clock") {
		return nil, nil
	}
	clock, err := protocol.ParseClock(cmd.String("clock"))
	if err == nil {
		err = clock.Check()
	}
	return &clock, err
}

func seriesOf(cmd *cli.Command, c *config.Config, offer *catalog.Offer, args map[string]string, settings driver.Settings) series.Config {
	seed := uint64(rand.Uint32()) // 32 bits, so that it is short to type
	if cmd.IsSet("seed") {
		seed = cmd.Uint64("seed")
	}
	return series.Config{
		Record: record.Match{
			Game: offer.Name, Plugin: offer.Plugin, Version: offer.Version,
			Args: args, Params: settings.Params, Timeout: settings.Timeout,
		},
		Game: offer.Engine, Seed: seed, Matches: cmd.Int("matches"), Parallel: cmd.Int("parallel"), Stall: c.Plugins.Stall, StartGrace: c.Clients.StartGrace,
		Limits: program.Limits{Line: c.Clients.LineBytes, Backlog: c.Clients.BacklogKB << 10},
		Folder: cmd.String("out"), Log: slog.New(slog.DiscardHandler), // the report has everything
	}
}

// listed is how many matches are listed without --list.
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
	values := ""
	if len(r.Record.Params) > 0 {
		values = params(r.Record.Params) + ", "
	}
	clock := ""
	if c := r.Record.Clock; c != nil {
		clock = fmt.Sprintf("clock %v, ", protocol.Clock(*c))
	}
	fmt.Fprintf(w, "%s (version %s), %s%sat most %v s for an answer: %s in %v\n", r.Record.Game, r.Record.Version,
		values, clock, r.Record.Timeout, count, took.Round(time.Millisecond))
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

// params returns a text like "pace=0 rounds=3".
func params(values map[string]string) string {
	var list []string
	for name, value := range values {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}
