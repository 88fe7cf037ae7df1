// Command host is the server: it keeps the lobby, runs the games, and records
// what was played.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/config"
	"colosseum/internal/terminal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	args, programs := splitPrograms(os.Args)
	if err := command(programs).Run(ctx, args); err != nil {
		fmt.Fprintln(os.Stderr, "host:", terminal.Clean(err.Error())) // it may name what a game's folder holds
		os.Exit(1)
	}
}

// command describes all commands. The programs are for play.
func command(programs [][]string) *cli.Command {
	root := &cli.Command{
		Name:                  "host",
		Usage:                 "serve games that programs play against each other",
		EnableShellCompletion: true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "config", Usage: "read the configuration from `FILE`"},
			&cli.StringFlag{Name: "listen", Usage: "accept clients at `ADDR`: HOST:PORT, or unix:PATH"},
			&cli.StringFlag{Name: "data", Usage: "keep records in `DIR`"},
			&cli.StringFlag{Name: "verification-password", Usage: "who knows `PASSWORD` may create verified matches", Sources: cli.EnvVars("COLOSSEUM_VERIFICATION_PASSWORD")},
			&cli.BoolFlag{Name: "debug", Usage: "log more"},
		},
		Commands: []*cli.Command{
			playCommand(programs),
			replayCommand(),
			verifyCommand(),
			newCommand(),
			checkCommand(),
			scriptCommand(),
			doctorCommand(),
		},
		Before: func(ctx context.Context, cmd *cli.Command) (context.Context, error) {
			if len(programs) > 0 && cmd.Args().First() != "play" {
				return ctx, errors.New(`only play takes programs after "--"`)
			}
			return ctx, nil
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return fmt.Errorf("%q is not a command: see host --help", cmd.Args().First())
			}
			s := settingsOf(cmd)
			c, err := s.load()
			if err != nil {
				return err
			}
			level := slog.LevelInfo
			if cmd.Bool("debug") {
				level = slog.LevelDebug
			}
			log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
			return serve(ctx, s, c, log)
		},
	}
	for _, c := range append(root.Commands, root) {
		c.OnUsageError = badUsage
	}
	return root
}

// badUsage stands for the library's answer to a wrong option, which buries the
// mistake under all that could have been meant.
func badUsage(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	return fmt.Errorf("%w (%s --help tells more)", err, cmd.FullName())
}

// load reads the configuration for a command that uses it once.
func load(cmd *cli.Command) (*config.Config, error) { return settingsOf(cmd).load() }

// settingsOf tells where the configuration comes from; flags come before the
// file.
func settingsOf(cmd *cli.Command) settings {
	return settings{path: cmd.String("config"), flags: func(c *config.Config) {
		for flag, field := range map[string]*string{"listen": &c.Listen, "data": &c.Data, "verification-password": &c.VerificationPassword} {
			if cmd.IsSet(flag) {
				*field = cmd.String(flag)
			}
		}
	}}
}
