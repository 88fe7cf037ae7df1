// Package e2e holds the tests that run the real programs: host, games, coco
// and players, connected by real sockets.
package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// bin holds the programs under test, and plugins a folder with built games.
var bin, plugins string

// patience bounds every wait for something that must happen.
const patience = 3 * time.Minute

// TestMain makes the test binary also the programs that play in the scripts.
func TestMain(m *testing.M) {
	testscript.Main(building{m}, map[string]func(){"player": player, "relay": relay})
}

// building builds the programs before it runs the tests.
type building struct{ m *testing.M }

func (b building) Run() int {
	code, err := buildAndRun(b.m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	bin, plugins = filepath.Join(dir, "bin"), filepath.Join(dir, "plugins")
	args := []string{"build", "-o", bin + "/"}
	if raceEnabled {
		args = append(args, "-race")
		// Such a program waits a second at its end; there are hundreds.
		if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
			return 0, err
		}
	}
	if err := run("go", append(args, "../host", "../coco")...); err != nil {
		return 0, err
	}
	for _, game := range []string{"roshambo"} {
		source := filepath.Join("..", "plugins", game)
		if err := run("go", "build", "-o", filepath.Join(plugins, game)+"/", "./"+source); err != nil {
			return 0, err
		}
		rules, err := os.ReadFile(filepath.Join(source, "rules.md"))
		if err != nil {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(plugins, game, "rules.md"), rules, 0o644); err != nil {
			return 0, err
		}
	}
	return m.Run(), nil
}

func run(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// host is a running host.
type host struct {
	url    string
	data   string
	config string // its file
	cmd    *exec.Cmd
	done   chan struct{} // closed when it has ended and its log is complete

	mu       sync.Mutex // guards the fields below
	changed  *sync.Cond
	log      []string
	children map[string]int // by game, the process started last
	ended    bool
}

// startHost starts a host on the built games and waits until they are ready. Its
// data folder is kept for a second start with the same one. It is killed at
// the end of the test, when no child may be left.
func startHost(t testing.TB, data string, args ...string) *host {
	t.Helper()
	return startHostWith(t, data, "plugins: {folders: ["+plugins+"]}\nlobby: {matches: 6000}\n", args...)
}

// startHostWith is startHost with another configuration.
func startHostWith(t testing.TB, data, config string, args ...string) *host {
	t.Helper()
	return startHostIn(t, nil, data, config, args...)
}

// startHostIn is startHostWith behind the words of another command, which must
// become the host.
func startHostIn(t testing.TB, command []string, data, config string, args ...string) *host {
	t.Helper()
	h := launchHost(t, command, data, config, args...)
	h.await(t, "games are ready")
	return h
}

// launchHost is startHostIn for tests that do not wait for the games: it waits
// until the host listens.
func launchHost(t testing.TB, command []string, data, config string, args ...string) *host {
	t.Helper()
	h := &host{data: data, done: make(chan struct{}), children: map[string]int{}}
	h.changed = sync.NewCond(&h.mu)
	h.config = filepath.Join(t.TempDir(), "host.yaml")
	if err := os.WriteFile(h.config, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	words := append(slices.Clone(command), filepath.Join(bin, "host"), "--config", h.config, "--listen", "127.0.0.1:0", "--data", data)
	h.cmd = exec.Command(words[0], append(words[1:], args...)...)
	stderr, err := h.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go h.follow(stderr) // ends with the host
	t.Cleanup(func() { h.stop(t, syscall.SIGKILL) })
	h.url = address.FindStringSubmatch(h.await(t, "msg=listening"))[1]
	return h
}

var (
	address = regexp.MustCompile(`address=(\S+)`)
	ready   = regexp.MustCompile(`msg="game ready" game=(\S+) .*pid=(\d+)`)
)

func (h *host) follow(stderr interface{ Read([]byte) (int, error) }) {
	defer close(h.done)
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		h.mu.Lock()
		h.log = append(h.log, lines.Text())
		if m := ready.FindStringSubmatch(lines.Text()); m != nil {
			h.children[m[1]], _ = strconv.Atoi(m[2]) // digits
		}
		h.changed.Broadcast()
		h.mu.Unlock()
	}
	_ = h.cmd.Wait()
	h.mu.Lock()
	h.ended = true
	h.changed.Broadcast()
	h.mu.Unlock()
}

// await waits for a line of the log that holds a text, and returns it.
func (h *host) await(t testing.TB, text string) string {
	t.Helper()
	return h.awaitAfter(t, 0, text)
}

// mark returns the number of lines of the log so far, for awaitAfter.
func (h *host) mark() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.log)
}

// awaitAfter is await for the lines from the given one on.
func (h *host) awaitAfter(t testing.TB, mark int, text string) string {
	t.Helper()
	timer := time.AfterFunc(patience, func() { _ = h.cmd.Process.Signal(syscall.SIGQUIT) }) // it tells what it is doing
	defer timer.Stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for seen := mark; ; h.changed.Wait() {
		for ; seen < len(h.log); seen++ {
			if strings.Contains(h.log[seen], text) {
				return h.log[seen]
			}
		}
		if h.ended {
			t.Fatalf("the host ended before it logged %q:\n%s", text, strings.Join(h.log, "\n"))
		}
	}
}

// child returns the process of a game.
func (h *host) child(game string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.children[game]
}

// stop ends the host with a signal, and checks that no child outlives it for long.
func (h *host) stop(t testing.TB, sig os.Signal) {
	t.Helper()
	if err := h.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal the host: %v", err)
	}
	select {
	case <-h.done:
	case <-time.After(patience):
		_ = h.cmd.Process.Signal(syscall.SIGQUIT) // it tells what it is doing
		<-h.done
		t.Errorf("the host did not end on %v:\n%s", sig, strings.Join(h.log, "\n"))
		return
	}
	limit := time.Now().Add(15 * time.Second) // at once, but machines stall
	for _, child := range h.children {
		for alive(child) {
			if time.Now().After(limit) {
				t.Errorf("the game's process %d is left", child)
				_ = syscall.Kill(child, syscall.SIGKILL)
				break
			}
			time.Sleep(time.Millisecond) // a process that is not ours can only be polled
		}
	}
	for _, line := range h.log {
		if strings.Contains(line, "DATA RACE") {
			t.Errorf("data race in the host:\n%s", strings.Join(h.log, "\n"))
			break
		}
	}
}

// alive tells whether a process exists and is no zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
