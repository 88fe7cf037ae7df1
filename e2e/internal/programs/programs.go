// Package programs runs the real programs for the tests of e2e: it builds the
// host, coco and a game, starts hosts, and has clients that speak the protocol
// by hand.
//
// Nothing here gives up after some time: a slow machine is no fault. What waits
// for an event waits for it alone, and when a test hangs, go test's own timeout
// ends it. Shortly before, the hosts that still run write down what they do, and
// end, so that whoever waits for them fails and says for what.
package programs

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// Bin is a folder with the programs host and coco, and Plugins one with the
// game roshambo, built. Main sets both.
var Bin, Plugins string

// Root is the source of the project, as tests in a folder of e2e see it.
const Root = "../.."

// deadline is shortly before go test ends the tests; zero: it never does.
var deadline time.Time

// Main is the TestMain of a package: it builds the programs and runs the tests.
// The test binary is also the programs that commands names, for scripts.
func Main(m *testing.M, commands map[string]func()) {
	testscript.Main(building{m}, commands)
}

// Long reports whether tests go to their full depth, as in .ci/run, instead of
// one that suits a quick look on any machine.
func Long() bool { return os.Getenv("COLOSSEUM_LONG") != "" }

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
	flag.Parse()
	if limit, ok := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration); ok && limit > 0 {
		deadline = time.Now().Add(limit - min(limit/10, 20*time.Second))
	}
	dir, err := os.MkdirTemp("", "e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	Bin, Plugins = filepath.Join(dir, "bin"), filepath.Join(dir, "plugins")
	game := filepath.Join(Plugins, "roshambo")
	for _, folder := range []string{Bin, game} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return 0, err
		}
	}
	if Race {
		// Such a program waits a second at its end; there are hundreds.
		if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
			return 0, err
		}
	}
	for _, name := range []string{"host", "coco"} {
		if err := Build("colosseum/"+name, filepath.Join(Bin, name), Race); err != nil {
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

// Build builds a program into a file, with the race detector or without. It copies it from the compiler's cache, which keeps
// what go run has built: so it is linked once for all test packages.
func Build(pkg, path string, race bool) error {
	args := []string{"run", "-exec", "echo"}
	if race {
		args = append(args, "-race")
	}
	for range 3 { // what was just linked is elsewhere, and gone when go run ends
		var stderr bytes.Buffer
		cmd := exec.Command("go", append(args, pkg)...)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("build %s: %w\n%s", pkg, err, stderr.Bytes())
		}
		program, err := os.ReadFile(strings.TrimSpace(string(out)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		return os.WriteFile(path, program, 0o755)
	}
	return fmt.Errorf("build %s: the compiler's cache does not keep it", pkg)
}

// Run runs a command, and returns what it wrote with the error.
func Run(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// Tool is a command of host in a test that is no script. Games that it builds
// go into a folder of the test; the compiler keeps its own cache.
func Tool(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	// A host removes, and says so, what hosts that were killed have left in the
	// temporary folder: those of other tests would be in what it prints.
	temporary, err := os.MkdirTemp("", "e2e-") // a short path, for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	cmd := exec.Command(filepath.Join(Bin, "host"), args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary, "XDG_CACHE_HOME="+dir, "GOCACHE="+strings.TrimSpace(string(cache)))
	return cmd
}
