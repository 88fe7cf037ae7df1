package programs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"colosseum/internal/test/poll"
)

// Host is a running host.
type Host struct {
	URL    string
	Data   string
	Config string // path of the configuration
	Cmd    *exec.Cmd
	output

	children map[string]int // newest process ID by game; guarded by mu
}

// StartHost starts a host with the built game, and waits until it is ready. Another
// host can use the data folder later. The host is killed at the end of the test,
// which waits until the host's children have ended.
func StartHost(t testing.TB, data string, args ...string) *Host {
	t.Helper()
	return StartHostWith(t, data, "plugins: {folders: ["+Plugins+"]}\nlobby: {matches: 6000}\n", args...)
}

// StartHostWith is StartHost with another configuration.
func StartHostWith(t testing.TB, data, config string, args ...string) *Host {
	t.Helper()
	return StartHostIn(t, nil, data, config, args...)
}

// StartHostIn is StartHostWith with the words of a command before those of the host.
// The command must replace its own process with the host.
func StartHostIn(t testing.TB, command []string, data, config string, args ...string) *Host {
	t.Helper()
	h := LaunchHost(t, command, data, config, args...)
	h.Await(t, "games are ready")
	return h
}

// LaunchHost is StartHostIn without waiting for the games: it returns when the host
// listens.
func LaunchHost(t testing.TB, command []string, data, config string, args ...string) *Host {
	t.Helper()
	DependOnSources(t)
	h := &Host{Data: data, output: newOutput(), children: map[string]int{}}
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
	go h.follow(stderr, func(line string) { // ends with the host
		if m := Ready.FindStringSubmatch(line); m != nil {
			h.children[m[1]], _ = strconv.Atoi(m[2]) // digits
		}
	}, h.Cmd.Wait)
	t.Cleanup(func() {
		if !t.Failed() {
			h.Stop(t, syscall.SIGKILL)
			return
		}
		mark := h.Mark()
		h.Stop(t, syscall.SIGQUIT) // a host that runs prints its goroutines
		t.Logf("the end of the host's log:\n%s", strings.Join(append(Telling(h.Log[:mark], 30), h.Log[mark:min(mark+200, len(h.Log))]...), "\n"))
	})
	h.URL = address.FindStringSubmatch(h.Await(t, "msg=listening"))[1]
	return h
}

var (
	address = regexp.MustCompile(`address=(\S+)`)
	// Ready matches the line of the log for a game that can be played, with its
	// name and process ID.
	Ready = regexp.MustCompile(`msg="game ready" game=(\S+) .*pid=(\d+)`)
)

// Await waits for a line of the log that contains a text, and returns the line.
func (h *Host) Await(t testing.TB, text string) string {
	t.Helper()
	return h.AwaitAfter(t, 0, text)
}

// Mark returns the current length of the log, for AwaitAfter.
func (h *Host) Mark() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.Log)
}

// AwaitAfter is Await for the lines from mark on.
func (h *Host) AwaitAfter(t testing.TB, mark int, text string) string {
	t.Helper()
	return h.AwaitMatch(t, mark, regexp.MustCompile(regexp.QuoteMeta(text)))
}

// AwaitMatch waits for a line of the log, from mark on, that matches a pattern, and
// returns the line.
func (h *Host) AwaitMatch(t testing.TB, mark int, pattern *regexp.Regexp) string {
	t.Helper()
	return h.await(t, mark, 1, pattern)
}

// Child returns the process ID of a game.
func (h *Host) Child(game string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.children[game]
}

// Stop ends the host with a signal, and waits until its children have ended.
func (h *Host) Stop(t testing.TB, sig os.Signal) {
	t.Helper()
	if err := h.Cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal the host: %v", err)
	}
	h.awaitEnd(t)
	for _, child := range h.children {
		AwaitExit(t, child)
	}
	for _, line := range h.Log {
		if strings.Contains(line, "DATA RACE") {
			t.Errorf("got a data race in the host, want none:\n%s", strings.Join(h.Log, "\n"))
			break
		}
	}
}

// AwaitExit waits until a process has ended. It need not be a child of the test.
func AwaitExit(t testing.TB, pid int) {
	t.Helper()
	if Alive(pid) {
		poll.Until(t, fmt.Sprintf("process %d has ended", pid), func() bool { return !Alive(pid) })
	}
}

// Alive reports whether a process exists and is not a zombie.
func Alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
