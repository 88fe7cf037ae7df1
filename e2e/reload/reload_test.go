// Package reload tests that a running host loads changed games.
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
	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
	"colosseum/protocol"
)

// games returns the names of the games that a host offers.
func games(t *testing.T, h *programs.Host) []string {
	t.Helper()
	c := h.Dial(t)
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

func TestMain(m *testing.M) {
	waits.Together()
	programs.Main(m, nil)
}

func TestGamesChangeWhileMatchesRun(t *testing.T) {
	t.Parallel()
	s := programs.NewFolder(t)
	s.Echo("echo", "first")
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], mode: script, watch: true}\ndrain: 0s\n", s.Dir))
	old, line := h.Begin(t, "echo")
	if line != "first" {
		t.Fatalf("got %q, want first", line)
	}

	// New matches get the new version; the old match keeps the old one.
	mark := h.Mark()
	s.Echo("echo", "second")
	h.AwaitAfter(t, mark, "game ready")
	next, line := h.Begin(t, "echo")
	if line != "second" {
		t.Errorf("after the change: got %q, want second", line)
	}
	if got := old.Finish(t); got != "first again\n" {
		t.Errorf("old match: got %q, want first again", got)
	}
	if got := next.Finish(t); got != "second again\n" {
		t.Errorf("new match: got %q, want second again", got)
	}

	// A broken version changes nothing; the log shows the place of the error.
	mark = h.Mark()
	s.Write("echo", "second", "", "m.TellEverybody()")
	wantPlace(t, h.AwaitAfter(t, mark, "could not load game"))
	mark = h.Mark()
	s.Echo("echo", "second")
	h.AwaitAfter(t, mark, "in order again")
	mark = h.Mark()
	s.Write("echo", "second", "", "m.TellEverybody()")
	h.AwaitAfter(t, mark, "could not load game")
	if _, line := h.Begin(t, "echo"); line != "second" {
		t.Errorf("after the broken change: got %q, want second", line)
	}
	mark = h.Mark()
	s.Echo("echo", "third")
	h.AwaitAfter(t, mark, "game ready")
	if _, line := h.Begin(t, "echo"); line != "third" {
		t.Errorf("after the repair: got %q, want third", line)
	}

	// Folders are added and removed.
	mark = h.Mark()
	s.Echo("other", "hello")
	h.AwaitAfter(t, mark, "game ready")
	if got := fmt.Sprint(games(t, h)); got != "[echo other]" {
		t.Errorf("with a new folder: got %s, want [echo other]", got)
	}
	mark = h.Mark()
	if err := os.RemoveAll(filepath.Join(s.Dir, "other")); err != nil {
		t.Fatal(err)
	}
	h.AwaitAfter(t, mark, "no longer offered")
	if got := fmt.Sprint(games(t, h)); got != "[echo]" {
		t.Errorf("without the folder: got %s, want [echo]", got)
	}
	h.Stop(t, syscall.SIGTERM)
}

// wantPlace checks that the error in a line of the log begins with its place in the game
// that calls m.TellEverybody.
func wantPlace(t *testing.T, line string) {
	t.Helper()
	if !regexp.MustCompile(`error="[^":]*game\.go:21:\d+: m\.TellEverybody undefined`).MatchString(line) {
		t.Errorf("got %s, want the error to begin with its place", line)
	}
}

