// Package reload tests that games change while a host runs.
package reload

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

func games(t *testing.T, h *programs.Host) []string {
	t.Helper()
	c, err := programs.Dial(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var list protocol.GameListReply
	if err := c.Send(protocol.NameGameList, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Expect(protocol.NameGameList, &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range list.Games {
		names = append(names, g.Name)
	}
	return names
}

func TestMain(m *testing.M) { programs.Main(m, nil) }

func TestGamesChangeWhileMatchesRun(t *testing.T) {
	for _, mode := range []string{"compiled", "script"} {
		t.Run(mode, func(t *testing.T) {
			s := programs.NewShelf(t)
			s.Echo("echo", "first")
			h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], mode: %s, watch: true}\ndrain: 0s\n", s.Dir, mode))
			old, line := h.Begin(t, "echo")
			if line != "first" {
				t.Fatalf("got %q", line)
			}

			// A new version: new matches use it, the old one ends on its own.
			mark := h.Mark()
			s.Echo("echo", "second")
			h.AwaitAfter(t, mark, "game ready")
			next, line := h.Begin(t, "echo")
			if line != "second" {
				t.Errorf("after the change the game says %q", line)
			}
			if got := old.Finish(t); got != "first again\n" {
				t.Errorf("the old match ended with %q", got)
			}
			if got := next.Finish(t); got != "second again\n" {
				t.Errorf("the new match ended with %q", got)
			}

			// A broken one changes nothing, and the author reads where it is.
			mark = h.Mark()
			s.Write("echo", strings.Replace(programs.Echo, "m.TellAll(\"TEXT again\")", "m.TellEverybody()", 1))
			problem := h.AwaitAfter(t, mark, "could not load game")
			if !regexp.MustCompile(`error="\S*game\.go:20:\d+: m\.TellEverybody undefined`).MatchString(problem) {
				t.Errorf("the problem does not begin with where it is: %s", problem)
			}
			mark = h.Mark()
			s.Echo("echo", "second")
			h.AwaitAfter(t, mark, "in order again")
			mark = h.Mark()
			s.Write("echo", strings.Replace(programs.Echo, "m.TellAll(\"TEXT again\")", "m.TellEverybody()", 1))
			h.AwaitAfter(t, mark, "could not load game")
			if _, line := h.Begin(t, "echo"); line != "second" {
				t.Errorf("after the broken change the game says %q", line)
			}
			mark = h.Mark()
			s.Echo("echo", "third")
			h.AwaitAfter(t, mark, "game ready")
			if _, line := h.Begin(t, "echo"); line != "third" {
				t.Errorf("after the mending the game says %q", line)
			}

			// Folders come and go.
			mark = h.Mark()
			s.Echo("other", "hello")
			h.AwaitAfter(t, mark, "game ready")
			if got := fmt.Sprint(games(t, h)); got != "[echo other]" {
				t.Errorf("with a new folder there are %s", got)
			}
			mark = h.Mark()
			if err := os.RemoveAll(filepath.Join(s.Dir, "other")); err != nil {
				t.Fatal(err)
			}
			h.AwaitAfter(t, mark, "not offered any more")
			if got := fmt.Sprint(games(t, h)); got != "[echo]" {
				t.Errorf("without the folder there are %s", got)
			}
			h.Stop(t, syscall.SIGTERM)
		})
	}
}

// TestReloadsLeaveNothingBehind reloads a script many times while matches run.
func TestReloadsLeaveNothingBehind(t *testing.T) {
	reloads := 60
	if programs.Long() && !programs.Race {
		reloads = 200
	}
	s := programs.NewShelf(t)
	s.Echo("echo", "text 0")
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], mode: script, watch: true}\n", s.Dir))
	var open, memory [2]int
	for i := 1; i <= reloads; i++ {
		mark := h.Mark()
		s.Echo("echo", fmt.Sprint("text ", i))
		h.AwaitAfter(t, mark, "game ready")
		c, line := h.Begin(t, "echo")
		if line != fmt.Sprint("text ", i) {
			t.Fatalf("after reload %d the game says %q", i, line)
		}
		c.Finish(t)
		c.Close()
		if i == 20 {
			open[0], memory[0] = files(t, h), programs.ResidentOf(t, h.Cmd.Process.Pid)
		}
	}
	// Old versions end a moment after their last match.
	for len(descendants(t, h)) > 1 {
		time.Sleep(10 * time.Millisecond) // processes that are not ours can only be polled
	}
	open[1], memory[1] = files(t, h), programs.ResidentOf(t, h.Cmd.Process.Pid)
	t.Logf("open files: %d after 20 reloads, %d after %d; resident: %d and %d KiB", open[0], open[1], reloads, memory[0], memory[1])
	if open[1] > open[0]+5 {
		t.Errorf("open files grew from %d to %d", open[0], open[1])
	}
	if memory[1] > memory[0]*2 {
		t.Errorf("memory grew from %d to %d KiB", memory[0], memory[1])
	}
}

// BenchmarkReload measures how long it takes from a save to the first line of
// the first match on the new version, while somebody begins matches all the time.
func BenchmarkReload(b *testing.B) {
	for _, mode := range []string{"script", "compiled"} {
		b.Run(mode, func(b *testing.B) {
			s := programs.NewShelf(b)
			s.Echo("echo", "text 0")
			h := programs.StartHostWith(b, b.TempDir(), fmt.Sprintf("plugins: {folders: [%s], mode: %s, watch: true}\n", s.Dir, mode))
			var times []time.Duration
			for b.Loop() {
				want := fmt.Sprint("text ", len(times)+1)
				begin := time.Now()
				s.Echo("echo", want)
				for line := ""; line != want; {
					var c *programs.Client
					if c, line = h.Begin(b, "echo"); line == want {
						times = append(times, time.Since(begin))
					}
					c.Finish(b)
					c.Close()
				}
			}
			slices.Sort(times)
			b.ReportMetric(times[0].Seconds()*1000, "min-ms")
			b.ReportMetric(times[len(times)/2].Seconds()*1000, "p50-ms")
			b.ReportMetric(times[len(times)-1].Seconds()*1000, "max-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// files counts the host's open files.
func files(t *testing.T, h *programs.Host) int {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", h.Cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// descendants lists the host's children.
func descendants(t *testing.T, h *programs.Host) []string {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", h.Cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, task := range tasks {
		b, err := os.ReadFile(task)
		if err == nil {
			all = append(all, strings.Fields(string(bytes.TrimSpace(b)))...)
		}
	}
	return all
}
