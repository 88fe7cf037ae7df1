package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/records/migrate"
	"colosseum/internal/terminal"
)

func migrateCommand() *cli.Command {
	return &cli.Command{
		Name:      "migrate",
		Usage:     "move all records, players and contests from the file in the data folder to PostgreSQL",
		ArgsUsage: "[URL]",
		Description: "Without URL, it is the setting store. No host must run. The file stays as it is. After Ctrl-C or a crash, the\n" +
			"same command goes on. At the end it compares all rows. docs/operating.md describes each step.",
		Action: moveRecords,
	}
}

func moveRecords(ctx context.Context, cmd *cli.Command) error {
	c, err := source(cmd).Load()
	if err != nil {
		return err
	}
	switch cmd.Args().Len() {
	case 0:
	case 1:
		c.Store = cmd.Args().First()
	default:
		return fmt.Errorf("migrate takes at most one argument, got %d: host migrate %s", cmd.Args().Len(), cmd.ArgsUsage)
	}
	if !config.InPostgres(c.Store) {
		return errors.New("migrate needs a PostgreSQL: set store in the configuration or COLOSSEUM_STORE in the environment, like postgres://USER:PASSWORD@HOST/DATABASE")
	}
	file, to := filepath.Join(c.Data, "colosseum.db"), config.ShowStore(c.Store)
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("find the records: %w: name the host's data folder with --data", err)
	}
	var shown moving
	result, err := migrate.Run(ctx, file, c.Store, toolLog(cmd), shown.show)
	shown.clear()
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted: the same command goes on")
	case err != nil:
		return err
	case !result.Before.IsZero():
		report("all records of %s are in %s since %s: there is nothing to do", file, to, result.Before.Local().Format("2006-01-02 15:04"))
		return nil
	}
	var rows [][]string
	for _, t := range result.Tables {
		rows = append(rows, []string{t.Table, fmt.Sprint(t.Rows), fmt.Sprintf("%x", t.Sum[:8])})
	}
	fmt.Fprintln(cmd.Root().Writer, terminal.Table([]string{"table", "rows", "SHA-256 begins"}, rows))
	if result.Aborted > 0 {
		report("%s that a host had left running: now aborted", plural(int(result.Aborted), "match", "matches"))
	}
	report("everything in %s is in %s, and all rows were compared; %s is not used any more once store is set", file, to, file)
	return nil
}

// moving shows the progress of a migration.
type moving struct {
	progress *progress // of the table; nil: none yet
	at       migrate.Progress
}

func (m *moving) show(p migrate.Progress) {
	if m.progress == nil || p.Table != m.at.Table || p.Verifying != m.at.Verifying {
		m.clear()
		m.progress = newProgress()
		m.progress.things = "rows of " + p.Table
	}
	m.at = p
	m.progress.show(int(p.Rows), int(p.All), func() string {
		share := ""
		if p.All > 0 {
			share = fmt.Sprintf("%d %%", 100*p.Rows/p.All)
		}
		if p.Verifying {
			share += " compared"
		}
		return share
	})
}

func (m *moving) clear() {
	if m.progress != nil {
		m.progress.clear()
	}
}
