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

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/contests/series"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
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
		Usage:     "play matches between programs or bots, without a server",
		ArgsUsage: "GAME [options] [-- [name=NAME] PROGRAM ARGUMENTS...]...",
		Description: "GAME is the name of a game, or the path of its folder. With more than one match, each\n" +
			"program plays each seed on every seat. More programs than seats play a round robin. Programs\n" +
			"run with your rights; those of others should run with --isolation require.",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "arg", Aliases: []string{"a"}, Usage: "parameter of the game, `key=value`; can be repeated"},
			&cli.FloatFlag{Name: "timeout", Aliases: []string{"t"}, Usage: "`SECONDS` that a program has for an answer", DefaultText: "the game's"},
			&cli.BoolFlag{Name: "wall", Usage: "count the time from a question to its answer, as on a server, instead of the CPU time of the program"},
			&cli.DurationFlag{Name: "start", Value: defaultStart, Usage: "time that a program has more for its first answer, to start, as a `DURATION`", DefaultText: "clients.start_grace if the configuration has it, else 10s"},
			&cli.StringFlag{Name: "clock", Usage: "`BANK+INCREMENT`: seconds that a program has for the whole match, and more for each turn, like 60+1"},
			&cli.StringFlag{Name: "bots", Aliases: []string{"b"}, Usage: "`NUMBER` of players that the game provides, in each match, or their levels, like strong,easy"},
			&cli.IntFlag{Name: "players", Usage: "`NUMBER` of programs and bots in one match", DefaultText: "all, or the most that the game permits"},
			&cli.IntFlag{Name: "matches", Aliases: []string{"n"}, Value: 1, Usage: "`NUMBER` of matches; in a round robin, of each pairing"},
			&cli.StringFlag{Name: "sprt", Usage: "play until it is decided whether the first of two programs is stronger by `ELO0,ELO1`, like 0,10", DefaultText: "play all matches"},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the first match; the next seed is one more", DefaultText: "random"},
			&cli.IntFlag{Name: "parallel", Value: runtime.GOMAXPROCS(0), Usage: "`NUMBER` of matches at the same time", DefaultText: "as many as there are cores for"},
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
	request, err := requestOf(cmd)
	if err != nil {
		return err
	}
	if len(programs) == 0 && request.Bots == 0 {
		return errors.New(`play needs programs or bots: host play GAME -- PROGRAM ARGUMENTS... -- PROGRAM ARGUMENTS..., or --bots strong,easy`)
	}
	entrants, err := series.Entrants(programs, request.Bots, request.Levels)
	if err != nil {
		return err
	}
	test, err := sprtOf(cmd, entrants)
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
	if offer.Unpace(request.Args) {
		fmt.Fprintln(os.Stderr, "the game does not pause between moves; -a pace=SECONDS changes that")
	}
	seats := min(len(entrants), offer.MaxPlayers)
	if cmd.IsSet("players") {
		seats = cmd.Int("players")
	}
	request.Players = &seats
	if request.Bots > seats || len(programs) > 0 && request.Bots == seats {
		return unfilled(len(programs), request.Bots, seats)
	}
	settings, err := offer.Prepare(ctx, request)
	if err != nil {
		return err
	}
	config := seriesOf(cmd, c, offer, request.Args, settings)
	if config.Ponder = offer.Ponder; config.Ponder && !cmd.IsSet("parallel") {
		config.Parallel = max(1, runtime.GOMAXPROCS(0)/seats)
	}
	if config.Isolation, err = isolationOf(cmd, c); err != nil {
		return err
	}
	config.Record.Clock = (*record.Clock)(clock)
	config.Entrants, config.Seats = entrants, seats
	groups := series.Groups(entrants, seats)
	switch {
	case groups == 0:
		return unfilled(len(programs), request.Bots, seats)
	case groups > series.MaxGroups || groups*config.Matches > maxSeries:
		return fmt.Errorf("a round robin of %d programs would have more than %d matches: take fewer programs or matches", len(programs), maxSeries)
	}
	config.Matches = series.Rounded(config.Matches, seats)
	all := groups * config.Matches
	if matches := cmd.Int("matches"); test == nil && matches != config.Matches {
		fmt.Fprintf(os.Stderr, "%d matches become %d, so that each seed is played in all %d seatings\n", matches, config.Matches, seats)
	}
	if groups > 1 {
		fmt.Fprintf(os.Stderr, "round robin: %d pairings of %d, each with %s\n", groups, seats, plural(config.Matches, "match", "matches"))
	}
	progress, done := newProgress(), 0
	samples := series.Samples{First: config.Seed}
	config.Each = func(p *series.Played) (more bool) {
		done++
		more = test == nil || test.add(samples.Add(p))
		if more && all > 1 {
			progress.show(done, all, test.String)
		}
		return more
	}
	begin := time.Now()
	played, err := series.Run(ctx, config)
	progress.clear()
	report := series.NewReport(config, played)
	if test != nil {
		report.SPRT = test.report()
	}
	if len(played) > 0 {
		if err := printSeries(os.Stdout, cmd, report, time.Since(begin)); err != nil {
			return err
		}
		if repeats := report.Repeats(); repeats != "" {
			fmt.Fprintf(os.Stderr, "The same matches were played again, with other seeds:\n%s\n%s\n", repeats,
				"More of them show little that is new. Let a program vary its play by the number in its environment variable COLOSSEUM_SEED.")
		}
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted after %d of %d matches", len(played), all)
	case err != nil:
		return err
	case report.Aborted() > 0:
		return fmt.Errorf("%d of %d matches were aborted", report.Aborted(), len(played))
	}
	return nil
}

