package command

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/games/sandbox"
)

// limitFlags are the options that have no effect without --isolation.
var limitFlags = []string{"memory", "cpu", "read", "libraries", "processes"}

// isolationFlags returns the options of isolationOf.
func isolationFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "isolation", Value: string(sandbox.Off), Usage: "confine programs: `LEVEL` off, best-effort or require (all of it, or the command fails)"},
		&cli.Int64Flag{Name: "memory", Value: 512, Usage: "`MiB` of memory that a confined program can use"},
		&cli.DurationFlag{Name: "cpu", Value: 10 * time.Minute, Usage: "CPU time that a confined program can use in a match, as a `DURATION` like 90s; 0: any"},
		&cli.StringSliceFlag{Name: "read", Usage: "a file or folder, `PATH`, that all confined programs can read; can be repeated"},
		&cli.StringSliceFlag{Name: "libraries", Usage: "a folder, `DIR`, with an interpreter that is not installed in the system; can be repeated"},
		&cli.BoolFlag{Name: "processes", Usage: "confined programs can start others"},
	}
}

// isolationOf returns how the options confine programs.
func isolationOf(cmd *cli.Command, c *config.Config) (i program.Isolation, err error) {
	i.Level = sandbox.Level(cmd.String("isolation"))
	switch memory := cmd.Int64("memory"); {
	case !slices.Contains(sandbox.Levels, i.Level):
		return i, fmt.Errorf("--isolation must be off, best-effort or require, got %q", i.Level)
	case i.Level == sandbox.Off:
		if used := slices.IndexFunc(limitFlags, cmd.IsSet); used >= 0 {
			return i, fmt.Errorf("--%s needs --isolation best-effort or require: without it, programs have all your rights", limitFlags[used])
		}
		return i, nil
	case memory < 16 || memory > 1<<20:
		return i, fmt.Errorf("--memory must be from 16 to %d MiB, got %d", 1<<20, memory)
	case cmd.Duration("cpu") < 0:
		return i, errors.New("--cpu must be at least 0")
	}
	i.Memory, i.CPU, i.Processes = cmd.Int64("memory")<<20, cmd.Duration("cpu"), cmd.Bool("processes")
	i.Read, i.Libraries = cmd.StringSlice("read"), slices.Concat(c.Plugins.Libraries, cmd.StringSlice("libraries"))
	i.Private = private(cmd, c)
	warnMissing(i.Level)
	return i, nil
}

// private returns the files and folders of the host that no program can read.
func private(cmd *cli.Command, c *config.Config) (paths []string) {
	for _, path := range []string{c.Data, cmd.String("config"), c.VerificationPasswordFile, c.TLS.Key, c.Players.OIDC.ClientSecretFile} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// warnMissing prints what this system cannot restrict.
func warnMissing(level sandbox.Level) {
	if missing := sandbox.Supported().Missing(); level == sandbox.BestEffort && len(missing) > 0 {
		names := map[string]string{"files": "files", "calls": "system calls"}
		var features []string
		for _, m := range missing {
			features = append(features, names[m.Feature])
		}
		fmt.Fprintf(os.Stderr, "this system can't restrict the %s of programs (host doctor says what would help)\n", strings.Join(features, " and the "))
	}
}
