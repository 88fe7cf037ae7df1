// Package doctor checks, before a host is started, whether it can run well on
// this machine.
package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/sandbox"
)

// State is the result of a check.
type State string

// A host starts despite warnings, but not despite failures.
const (
	OK   State = "ok"
	Warn State = "warn"
	Fail State = "fail"
)

// Finding is what one check found.
type Finding struct {
	State  State
	What   string // the thing that was checked
	Text   string // what was found
	Remedy string // what to do; empty if State is OK
}

func ok(what, format string, args ...any) Finding {
	return Finding{OK, what, fmt.Sprintf(format, args...), ""}
}

func warn(what, text, remedy string) Finding { return Finding{Warn, what, text, remedy} }

func fail(what string, err error, remedy string) Finding {
	return Finding{Fail, what, err.Error(), remedy}
}

// Unreadable returns the findings for a configuration that can't be loaded.
func Unreadable(err error) []Finding {
	return []Finding{fail("configuration", err, "correct the file; configs/colosseum.yaml explains every setting")}
}

// Examine does all checks, and leaves no files behind. Path is the file of the
// configuration, or empty. Try must return an error if the host can't listen at an
// address.
func Examine(ctx context.Context, c *config.Config, path string, try func(address string) error) []Finding {
	var all []Finding
	all = append(all, secrets(c, path)...)
	all = append(all, webhooks(c)...)
	all = append(all, certificates(c)...)
	all = append(all, ports(c, try)...)
	all = append(all, folders(c)...)
	if config.InPostgres(c.Store) {
		all = append(all, postgres(ctx, c.Store)...)
	}
	all = append(all, shared(ctx, c.Cluster)...)
	all = append(all, toolchain(ctx, c))
	all = append(all, memory(c), descriptors(c))
	all = append(all, isolation(sandbox.Level(c.Plugins.Isolation), sandbox.Supported())...)
	all = append(all, submissions(ctx, c, sandbox.Supported())...)
	return all
}

// Print writes the findings and returns the number of failures.
func Print(w io.Writer, findings []Finding) (failures int) {
	for _, f := range findings {
		fmt.Fprintf(w, "%-5s %s: %s\n", f.State, f.What, strings.ReplaceAll(f.Text, "\n", "\n      "))
		if f.Remedy != "" {
			fmt.Fprintf(w, "      -> %s\n", f.Remedy)
		}
		if f.State == Fail {
			failures++
		}
	}
	return failures
}
