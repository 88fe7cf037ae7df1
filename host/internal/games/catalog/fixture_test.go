//go:build unix

// These tests stop and kill processes with signals, which Windows does not have.

package catalog

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/internal/test/filetree"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
)

// The test binary is also the program that runs a script: it fails.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "script" {
		fmt.Fprintln(os.Stderr, "this script has an error")
		os.Exit(1)
	}
	waits.Together()
	os.Exit(m.Run())
}

// failing is a program that is not a game.
const failing = "#!/bin/sh\necho no luck >&2\nexit 1\n"

var buildRoshambo = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "catalog-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "roshambo")
	if out, err := exec.Command("go", "build", "-o", program, "../../../../plugins/roshambo").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	b, err := os.ReadFile(program)
	return string(b), err
})

// roshambo returns the program of a real game.
func roshambo(t *testing.T) string {
	t.Helper()
	program, err := buildRoshambo()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// roshamboFolder returns a folder with roshambo, its description and other files.
func roshamboFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	all := map[string]string{"roshambo/roshambo*": roshambo(t), "roshambo/rules.md": "# roshambo\n"}
	maps.Copy(all, files)
	return filetree.New(t, all)
}

// configOf returns the default configuration for a folder of games. Its StartTimeout
// is long enough for any slow machine.
func configOf(folder string) *config.Config {
	c := config.Default()
	c.Plugins.Folders = []string{folder}
	c.Plugins.StartTimeout = time.Hour
	return c
}

// newLoaded opens a catalog and waits until its games are loaded.
func newLoaded(t *testing.T, cfg *config.Config) *Catalog {
	t.Helper()
	c, err := Open(cfg, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.Load(context.Background())
	return c
}

// newRoshambo opens a catalog with the game roshambo and games named on top of
// it. After the test it checks that no process and no goroutine is left.
func newRoshambo(t *testing.T, games map[string]config.Game) *Catalog {
	t.Helper()
	cfg := configOf(roshamboFolder(t, nil))
	cfg.Games = games
	before := runtime.NumGoroutine()
	c := newLoaded(t, cfg)
	t.Cleanup(func() {
		var pid int
		if o, err := c.Find("roshambo"); err == nil {
			pid = pidOf(o)
		}
		c.Close()
		if pid != 0 && !isGone(pid) {
			t.Errorf("the process %d is left, want none", pid)
		}
		poll.Until(t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= before })
	})
	return c
}

// offer returns the offer of roshambo.
func (c *Catalog) offer(t *testing.T) *Offer {
	t.Helper()
	o, err := c.Find("roshambo")
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func pidOf(o *Offer) int { return o.Engine.(*process).Pid() }

func isGone(pid int) bool { return syscall.Kill(pid, 0) != nil }

// freeze stops a process, and returns when it is stopped.
func freeze(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "its threads are stopped", func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		return err == nil && len(threads) > 0 && !slices.ContainsFunc(threads, func(path string) bool {
			stat, err := os.ReadFile(path)
			return err != nil || !strings.Contains(string(stat), ") T ")
		})
	})
}

// refusal returns the error of Find; empty: the game can be played.
func (c *Catalog) refusal(game string) string {
	if _, err := c.Find(game); err != nil {
		return err.Error()
	}
	return ""
}

// problemOf returns the problem of a game; empty: it has none.
func (c *Catalog) problemOf(game string) string {
	for _, p := range c.Problems() {
		if p.Game == game {
			return p.Err.Error()
		}
	}
	return ""
}

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu   sync.Mutex // guards the field below
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
