// Package programs runs the real programs for the tests of e2e: it builds host,
// coco and a game, starts hosts, and provides clients.
//
// Each wait ends after [poll.Limit] with what it waited for, and with the end of the log.
// A host that still runs then prints its goroutines.
package programs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"colosseum/internal/filelock"
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

// Build builds a program into a file, which nobody changes. The file is a link to that in the
// build cache, where go run stores what it has linked, or a copy on another file system.
// The packages that one go test runs have the same program.
func Build(pkg, path string, detect bool) error {
	known, err := lockBuilds()
	if err != nil {
		return err
	}
	defer known.unlock()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	args := []string{"run", "-exec", "echo"}
	if detect {
		args = append(args, "-race")
		args = append(args, race.Libraries...)
	}
	args = append(args, pkg)
	name := strings.Join(args, " ")
	if cached := known.Programs[name]; cached != "" {
		if err := link(cached, path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for range 3 { // go run removes a program that it has just linked; the next one is in the cache
		var stderr bytes.Buffer
		cmd := exec.Command("go", args...)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("build %s: %w\n%s", pkg, err, stderr.Bytes())
		}
		cached := strings.TrimSpace(string(out))
		err = link(cached, path)
		if err == nil {
			return known.add(name, cached)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return fmt.Errorf("build %s: it is not in the build cache", pkg)
}

// link makes path a link to a file, or a copy.
func link(file, path string) error {
	if os.Link(file, path) == nil {
		return nil
	}
	program, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(path, program, 0o755)
}

// builds are the programs that the test packages of one go test have built, in a file that is
// locked.
type builds struct {
	file *os.File

	Run      string            // the go test
	Programs map[string]string // the file in the build cache, by the arguments of go
}

// lockBuilds waits until no other process builds programs with the same cache. While the
// cache is empty, test packages that run at once would each compile what they all need.
func lockBuilds() (*builds, error) {
	cache, err := goCache()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cache, 0o777); err != nil { // as the go command does
		return nil, err
	}
	b := &builds{}
	b.file, err = os.OpenFile(filepath.Join(cache, "colosseum-e2e.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for err = filelock.Try(b.file); errors.Is(err, filelock.ErrLocked); err = filelock.Try(b.file) {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		b.unlock()
		return nil, err
	}
	run := goTest()
	if json.NewDecoder(b.file).Decode(b) != nil || b.Run != run || run == "" {
		b.Run, b.Programs = run, map[string]string{}
	}
	return b, nil
}

func (b *builds) add(name, file string) error {
	b.Programs[name] = file
	text, err := json.Marshal(b)
	if err == nil {
		err = b.file.Truncate(0)
	}
	if err == nil {
		_, err = b.file.WriteAt(text, 0)
	}
	return err
}

func (b *builds) unlock() { _ = b.file.Close() }

// goTest identifies the go command that runs the test binary, by its number and start time.
// It is empty if something else does, or on a system without /proc: sources may change between
// two test binaries that a shell runs.
func goTest() string {
	parent := os.Getppid()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", parent))
	_, fields, isGo := strings.Cut(string(stat), " (go) ")
	list := strings.Fields(fields) // from the third field of proc_pid_stat(5); the 22nd is the start time
	if err != nil || !isGo || len(list) < 20 {
		return ""
	}
	return fmt.Sprintf("%d since %s", parent, list[19])
}

// Run runs a command. The error contains its output.
func Run(name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), poll.Limit)
	defer cancel()
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// goCache returns the folder of the Go build cache.
var goCache = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	return strings.TrimSpace(string(out)), err
})

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
