package programs

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
)

// Host is a running host.
type Host struct {
	URL    string
	Data   string
	Config string // its file
	Cmd    *exec.Cmd
	Done   chan struct{} // closed when it has ended and its log is complete
	Log    []string      // complete when Done is closed; until then guarded by mu

	mu       sync.Mutex // guards the fields below
	changed  *sync.Cond
	children map[string]int // by game, the process started last
	ended    bool
}

// StartHost starts a host on the built games and waits until they are ready. Its
// data folder is kept for a second start with the same one. It is killed at
// the end of the test, when no child may be left.
func StartHost(t testing.TB, data string, args ...string) *Host {
	t.Helper()
	return StartHostWith(t, data, "plugins: {folders: ["+Plugins+"]}\nlobby: {matches: 6000}\n", args...)
}

// StartHostWith is StartHost with another configuration.
func StartHostWith(t testing.TB, data, config string, args ...string) *Host {
	t.Helper()
	return StartHostIn(t, nil, data, config, args...)
}

// StartHostIn is StartHostWith behind the words of another command, which must
// become the host.
func StartHostIn(t testing.TB, command []string, data, config string, args ...string) *Host {
	t.Helper()
	h := LaunchHost(t, command, data, config, args...)
	h.Await(t, "games are ready")
	return h
}

// LaunchHost is StartHostIn for tests that do not wait for the games: it waits
// until the host listens.
func LaunchHost(t testing.TB, command []string, data, config string, args ...string) *Host {
	t.Helper()
	h := &Host{Data: data, Done: make(chan struct{}), children: map[string]int{}}
	h.changed = sync.NewCond(&h.mu)
	h.Config = filepath.Join(t.TempDir(), "host.yaml")
	if err := os.WriteFile(h.Config, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	words := append(slices.Clone(command), filepath.Join(Bin, "host"), "--config", h.Config, "--listen", "127.0.0.1:0", "--data", data)
	h.Cmd = exec.Command(words[0], append(words[1:], args...)...)
	stderr, err := h.Cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go h.follow(stderr) // ends with the host
	if !deadline.IsZero() {
		late := time.AfterFunc(time.Until(deadline), func() { _ = h.Cmd.Process.Signal(syscall.SIGQUIT) }) // it writes down what it does
		t.Cleanup(func() { late.Stop() })
	}
	t.Cleanup(func() { h.Stop(t, syscall.SIGKILL) })
	h.URL = address.FindStringSubmatch(h.Await(t, "msg=listening"))[1]
	return h
}

var (
	address = regexp.MustCompile(`address=(\S+)`)
	// Ready is the line of the log that says that a game can be played: its
	// name and its process.
	Ready = regexp.MustCompile(`msg="game ready" game=(\S+) .*pid=(\d+)`)
)

func (h *Host) follow(stderr interface{ Read([]byte) (int, error) }) {
	defer close(h.Done)
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		h.mu.Lock()
		h.Log = append(h.Log, lines.Text())
		if m := Ready.FindStringSubmatch(lines.Text()); m != nil {
			h.children[m[1]], _ = strconv.Atoi(m[2]) // digits
		}
		h.changed.Broadcast()
		h.mu.Unlock()
	}
	_ = h.Cmd.Wait()
	h.mu.Lock()
	h.ended = true
	h.changed.Broadcast()
	h.mu.Unlock()
}

// Await waits for a line of the log that holds a text, and returns it.
func (h *Host) Await(t testing.TB, text string) string {
	t.Helper()
	return h.AwaitAfter(t, 0, text)
}

// Mark returns the number of lines of the log so far, for AwaitAfter.
func (h *Host) Mark() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.Log)
}

// AwaitAfter is Await for the lines from the given one on.
func (h *Host) AwaitAfter(t testing.TB, mark int, text string) string {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for seen := mark; ; h.changed.Wait() {
		for ; seen < len(h.Log); seen++ {
			if strings.Contains(h.Log[seen], text) {
				return h.Log[seen]
			}
		}
		if h.ended {
			t.Fatalf("the host ended before it logged %q:\n%s", text, strings.Join(h.Log, "\n"))
		}
	}
}

// Child returns the process of a game.
func (h *Host) Child(game string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.children[game]
}

// Stop ends the host with a signal, and checks that no child outlives it.
func (h *Host) Stop(t testing.TB, sig os.Signal) {
	t.Helper()
	if err := h.Cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal the host: %v", err)
	}
	<-h.Done
	for _, child := range h.children {
		for Alive(child) {
			time.Sleep(time.Millisecond) // a process that is not ours can only be polled
		}
	}
	for _, line := range h.Log {
		if strings.Contains(line, "DATA RACE") {
			t.Errorf("data race in the host:\n%s", strings.Join(h.Log, "\n"))
			break
		}
	}
}

// Alive reports whether a process exists and is no zombie.
func Alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
