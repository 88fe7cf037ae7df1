package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/base/disk"
	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/records/store"
	"colosseum/internal/terminal"
)

func contestCommand() *cli.Command {
	reason := func() []cli.Flag {
		return []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "a `TEXT` for everybody that sees the contest"}}
	}
	c := &cli.Command{
		Name:  "contest",
		Usage: "play a contest of programs, or organize those of a host",
		Description: "A contest is described by a file in YAML. run plays one between programs on this machine. All\n" +
			"other commands work while a host runs and without one.",
		Commands: []*cli.Command{
			contestRunCommand(),
			{Name: "create", Usage: "create a contest; it waits for its start, and for players if it is open", ArgsUsage: "FILE", Action: createContest},
			{Name: "enter", Usage: "enter registered players, or teams of them: the first of a team is its captain", ArgsUsage: "NAME PLAYER...|TEAM=PLAYER,PLAYER...", Flags: reason(), Action: enterContest},
			{Name: "lineup", Usage: "change the players of a team, or the order of its boards", ArgsUsage: "NAME TEAM PLAYER...", Action: lineUpTeam},
			{Name: "start", Usage: "start a contest", ArgsUsage: "NAME", Action: changeContest("started", (*contest.Organizer).Start)},
			{Name: "pause", Usage: "start no more matches", ArgsUsage: "NAME", Flags: reason(), Action: pauseContest},
			{Name: "resume", Usage: "let a paused contest go on", ArgsUsage: "NAME", Action: changeContest("resumed", (*contest.Organizer).Resume)},
			contestShiftCommand(reason()),
			{Name: "withdraw", Usage: "take entries out: their opponents win what was not played", ArgsUsage: "NAME ENTRY...", Flags: reason(), Action: withdrawFromContest},
			tryCommand(),
			{Name: "end", Usage: "end a contest with the standings of the moment", ArgsUsage: "NAME", Flags: reason(), Action: endContest},
			{Name: "promote", Usage: "move the entries of a league between its divisions now", ArgsUsage: "NAME", Flags: reason(), Action: promoteInContest},
			{Name: "list", Usage: "list all contests", Action: listContests, Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}}},
			{Name: "show", Usage: "show a contest: its entries and its standings", ArgsUsage: "NAME", Action: showContest, Flags: []cli.Flag{
				&cli.BoolFlag{Name: "json", Usage: "print JSON, with all matches"},
			}},
			{Name: "standings", Usage: "show the standings", ArgsUsage: "NAME", Action: showStandings, Flags: []cli.Flag{
				&cli.BoolFlag{Name: "csv", Usage: "print CSV"}, &cli.BoolFlag{Name: "json", Usage: "print JSON"},
				&cli.BoolFlag{Name: "private", Usage: "add the real names and classes to the CSV"},
			}},
			{Name: "matches", Usage: "list the matches", ArgsUsage: "NAME", Action: listContestMatches, Flags: []cli.Flag{
				&cli.BoolFlag{Name: "ndjson", Usage: "print JSON, a line for each match"},
			}},
			{Name: "verify", Usage: "compute the pairings and the standings again, from the records of the matches", ArgsUsage: "NAME", Action: verifyContest},
			{Name: "remove", Usage: "remove a contest that has ended or never started; the records of its matches stay", ArgsUsage: "NAME", Action: changeContest("removed", (*contest.Organizer).Remove)},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return fmt.Errorf("contest has no command %q: see host contest --help", cmd.Args().First())
			}
			return cli.ShowSubcommandHelp(cmd)
		},
	}
	c.Commands = append(c.Commands, rulingCommands()...)
	for _, sub := range c.Commands {
		sub.OnUsageError = badUsage
	}
	return c
}

// contests are the contests of a data folder or of a PostgreSQL.
type contests struct {
	contest.Organizer
	file     *store.Contests
	registry *players.Registry
	config   *config.Config
	at       string // where they are, without a password
	close    func()
}

