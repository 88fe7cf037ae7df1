package command

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/server"
)

func runnerCommand() *cli.Command {
	return &cli.Command{
		Name:  "runner",
		Usage: "build and play the programs that players have handed in, for the other hosts of a cluster",
		Description: "A runner is a host of the cluster that serves no clients. With submissions.runners in the\n" +
			"configuration of the other hosts, programs of players run on the machines of runners alone.",
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			return serveFrom(ctx, cmd, runnerSource(cmd))
		},
	}
}

// runnerSource returns the configuration of a runner.
func runnerSource(cmd *cli.Command) config.Source {
	s := source(cmd)
	others := s.Override
	s.Override = func(c *config.Config) {
		others(c)
		c.Runner = true
	}
	return s
}

// serveFrom runs the server until ctx ends.
func serveFrom(ctx context.Context, cmd *cli.Command, from config.Source) error {
	c, err := from.Load()
	switch {
	case err != nil:
		return err
	case c.Runner && c.Cluster.Name == "":
		return errors.New("a runner works for other hosts: give it the cluster of these (cluster in the configuration; see docs/cluster.md)")
	case c.Runner && !c.Submissions.On():
		return errors.New("a runner needs the games for which programs can be handed in: submissions.games in the configuration, as the other hosts have them")
	}
	cores, _ := engine.Cores()
	runtime.GOMAXPROCS(cores)
	s, err := server.Open(ctx, from, slog.New(slog.NewTextHandler(os.Stderr, logOptions(cmd))))
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Run(ctx)
}
