package command

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/base/disk"
	"colosseum/host/internal/records/export"
	"colosseum/host/internal/records/store"
	"colosseum/internal/terminal"
)

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write the records of a month into a folder that others can check",
		ArgsUsage: "MONTH [--game GAME] [--out DIR] [--key FILE]",
		Description: "It works while a host runs and without one. DIR appears when it is complete; the same\n" +
			"command goes on with one that was stopped. docs/data.md describes the files.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "instead of MONTH: matches that ended from `TIME`, like 2026-10-01 or 2026-10-01T12:00:00Z"},
			&cli.StringFlag{Name: "until", Usage: "and before `TIME`"},
			&cli.StringFlag{Name: "game", Usage: "only matches of `GAME`, the name that clients see"},
			&cli.StringFlag{Name: "out", Usage: "the new folder `DIR`", DefaultText: "MONTH in the folder exports.dir of the configuration"},
			&cli.StringFlag{Name: "key", Usage: "sign with the key in `FILE`", DefaultText: "exports.key_file of the configuration"},
			&cli.StringFlag{Name: "new-key", Usage: "export nothing: write a new key to `FILE`, and its public key to FILE.pub"},
		},
		Action: exportRecords,
	}
}

func exportRecords(ctx context.Context, cmd *cli.Command) error {
	if cmd.IsSet("new-key") {
		return newExportKey(cmd)
	}
	o, month, err := exportOptions(cmd, time.Now())
	if err != nil {
		return err
	}
	c, err := source(cmd).Load()
	if err != nil {
		return err
	}
	folder := cmd.String("out")
	if folder == "" && month != "" && c.Exports.Dir != "" {
		folder = filepath.Join(c.Exports.Dir, month)
	}
	if folder == "" {
		return errors.New("name the new folder with --out")
	}
	key := c.Exports.KeyFile
	if cmd.IsSet("key") {
		key = cmd.String("key")
	}
	if key != "" {
		if o.Key, err = export.ReadKey(key); err != nil {
			return fmt.Errorf("read the key: %w", err)
		}
	}
	if err := present(c, "records"); err != nil {
		return err
	}
	o.Host = c.PublicAddress()
	records, err := store.OpenReader(ctx, c.StoreAt())
	if err != nil {
		return err
	}
	defer records.Close()
	var clear func()
	o.Progress, clear = exportProgress("matches written")
	m, err := export.Write(ctx, records, filepath.Clean(folder), o)
	clear()
	switch {
	case errors.Is(err, export.ErrExists):
		return fmt.Errorf("%w: choose another folder with --out, or remove it", err)
	case ctx.Err() != nil:
		return errors.New("the export was stopped: the same command goes on")
	case err != nil:
		return fmt.Errorf("export records of %s: %w", config.ShowStore(c.StoreAt()), err)
	}
	fmt.Fprintf(cmd.Root().Writer, "%s has %s%s\n", terminal.Clean(folder), describeExport(m), signedWith(m))
	return nil
}

// exportOptions returns the time and the game of an export, and the month; "": it is none.
func exportOptions(cmd *cli.Command, now time.Time) (o export.Options, month string, err error) {
	spans := cmd.IsSet("since") || cmd.IsSet("until")
	switch {
	case spans && cmd.Args().Present():
		return o, "", errors.New("name either a month, or --since and --until")
	case spans:
		if o.Since, err = parseDay("--since", cmd.String("since")); err == nil {
			o.Until, err = parseDay("--until", cmd.String("until"))
		}
		if err == nil && !o.Since.Before(o.Until) {
			err = errors.New("--since must be before --until")
		}
	default:
		if month, err = argument(cmd); err != nil {
			return o, "", err
		}
		if o.Since, o.Until, err = export.ParseMonth(month); err != nil {
			err = fmt.Errorf("%q is not a month like 2026-10", month)
		}
	}
	if err == nil && o.Until.After(now) {
		err = fmt.Errorf("%s is not over: export until now at most, with --since and --until", o.Until.Add(-1).Format(export.MonthLayout))
	}
	o.Game = cmd.String("game")
	return o, month, err
}

// parseDay returns the time in a flag: a day in UTC, or a time with its zone.
func parseDay(flag, text string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%s: %q is not a time like 2026-10-01 or 2026-10-01T12:00:00Z", flag, text)
}

func newExportKey(cmd *cli.Command) error {
	path := cmd.String("new-key")
	if err := noArguments(cmd); err != nil {
		return err
	}
	public := path + ".pub"
	for _, p := range []string{path, public} {
		if _, err := os.Lstat(p); err == nil {
			return fmt.Errorf("%s exists: choose another name", p)
		}
	}
	secret, open, err := export.NewKey()
	if err != nil {
		return err
	}
	if err := disk.WriteFile(path, secret, 0o600); err != nil {
		return err
	}
	if err := disk.WriteFile(public, open, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(cmd.Root().Writer, "%s has the key: keep it secret. Give %s to everybody.\n", terminal.Clean(path), terminal.Clean(public))
	return nil
}

func verifyExportCommand() *cli.Command {
	return &cli.Command{
		Name:        "verify-export",
		Usage:       "check an export of records",
		ArgsUsage:   "DIR [--public FILE]",
		Description: "It checks hashes, the signature, and each line. host verify also runs the referee of a match again.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "public", Usage: "the export must be signed with the key whose public key is in `FILE`", DefaultText: "with any key, or not"},
		},
		Action: verifyExport,
	}
}

func verifyExport(ctx context.Context, cmd *cli.Command) error {
	folder, err := argument(cmd)
	if err != nil {
		return err
	}
	var public ed25519.PublicKey
	if cmd.IsSet("public") {
		if public, err = export.ReadPublicKey(cmd.String("public")); err != nil {
			return fmt.Errorf("read the public key: %w", err)
		}
	}
	report, clear := exportProgress("matches checked")
	m, err := export.Verify(ctx, folder, public, report)
	clear()
	if err != nil {
		return fmt.Errorf("%s is not verified: %w", folder, err)
	}
	signed := signedWith(m)
	if signed != "" && public == nil {
		signed += ". Whose key that is was not checked: name it with --public"
	}
	fmt.Fprintf(cmd.Root().Writer, "%s is verified: %s%s\n", terminal.Clean(folder), describeExport(m), signed)
	return nil
}

// describeExport returns what an export has, like "12 matches of 2 games (3.4 MiB)".
func describeExport(m *export.Manifest) string {
	var bytes int64
	for _, f := range m.Files {
		bytes += f.Bytes
	}
	plural := func(n int64, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprint(n, " ", many)
	}
	return fmt.Sprintf("%s of %s (%.1f MiB)", plural(m.Matches, "match", "matches"), plural(int64(len(m.Games)), "game", "games"), float64(bytes)/(1<<20))
}

// signedWith describes the key of an export; "": it has none.
func signedWith(m *export.Manifest) string {
	if m.Key == nil {
		return ""
	}
	return ", signed with the key " + export.Fingerprint(m.Key)
}

// exportProgress returns a function that shows a number of matches on a terminal, and one
// that clears that.
func exportProgress(what string) (report func(matches int64), clear func()) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return nil, func() {}
	}
	report = func(matches int64) {
		if matches%1000 == 0 {
			fmt.Fprintf(os.Stderr, "\r%-40s", fmt.Sprint(matches, " ", what))
		}
	}
	return report, func() { fmt.Fprintf(os.Stderr, "\r%s\r", strings.Repeat(" ", 40)) }
}