// unfilled is the error for programs and bots that do not fill the seats of a match.
func unfilled(programs, bots, seats int) error {
	return fmt.Errorf("%d programs and %d bots cannot fill %d seats: each program has one seat", programs, bots, seats)
}

// maxSeries is how many matches a series can have.
const maxSeries = 1_000_000

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func requestOf(cmd *cli.Command) (driver.Request, error) {
	var r driver.Request
	r.Bots, r.Levels = protocol.ParseBots(cmd.String("bots"))
	switch {
	case r.Bots < 0 || r.Bots > driver.MaxSeats:
		return r, fmt.Errorf("--bots must be from 0 to %d, got %d", driver.MaxSeats, r.Bots)
	case cmd.Int("matches") < 1 || cmd.Int("matches") > maxSeries:
		return r, fmt.Errorf("--matches must be from 1 to %d", maxSeries)
	case cmd.IsSet("players") && (cmd.Int("players") < 1 || cmd.Int("players") > driver.MaxSeats):
		return r, fmt.Errorf("--players must be from 1 to %d", driver.MaxSeats)
	case cmd.Duration("start") < 0 || cmd.Duration("start") > maxStart:
		return r, fmt.Errorf("--start must be from 0 to %v", maxStart)
	case cmd.Int("parallel") < 1:
		return r, errors.New("--parallel must be at least 1")
	}
	var err error
	if r.Args, err = argsOf(cmd); err != nil {
		return r, err
	}
	if cmd.IsSet("timeout") {
		timeout := cmd.Float("timeout")
		r.Timeout = &timeout
	}
	return r, nil
}

// argsOf returns the parameters of the game that the options set.
func argsOf(cmd *cli.Command) (map[string]string, error) {
	args := map[string]string{}
	for _, arg := range cmd.StringSlice("arg") {
		key, value, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, fmt.Errorf("-a %q is not of the form key=value", arg)
		}
		args[key] = value
	}
	return args, nil
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
	matches := cmd.Int("matches")
	if cmd.IsSet("sprt") && !cmd.IsSet("matches") {
		matches = maxSPRT
	}
	return series.Config{
		Setup: setupOf(c, startOf(cmd, c), cmd.Bool("wall")),
		Record: record.Match{
			Game: offer.Name, Plugin: offer.Plugin, Version: offer.Version,
			Args: args, Params: settings.Params, Timeout: settings.Timeout,
		},
		Game: offer.Engine, MaxLine: offer.MaxLine, Seed: seed, Matches: matches, Parallel: cmd.Int("parallel"), Folder: cmd.String("out"),
	}
}

// maxStart is the most time that a program can get for its start.
const maxStart = 10 * time.Minute

// defaultStart is the usual time for the start of a program. A program in Java or with many
// libraries can need seconds of CPU time.
const defaultStart = 10 * time.Second

// startOf returns the time for the start of a program: that of the option, else that of the
// configuration's file.
func startOf(cmd *cli.Command, c *config.Config) time.Duration {
	if !cmd.IsSet("start") && source(cmd).Sets("clients", "start_grace") {
		return c.Clients.StartGrace
	}
	return cmd.Duration("start")
}

// setupOf returns the rules for matches of programs of this machine: those of the server,
// but each program runs only while it is asked.
func setupOf(c *config.Config, start time.Duration, wall bool) series.Setup {
	return series.Setup{
		Stall: c.Plugins.Stall, StartGrace: start, Wall: wall, Cores: program.NewCores(runtime.GOMAXPROCS(0)),
		Limits: program.Limits{Line: c.Clients.LineBytes, Backlog: c.Clients.BacklogKB << 10},
		Log:    slog.New(slog.DiscardHandler), // reports have everything
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
	if r.SPRT != nil {
		fmt.Fprintln(w, r.SPRT)
	}
	if len(r.Played) <= listed || cmd.Bool("list") {
		fmt.Fprintln(w, r.Matches())
	}
	if faults := r.Faults(); faults != "" {
		fmt.Fprintln(w, faults)
	}
	again := "-n 1"
	if first.Number != last.Number {
		again = fmt.Sprintf("-n %d", len(first.Seating))
		seeds := fmt.Sprintf("Seed %d, ", first.Seed)
		if first.Seed != last.Seed {
			seeds = fmt.Sprintf("Seeds %d to %d, each ", first.Seed, last.Seed)
		}
		fmt.Fprintf(w, "%sin %d seatings. ", seeds, len(first.Seating))
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
