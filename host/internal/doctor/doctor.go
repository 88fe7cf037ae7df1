// Package doctor finds what would keep a host from running well on a machine,
// before it is started.
package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"

	"colosseum/host/internal/config"
)

// State is how a check went.
type State string

// The states: a host starts with warnings, but not with failures.
const (
	OK   State = "ok"
	Warn State = "warn"
	Fail State = "fail"
)

// Finding is the outcome of one check.
type Finding struct {
	State  State
	What   string // was checked
	Text   string // what is the case
	Remedy string // what to do; empty when it is OK
}

func ok(what, format string, args ...any) Finding {
	return Finding{OK, what, fmt.Sprintf(format, args...), ""}
}

func warn(what, text, remedy string) Finding { return Finding{Warn, what, text, remedy} }

func fail(what string, err error, remedy string) Finding {
	return Finding{Fail, what, err.Error(), remedy}
}

// Unreadable is what is found when there is no configuration to examine.
func Unreadable(err error) []Finding {
	return []Finding{fail("configuration", err, "correct the file; configs/colosseum.yaml explains every setting")}
}

// Examine checks everything. Path is that of the configuration's file, or
// empty; try tells why the host could not listen at an address. Nothing is
// left behind.
func Examine(ctx context.Context, c *config.Config, path string, try func(address string) error) []Finding {
	var all []Finding
	all = append(all, secrets(c, path)...)
	all = append(all, certificates(c)...)
	all = append(all, ports(c, try)...)
	all = append(all, folders(c)...)
	all = append(all, toolchain(ctx, c))
	all = append(all, memory(c), descriptors(c))
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
