package command

import (
	"context"
	"os"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/server"
	"colosseum/host/internal/server/doctor"
)

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:        "doctor",
		Usage:       "check whether a host can run well on this machine",
		Description: "It prints the result of each check and what to do, and fails if a host would not start.",
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			var found []doctor.Finding
			if c, err := source(cmd).Load(); err != nil {
				found = doctor.Unreadable(err)
			} else {
				found = doctor.Examine(ctx, c, cmd.String("config"), server.TryListen)
			}
			return failure(doctor.Print(os.Stdout, found), "%d check failed", "%d checks failed")
		},
	}
}
