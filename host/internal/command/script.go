package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/urfave/cli/v3"

	"colosseum/internal/terminal"
	"colosseum/sdk/plugin"
	"colosseum/sdk/script"
)

// scriptCommand serves a game from its source like a compiled game: to the host
// that started this process, or on a terminal.
func scriptCommand() *cli.Command {
	return &cli.Command{
		Name:            "script",
		Usage:           "serve the game whose source is in a folder; hosts run this themselves",
		ArgsUsage:       "DIR [play [players=N] [name=value]...]",
		Flags:           []cli.Flag{&cli.BoolFlag{Name: "check", Usage: "print what is wrong with the source, and exit"}},
		HideHelpCommand: true,
		Action: func(_ context.Context, cmd *cli.Command) error {
			dir := cmd.Args().First()
			if dir == "" {
				return errors.New("script needs the folder of a game")
			}
			if cmd.Bool("check") {
				return refusal(cmd, script.Check(dir))
			}
			game, err := script.Load(dir)
			var problems script.Problems
			if errors.As(err, &problems) {
				fmt.Fprintln(cmd.Root().ErrWriter, terminal.Clean(problems.Error())) // the host shows only this
				return cli.Exit("", 1)
			}
			if err != nil {
				return err
			}
			signal.Reset() // the host or the terminal ends the game, not this command line
			os.Args = append([]string{"host script " + dir}, cmd.Args().Tail()...)
			plugin.Serve(*game)
			return nil
		},
	}
}

// refusal prints the problems of a script, one per line, and returns an error if
// there are any.
func refusal(cmd *cli.Command, problems []script.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	fmt.Fprintln(cmd.Root().ErrWriter, terminal.Clean(script.Problems(problems).Error()))
	return failure(len(problems), "the script has %d problem", "the script has %d problems")
}
