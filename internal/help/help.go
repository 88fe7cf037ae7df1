// Package help mends the help of host and coco, which the command-line library prints.
package help

import (
	"context"

	"github.com/urfave/cli/v3"
)

// AfterArguments makes --help after an argument show the help of the command, as in
// "host new NAME --help". The library looks for a command with the argument's name instead.
func AfterArguments() {
	cli.ShowCommandHelp = func(ctx context.Context, cmd *cli.Command, name string) error {
		if line := cmd.Lineage(); len(cmd.VisibleCommands()) == 0 && len(line) > 1 {
			cmd, name = line[1], cmd.Name
		}
		return cli.DefaultShowCommandHelp(ctx, cmd, name)
	}
}
