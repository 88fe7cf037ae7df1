package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/doctor"
)

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:        "doctor",
		Usage:       "check whether a host can run well on this machine",
		Description: "It tells for each check whether it went well and what to do, and fails when a host would not start.",
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return fmt.Errorf("doctor takes no arguments, and was given %q", cmd.Args().First())
			}
			var found []doctor.Finding
			if c, err := load(cmd); err != nil {
				found = doctor.Unreadable(err)
			} else {
				found = doctor.Examine(ctx, c, cmd.String("config"), tryToListen)
			}
			switch n := doctor.Print(os.Stdout, found); {
			case n == 1:
				return errors.New("a check failed")
			case n > 1:
				return fmt.Errorf("%d checks failed", n)
			}
			return nil
		},
	}
}

// tryToListen tells why the host could not listen at an address.
func tryToListen(address string) error {
	if path, unix := strings.CutPrefix(address, "unix:"); unix {
		if _, err := os.Stat(path); err == nil && staleSocket(path) {
			return nil // the host will take it over
		}
	}
	l, err := open(address)
	if err != nil {
		return err
	}
	return l.Close()
}