// openContests opens the contests. With create it creates the data folder and the file,
// if there are none.
func openContests(ctx context.Context, cmd *cli.Command, create bool) (*contests, error) {
	c, err := source(cmd).Load()
	if err != nil {
		return nil, err
	}
	at := c.StoreAt()
	if create {
		if err := disk.MakeData(c.Data); err != nil {
			return nil, err
		}
	} else if err := present(c, "contests"); err != nil {
		return nil, err
	}
	log := toolLog(cmd)
	file, err := store.OpenContests(ctx, at, log)
	if err != nil {
		return nil, err
	}
	registered, err := store.OpenPlayers(ctx, at, log)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	registry := players.New(registered, playerSettings(c), log)
	return &contests{
		Organizer: contest.Organizer{Store: file, HalfLife: time.Duration(c.Contests.HalfLife), Players: registry, Classes: registry}, file: file, registry: registry, config: c, at: config.ShowStore(at),
		close: func() {
			_ = registered.Close()
			_ = file.Close()
		},
	}, nil
}

// onContest opens the contests and calls a function with the name of one and the other
// arguments of the command, of which there must be at least one if others is their name.
func onContest(ctx context.Context, cmd *cli.Command, others string, do func(c *contests, name string, rest []string) error) error {
	args := cmd.Args().Slice()
	switch {
	case len(args) == 0 || others != "" && len(args) == 1:
		return fmt.Errorf("%s takes %s: host contest %s %s", cmd.Name, strings.TrimSpace("the name of a contest "+others), cmd.Name, cmd.ArgsUsage)
	case others == "" && len(args) > 1:
		return fmt.Errorf("%s takes one argument, got %d: host contest %s %s", cmd.Name, len(args), cmd.Name, cmd.ArgsUsage)
	}
	c, err := openContests(ctx, cmd, false)
	if err != nil {
		return err
	}
	defer c.close()
	err = do(c, args[0], args[1:])
	if unknown := (*contest.UnknownError)(nil); errors.As(err, &unknown) {
		return fmt.Errorf("%w in %s: host contest list shows all, and --data names the host's data folder", err, c.at)
	}
	return err
}

// changeContest returns the action of a command that changes a contest as a whole.
func changeContest(done string, change func(o *contest.Organizer, ctx context.Context, name string) error) cli.ActionFunc {
	return func(ctx context.Context, cmd *cli.Command) error {
		return onContest(ctx, cmd, "", func(c *contests, name string, _ []string) error {
			local := ""
			if s, err := c.Load(ctx, name); err == nil && s.Spec.Local() && (cmd.Name == "start" || cmd.Name == "resume") {
				local = ": host contest run with its file plays it"
			}
			if err := change(&c.Organizer, ctx, name); err != nil {
				return err
			}
			report("the contest %s is %s%s", name, done, local)
			return nil
		})
	}
}

// report prints what a command has done.
func report(format string, args ...any) {
	fmt.Fprintln(os.Stderr, terminal.Clean(fmt.Sprintf(format, args...)))
}

// readSpec reads the description of a contest from a file.
func readSpec(path string) (text []byte, spec *contest.Spec, err error) {
	if text, err = readRegular(path, contest.MaxSpec); err != nil {
		return nil, nil, err
	}
	if spec, err = contest.ReadSpec(text); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, spec, nil
}

func createContest(ctx context.Context, cmd *cli.Command) error {
	path, err := contestArgument(cmd)
	if err != nil {
		return err
	}
	text, spec, err := readSpec(path)
	if err != nil {
		return err
	}
	c, err := openContests(ctx, cmd, true)
	if err != nil {
		return err
	}
	defer c.close()
	if !spec.Local() && spec.Format != contest.Cup { // run checks that itself, and a cup has no game
		games, _, err := c.openGame(ctx, cmd, filepath.Dir(path), spec)
		if err != nil {
			return err
		}
		games.Close()
	}
	if _, err := c.Create(ctx, text); err != nil {
		return err
	}
	next := "host contest start " + spec.Name + " starts it"
	switch {
	case spec.Local():
		next = "host contest run " + path + " plays it"
	case spec.Format == contest.Ladder, spec.Format == contest.Pass && spec.Start.IsZero():
		next = "a running host plays it"
	case spec.Format == contest.Cup:
		next = "it counts " + strings.Join(spec.Cup, ", ")
	case spec.Format == contest.League && !spec.Season.Start.IsZero():
		next = "a running host starts it at " + spec.Season.Start.Local().Format("2006-01-02 15:04")
	case spec.Dates != nil && spec.Start.IsZero():
		next = "a running host starts it when round 1 opens"
	case !spec.Start.IsZero():
		next = "a running host starts it at " + spec.Start.Local().Format("2006-01-02 15:04")
	}
	report("the contest %s is created in %s: %s", spec.Name, c.at, next)
	return nil
}