func TestCompiledGameChangesWithThePackagesInItsFolder(t *testing.T) {
	t.Parallel()
	s := programs.NewFolder(t)
	board := filepath.Join(s.Dir, "echo", "board")
	write := func(text string) {
		t.Helper()
		programs.SaveFile(t, filepath.Join(board, "board.go"), fmt.Sprintf("package board\n\nconst Text = %q\n", text), 0o644)
	}
	if err := os.MkdirAll(board, 0o755); err != nil {
		t.Fatal(err)
	}
	describe := func(text string) {
		t.Helper()
		programs.SaveFile(t, filepath.Join(s.Dir, "echo", "parrot.md"), "# "+text+"\n", 0o644)
	}
	write("first")
	describe("first")
	imported := `"colosseum/e2e/reload/` + filepath.Base(s.Dir) + `/echo/board"`
	s.Write("echo", "go", imported, "m.TellAll(board.Text)")
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], mode: compiled, watch: true}\ngames: {parrot: {plugin: echo, rules: parrot.md}}\ndrain: 0s\n", s.Dir))
	old, _ := h.Begin(t, "echo")
	mark := h.Mark()
	s.Write("echo", "go", imported, "m.TellEverybody(board.Text)")
	wantPlace(t, h.AwaitAfter(t, mark, "could not load game"))
	write("second")
	mark = h.Mark()
	s.Write("echo", "go", imported, "m.TellAll(board.Text)")
	h.AwaitAfter(t, mark, "game ready")
	next, _ := h.Begin(t, "echo")
	if got := old.Finish(t); got != "first\ngo again\n" {
		t.Errorf("old match: got %q, want the text of the old package", got)
	}
	if got := next.Finish(t); got != "second\ngo again\n" {
		t.Errorf("new match: got %q, want the text of the new package", got)
	}

	// The host compiles the game after each change, and finds the same program.
	child := h.Child("echo")
	describe("other")
	poll.Until(t, "the other description is shown", func() bool {
		_, page := programs.Get(t, h.Page("/api/games/parrot"))
		return strings.Contains(page, "# other")
	})
	if got := h.Child("echo"); got != child {
		t.Errorf("after a change of the description the game's process is %d, want %d as before", got, child)
	}
	h.Stop(t, syscall.SIGTERM)
}

func TestViewersAndDescriptionsChangeWithoutANewProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(programs.Plugins)); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		programs.SaveFile(t, filepath.Join(dir, "roshambo", name), text, 0o644)
	}
	write("viewer.js", "// first\n")
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], watch: true}\ndrain: 0s\n", dir))
	child := h.Child("roshambo")
	for _, text := range []string{"second", "third"} {
		write("viewer.js", "// "+text+"\n")
		if _, got := programs.Get(t, h.Page("/games/roshambo/viewer.js")); got != "// "+text+"\n" {
			t.Errorf("the viewer is %q, want the %s", got, text)
		}
		write("rules.md", "# The "+text+" description\n")
		poll.Until(t, "the "+text+" description is shown", func() bool {
			_, page := programs.Get(t, h.Page("/api/games/roshambo"))
			return strings.Contains(page, "The "+text+" description")
		})
	}
	if got := h.Child("roshambo"); got != child {
		t.Errorf("the game's process is %d, want %d as before", got, child)
	}
	h.Stop(t, syscall.SIGTERM)
}

func TestReloadsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	const first, last = 5, 20 // reloads before each look
	s := programs.NewFolder(t)
	s.Echo("echo", "text 0")
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], mode: script, watch: true}\noperations: {listen: '127.0.0.1:0'}\n", s.Dir))
	metrics := h.Operations(t)
	// A normal user can't look into /proc/PID/fd of a host.
	files := func() int { return int(programs.Metric(t, metrics, "process_open_fds")) }
	var open, memory [2]int
	for i := 1; i <= last; i++ {
		mark := h.Mark()
		s.Echo("echo", fmt.Sprint("text ", i))
		h.AwaitAfter(t, mark, "game ready")
		c, line := h.Begin(t, "echo")
		if line != fmt.Sprint("text ", i) {
			t.Fatalf("reload %d: got %q, want text %d", i, line, i)
		}
		c.Finish(t)
		c.Close()
		if i == first {
			open[0], memory[0] = files(), programs.ResidentOf(t, h.Cmd.Process.Pid)
		}
	}
	poll.Until(t, "old versions have ended", func() bool { return len(children(t, h)) <= 1 })
	open[1], memory[1] = files(), programs.ResidentOf(t, h.Cmd.Process.Pid)
	t.Logf("open files: %d after %d reloads, %d after %d; resident: %d and %d KiB", open[0], first, open[1], last, memory[0], memory[1])
	if open[1] > open[0]+5 {
		t.Errorf("got %d open files, want %d or a few more", open[1], open[0])
	}
	if memory[1] > memory[0]*2 {
		t.Errorf("got %d KiB of memory, want at most twice %d", memory[1], memory[0])
	}
}

// BenchmarkReload measures the time from saving a file to the first line of the first
// match of the new version, while matches are started all the time.
func BenchmarkReload(b *testing.B) {
	for _, mode := range []string{"script", "compiled"} {
		b.Run(mode, func(b *testing.B) {
			s := programs.NewFolder(b)
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

// children returns the process IDs of the host's children.
func children(t *testing.T, h *programs.Host) []string {
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
