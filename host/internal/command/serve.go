package command

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/server"
)

// serve is host without a command: it runs the server until ctx ends.
func serve(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Present() {
		return fmt.Errorf("%q is not a command: see host --help", cmd.Args().First())
	}
	cores, _ := engine.Cores()
	runtime.GOMAXPROCS(cores)
	s, err := server.Open(ctx, source(cmd), slog.New(slog.NewTextHandler(os.Stderr, logOptions(cmd))))
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Run(ctx)
}
