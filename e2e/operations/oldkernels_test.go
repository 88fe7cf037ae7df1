//go:build linux

package operations

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/oldkernel"
	"colosseum/internal/test/poll"
)

func init() { commands["without"] = without }

// without executes a program without the system calls of its first argument.
func without() {
	err := oldkernel.Exec(syscall.ENOSYS, strings.Split(os.Args[1], ","), os.Args[2:]...)
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

const landlock = "landlock_create_ruleset,landlock_add_rule,landlock_restrict_self"

// kernels are those on which the tests run the host, also in containers: they lack system
// calls that confine games. The kernel of the machine can lack the same calls.
var kernels = []struct {
	name, calls string
	missing     []string // features
}{
	{"without Landlock", landlock, []string{"files"}},
	{"without seccomp filters", "seccomp", []string{"calls"}},
	{"without both", landlock + ",seccomp", []string{"files", "calls"}},
	{"without clone3 and close_range", "clone3,close_range", nil},
}

// deep skips a kernel that the short run leaves out.
func deep(t *testing.T, kernel string) {
	t.Helper()
	if kernel != "without both" {
		long.Only(t, "a kernel that lacks other calls than those that both protections need")
	}
}

var problems = map[string]string{
	"files": "games can read and change all files of the host's user",
	"calls": "games can use the network, start programs and send signals",
}

func TestHostStartsAndSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, kernel := range kernels {
		t.Run(kernel.name, func(t *testing.T) {
			deep(t, kernel.name)
			config := "plugins: {folders: [" + programs.Plugins + "]}\noperations: {listen: '127.0.0.1:0'}\n"
			h := programs.StartHostIn(t, []string{"without", kernel.calls}, t.TempDir(), config)
			c := h.AgainstBot(t, 3)
			if result, _, err := c.Roshambo(func(int) string { return "ROCK" }); err != nil || result.Aborted {
				t.Errorf("match: got %+v, %v, want it finished", result, err)
			}
			at := h.Operations(t)
			for feature := range problems {
				if got := programs.Metric(t, at, fmt.Sprintf("colosseum_isolation{feature=%q}", feature)); got != 0 && slices.Contains(kernel.missing, feature) {
					t.Errorf("colosseum_isolation of %s: got %v, want 0", feature, got)
				}
			}
			c.Close() // the host would wait for its answer
			h.Stop(t, syscall.SIGTERM)
			for _, feature := range kernel.missing {
				if got := strings.Count(strings.Join(h.Logged(), "\n"), problems[feature]); got != 1 {
					t.Errorf("got %d lines of the log with %q, want 1:\n%s", got, problems[feature], strings.Join(h.Logged(), "\n"))
				}
			}
		})
	}
}

func TestHostThatRequiresProtectionsDoesNotStartWithoutThem(t *testing.T) {
	t.Parallel()
	for _, kernel := range kernels {
		if kernel.missing == nil {
			continue
		}
		t.Run(kernel.name, func(t *testing.T) {
			deep(t, kernel.name)
			config := filepath.Join(t.TempDir(), "host.yaml")
			if err := os.WriteFile(config, []byte("plugins: {folders: ["+programs.Plugins+"], isolation: require}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			words := []string{kernel.calls, filepath.Join(programs.Bin, "host"), "--config", config, "--listen", "127.0.0.1:0", "--data", t.TempDir()}
			ctx, cancel := context.WithTimeout(t.Context(), poll.Limit) // if it starts
			defer cancel()
			out, err := exec.CommandContext(ctx, "without", words...).CombinedOutput()
			if want := "plugins.isolation is require, but " + problems[kernel.missing[0]]; err == nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), "use Linux ") {
				t.Errorf("got %v and %q, want an error with %q and what to do", err, out, want)
			}
			words = []string{kernel.calls, filepath.Join(programs.Bin, "host"), "doctor", "--config", config}
			out, _ = exec.Command("without", words...).CombinedOutput() // fails because of what is missing
			for _, feature := range kernel.missing {
				if !strings.Contains(string(out), problems[feature]) {
					t.Errorf("doctor: got %q, want a line with %q", out, problems[feature])
				}
			}
		})
	}
}