// contestArgument returns the one positional argument of a command of contest.
func contestArgument(cmd *cli.Command) (string, error) {
	if n := cmd.Args().Len(); n != 1 {
		return "", fmt.Errorf("%s takes one argument, got %d: host contest %s %s", cmd.Name, n, cmd.Name, cmd.ArgsUsage)
	}
	return cmd.Args().First(), nil
}

func enterContest(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "and players", func(c *contests, name string, names []string) error {
		s, err := c.Load(ctx, name)
		if err != nil {
			return err
		}
		var entries []contest.Entry
		for _, n := range names {
			e := contest.Entry{Name: n, Player: n}
			if team, list, ok := strings.Cut(n, "="); ok {
				players := strings.Split(list, ",")
				e = contest.Entry{Name: team, Team: &contest.Team{Captain: players[0], Players: players}}
			} else if i, ok := s.Number(n); ok && s.Spec.Teams != nil { // it comes back
				e = s.Entries[i].Entry
			}
			if level, ok := strings.CutPrefix(n, contest.BotPrefix); ok {
				e.Player, e.Bot = "", level
			}
			entries = append(entries, e)
		}
		enter := func() error { return c.Enter(ctx, name, entries, false) }
		if reason := cmd.String("reason"); reason != "" { // only one who was barred needs one
			enter = func() error { return c.Forgive(ctx, name, names, reason) }
		}
		if err := enter(); err != nil {
			return err
		}
		report("%s entered the contest %s", strings.Join(names, ", "), name)
		return nil
	})
}

func withdrawFromContest(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "and entries", func(c *contests, name string, entries []string) error {
		withdraw := func() error { return c.Withdraw(ctx, name, entries, false) }
		if reason := cmd.String("reason"); reason != "" {
			withdraw = func() error { return c.Bar(ctx, name, entries, reason) }
		}
		if err := withdraw(); err != nil {
			return err
		}
		report("%s left the contest %s", strings.Join(entries, ", "), name)
		return nil
	})
}

func pauseContest(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "", func(c *contests, name string, _ []string) error {
		if err := c.Pause(ctx, name, cmd.String("reason")); err != nil {
			return err
		}
		report("the contest %s is paused; matches that have begun go on", name)
		return nil
	})
}

func endContest(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "", func(c *contests, name string, _ []string) error {
		reason := cmd.String("reason")
		if reason == "" {
			reason = "the organizer has ended it"
		}
		if err := c.End(ctx, name, reason); err != nil {
			return err
		}
		report("the contest %s has ended", name)
		return nil
	})
}

func promoteInContest(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "", func(c *contests, name string, _ []string) error {
		if err := c.Promote(ctx, name, cmd.String("reason")); err != nil {
			return err
		}
		v, err := c.View(ctx, name)
		if err != nil {
			return err
		}
		date := v.Season.Dates[len(v.Season.Dates)-1]
		if len(date.Moves) == 0 {
			report("nobody moves: see host contest show %s", name)
		}
		for _, m := range date.Moves {
			report("%s goes from %s to %s", m.Name, m.From, m.To)
		}
		return nil
	})
}

func verifyContest(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "", func(c *contests, name string, _ []string) error {
		records, err := store.OpenReader(ctx, c.config.StoreAt())
		if err != nil {
			return err
		}
		defer records.Close()
		v, err := contest.Verify(ctx, c.file, records, strings.ToLower(name))
		if err != nil {
			return err
		}
		missing := ""
		if v.Missing > 0 {
			missing = fmt.Sprintf("; the records of %d more were removed", v.Missing)
		}
		for _, p := range v.Problems {
			fmt.Fprintln(os.Stderr, terminal.Clean(p))
		}
		if err := failure(len(v.Problems), "the contest has %d problem", "the contest has %d problems"); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.Root().Writer, "the contest %s is verified: %s and %s%s\n", terminal.Clean(name),
			plural(v.Pairings, "pairing", "pairings"), plural(v.Matches, "match", "matches"), missing)
		return err
	})
}
