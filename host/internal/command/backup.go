package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/records/sqlite"
	"colosseum/internal/terminal"
)

func backupCommand() *cli.Command {
	return &cli.Command{
		Name:        "backup",
		Usage:       "copy all records and players to a file",
		ArgsUsage:   "FILE [--force | --check]",
		Description: "It works while a host runs and without one. The file appears when it is complete and checked. docs/operating.md describes how to restore it.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "force", Usage: "replace FILE if it exists"},
			&cli.BoolFlag{Name: "check", Usage: "write nothing; check that FILE is a backup without damage"},
		},
		Action: backup,
	}
}

func backup(ctx context.Context, cmd *cli.Command) error {
	to, err := argument(cmd)
	if err != nil {
		return err
	}
	if cmd.Bool("check") {
		content, err := sqlite.CheckBackup(ctx, to)
		if err != nil {
			return fmt.Errorf("check the backup: %w", err)
		}
		fmt.Fprintf(cmd.Root().Writer, "%s has %s and no damage\n", terminal.Clean(to), describe(content))
		return nil
	}
	c, err := source(cmd).Load()
	if err != nil {
		return err
	}
	path := c.StoreAt()
	if config.InPostgres(path) {
		return fmt.Errorf("the records are in %s: back them up with PostgreSQL's program pg_dump, see docs/operating.md", config.ShowStore(path))
	}
	if err := present(c, "records"); err != nil {
		return err
	}
	report, clear := func(sqlite.BackupProgress) {}, func() {}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		report, clear = showBackup, func() { fmt.Fprintf(os.Stderr, "\r%s\r", strings.Repeat(" ", 40)) }
	}
	content, err := sqlite.Backup(ctx, path, to, cmd.Bool("force"), report)
	clear()
	switch {
	case errors.Is(err, sqlite.ErrExists):
		return fmt.Errorf("%w: choose another name, or replace it with --force", err)
	case ctx.Err() != nil:
		return fmt.Errorf("the backup was stopped: %s was not written", to)
	case err != nil:
		return err
	}
	fmt.Fprintf(cmd.Root().Writer, "%s has %s of %s\n", terminal.Clean(to), describe(content), terminal.Clean(path))
	return nil
}

// showBackup shows the progress in one line of the terminal.
func showBackup(p sqlite.BackupProgress) {
	if p.Checking {
		fmt.Fprintf(os.Stderr, "\r%-40s", "checking the copy")
		return
	}
	fmt.Fprintf(os.Stderr, "\r%-40s", fmt.Sprintf("%d of %d MiB copied", p.Copied>>20, p.Total>>20))
}

// describe returns what a backup has, like "12 matches (3.4 MiB)".
func describe(c sqlite.Content) string {
	matches := "matches"
	if c.Matches == 1 {
		matches = "match"
	}
	return fmt.Sprintf("%d %s (%.1f MiB)", c.Matches, matches, float64(c.Bytes)/(1<<20))
}
