// Package programs runs the real programs for the tests of e2e: it builds host,
// coco and a game, starts hosts, and provides clients.
//
// Each wait ends after [poll.Limit] with what it waited for, and with the end of the log.
// A host that still runs then prints its goroutines.
package programs

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"colosseum/internal/test/poll"
	"colosseum/internal/test/race"
)

// Bin is the folder of the programs host and coco. Plugins is the games folder, with
// roshambo. Main sets both.
var Bin, Plugins string

// Root is the root of the repository, relative to a folder of e2e.
const Root = "../.."

// root is Root as an absolute path. It is computed before a script changes the folder.
var root, errRoot = filepath.Abs(Root)

// Main is the TestMain of a package: it builds the programs and runs the tests. In
// scripts, the names of commands run the test binary with that main function.
func Main(m *testing.M, commands map[string]func()) {
	testscript.Main(building{m}, commands)
}

// building builds the programs before it runs the tests.
type building struct{ m *testing.M }

func (b building) Run() int {
	code, err := b.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

func (b building) run() (int, error) {
	dir, err := os.MkdirTemp("", "e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	Bin, Plugins = filepath.Join(dir, "bin"), filepath.Join(dir, "plugins")
	game := filepath.Join(Plugins, "roshambo")
	if race.On {
		// By default, a program built with -race waits for a second before it
		// exits; the tests run hundreds.
		if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
			return 0, err
		}
	}
	for _, name := range []string{"host", "coco"} {
		if err := Build("colosseum/"+name, filepath.Join(Bin, name), race.On); err != nil {
			return 0, err
		}
	}
	if err := Build("colosseum/plugins/roshambo", filepath.Join(game, "roshambo"), false); err != nil {
		return 0, err
	}
	rules, err := os.ReadFile(Root + "/plugins/roshambo/rules.md")
	if err == nil {
		err = os.WriteFile(filepath.Join(game, "rules.md"), rules, 0o644)
	}
	if err != nil {
		return 0, err
	}
	return b.m.Run(), nil
}

// DependOnSources opens all folders of the module. The go command counts what a test opens
// among its inputs, but not what its programs are built from, and would otherwise take the
// result of a test from its cache although a program has changed. Only what is opened
// after TestMain counts, so all that starts programs calls it.
func DependOnSources(t testing.TB) {
	t.Helper()
	if err := openSources(); err != nil {
		t.Fatal(err)
	}
}

var openSources = sync.OnceValue(func() error {
	if errRoot != nil {
		return errRoot
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "e2e") {
			return filepath.SkipDir // tests write into some of these
		}
		return err
	})
})

// Run runs a command. The error contains its output.
func Run(name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), poll.Limit)
	defer cancel()
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// Tool returns a command that runs host with the given arguments. Games that it
// compiles are cached in dir; the Go build cache is the usual one.
func Tool(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	DependOnSources(t)
	cache, err := goCache()
	if err != nil {
		t.Fatal(err)
	}
	// A host removes temporary folders of hosts that were killed, and logs that:
	// those of other tests must not be in its output.
	temporary, err := os.MkdirTemp("", "e2e-") // a short path, for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	cmd := exec.Command(filepath.Join(Bin, "host"), args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary, "XDG_CACHE_HOME="+dir, "GOCACHE="+cache)
	return cmd
}
