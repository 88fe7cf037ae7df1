// Package command is the command line of the host: the server, and commands that
// need no server. Each has its own file.
package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/sandbox"
	gamesource "colosseum/host/internal/games/source"
	"colosseum/internal/buildinfo"
	"colosseum/internal/help"
	"colosseum/internal/terminal"
)

// Main runs a command line, including the program's name, and returns the exit
// status. The first SIGINT or SIGTERM ends the command in order, the second one
// kills the process.
func Main(args []string) (status int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	sandbox.HideMemory()
	args, programs := splitPrograms(args)
	if err := root(programs).Run(ctx, args); err != nil {
		fmt.Fprintln(os.Stderr, "host:", terminal.Clean(err.Error())) // it can quote files of a game
		return 1
	}
	return 0
}

// root describes all commands. The programs are for play and refeed.
func root(programs [][]string) *cli.Command {
	help.AfterArguments()
	root := &cli.Command{
		Name:                  "host",
		Usage:                 "serve games that programs play against each other",
		EnableShellCompletion: true,
		ConfigureShellCompletionCommand: func(c *cli.Command) {
			c.Hidden = false
			c.Usage = "print the completion script of a shell"
		},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "config", Usage: "read the configuration from `FILE`"},
			&cli.StringFlag{Name: "listen", Usage: "accept clients at `ADDR`: HOST:PORT, or unix:PATH"},
			&cli.StringFlag{Name: "data", Usage: "keep records in `DIR`"},
			&cli.StringFlag{Name: "store", Usage: "keep records in the PostgreSQL at `URL`; better in the environment, if it has a password", Sources: environment("COLOSSEUM_STORE"), HideDefault: true},
			&cli.StringFlag{Name: "nats", Usage: "meet the other hosts at the NATS servers at `URL`; better in the environment, if it has a password", Sources: environment("COLOSSEUM_NATS"), HideDefault: true},
			&cli.StringFlag{Name: "verification-password", Usage: "anyone who knows `PASSWORD` can create verified matches", Sources: environment("COLOSSEUM_VERIFICATION_PASSWORD")},
			&cli.BoolFlag{Name: "debug", Usage: "log more"},
			&cli.BoolFlag{Name: "version", Aliases: []string{"V"}, Local: true, Usage: "print the version, the commit and the release of Go"},
		},
		Commands: []*cli.Command{
			playCommand(programs),
			envCommand(),
			contestCommand(),
			replayCommand(),
			verifyCommand(),
			refeedCommand(programs),
			clusterCommand(),
			runnerCommand(),
			playersCommand(),
			submissionsCommand(),
			webhooksCommand(),
			backupCommand(),
			exportCommand(),
			verifyExportCommand(),
			migrateCommand(),
			newCommand(),
			checkCommand(),
			scriptCommand(),
			doctorCommand(),
			healthCommand(),
		},
		Before: func(ctx context.Context, cmd *cli.Command) (context.Context, error) {
			if len(programs) > 0 && !slices.Contains([]string{"play", "refeed"}, cmd.Args().First()) {
				return ctx, errors.New(`only play and refeed take programs after "--"`)
			}
			return ctx, nil
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Bool("version") {
				_, err := fmt.Fprintln(cmd.Root().Writer, buildinfo.Describe("host"))
				return err
			}
			return serve(ctx, cmd)
		},
	}
	for _, c := range append(root.Commands, root) {
		c.OnUsageError = badUsage
	}
	return root
}

// badUsage replaces the library's reaction to a wrong option, which prints the
// whole help.
func badUsage(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	return fmt.Errorf("%w (see %s --help)", err, cmd.FullName())
}

// argument returns the one positional argument of a command.
func argument(cmd *cli.Command) (string, error) {
	if n := cmd.Args().Len(); n != 1 {
		return "", fmt.Errorf("%s takes one argument, got %d: host %s %s", cmd.Name, n, cmd.Name, cmd.ArgsUsage)
	}
	return cmd.Args().First(), nil
}

// noArguments returns an error if a command got positional arguments.
func noArguments(cmd *cli.Command) error {
	if cmd.Args().Present() {
		return fmt.Errorf("%s takes no arguments, got %q", cmd.Name, cmd.Args().First())
	}
	return nil
}

// failure returns an error with the number of failures, or nil if there are none.
func failure(n int, one, many string) error {
	switch n {
	case 0:
		return nil
	case 1:
		return fmt.Errorf(one, n)
	default:
		return fmt.Errorf(many, n)
	}
}

// source returns where the configuration comes from: flags override the file.
func source(cmd *cli.Command) config.Source {
	return config.Source{Path: cmd.String("config"), Override: func(c *config.Config) {
		for flag, field := range map[string]*string{"listen": &c.Listen, "data": &c.Data, "store": &c.Store, "nats": &c.Cluster.NATS, "verification-password": &c.VerificationPassword} {
			if cmd.IsSet(flag) {
				*field = cmd.String(flag)
			}
		}
	}}
}

// openGame starts the one game that a command needs, as a server would. The
// caller must close the catalog.
func openGame(ctx context.Context, cmd *cli.Command, game string) (*catalog.Catalog, *catalog.Offer, *config.Config, error) {
	c, err := source(cmd).Load()
	if err != nil {
		return nil, nil, nil, err
	}
	c.UseFolders()
	games, offer, err := catalog.OpenOne(ctx, c, game, cache(c), toolLog(cmd))
	return games, offer, c, err
}

// cache returns the folder for games that commands build: that of the host, if this user's
// host has one in the data folder; else the user's, so that a command leaves no data folder
// in the working directory.
func cache(c *config.Config) string {
	if dir := filepath.Join(c.Data, "cache"); gamesource.Private(dir) {
		return dir
	}
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "colosseum")
	}
	return filepath.Join(c.Data, "cache")
}

// logOptions returns the options of a log on stderr.
func logOptions(cmd *cli.Command) *slog.HandlerOptions {
	if cmd.Bool("debug") {
		return &slog.HandlerOptions{Level: slog.LevelDebug}
	}
	return &slog.HandlerOptions{Level: slog.LevelInfo}
}

// toolLog returns the log of a command that is not the server, without time and
// level: failures, and what games write to stderr.
func toolLog(cmd *cli.Command) *slog.Logger {
	options := logOptions(cmd)
	options.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
			return slog.Attr{}
		}
		return a
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}
