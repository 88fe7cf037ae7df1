package programs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"colosseum/internal/filelock"
	"colosseum/internal/test/race"
)

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

func (b *builds) unlock() { _ = filelock.Release(b.file) }

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

// goCache returns the folder of the Go build cache.
var goCache = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	return strings.TrimSpace(string(out)), err
})
