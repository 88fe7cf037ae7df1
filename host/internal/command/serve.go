package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"
)

// serve is host without a command: it runs the server until ctx ends.
func serve(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Present() {
		return fmt.Errorf("%q is not a command: see host --help", cmd.Args().First())
	}
	return serveFrom(ctx, cmd, source(cmd))
}
