package e2e

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

	"colosseum/protocol"
)

// echo is a game of one player that says which text it was built with, before
// and after it has heard a line.
const echo = `//go:build go1.21

package main

import (
	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

func main() { plugin.Serve(game) }

var game = sdk.Game{
	Name: "NAME", Title: "Echo", Rules: "# echo",
	MinPlayers: 1, MaxPlayers: 1, Timeout: 60,
	Play: func(m *sdk.Match) error {
		m.TellAll("TEXT")
		if _, err := m.AskLine(0, nil); err != nil {
			return nil
		}
		m.TellAll("TEXT again")
		return nil
	},
}
`

// shelf is a folder of games in their source.
type shelf struct {
	dir string
	t   testing.TB
}

// newShelf makes a folder inside this module, so that its games can be built,
// with a name that the go command's patterns pass over.
func newShelf(t testing.TB) shelf {
	dir, err := os.MkdirTemp(".", "_games-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return shelf{abs, t}
}

// write saves the source of a game.
func (s shelf) write(name, source string) {
	s.t.Helper()
	dir := filepath.Join(s.dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "game.go"), []byte(source), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// echo saves the game echo under a name, with a text.
func (s shelf) echo(name, text string) {
	s.t.Helper()
	s.write(name, strings.NewReplacer("NAME", name, "TEXT", text).Replace(echo))
}

// begin joins a new match of a game and returns the connection and the first
// line.
func (h *host) begin(t testing.TB, game string) (*client, string) {
	t.Helper()
	c, err := dial(h.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	id, err := c.create(protocol.GameNew{Game: game})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.join(id, "alice"); err != nil {
		t.Fatal(err)
	}
	line, _, err := (&lines{c: c}).next()
	if err != nil {
		t.Fatal(err)
	}
	return c, line
}

// finish answers, and returns what the game says then.
func (c *client) finish(t testing.TB) string {
	t.Helper()
	if err := c.conn.WriteMessage(2, []byte("hello\n")); err != nil {
		t.Fatal(err)
	}
	stream, err := c.skip(protocol.NameMatchEnded, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(stream)
}

func (h *host) games(t *testing.T) []string {
	t.Helper()
	c, err := dial(h.url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	var list protocol.GameListReply
	if err := c.send(protocol.NameGameList, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.expect(protocol.NameGameList, &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range list.Games {
		names = append(names, g.Name)
	}
	return names
}

func TestGamesChangeWhileMatchesRun(t *testing.T) {
	for _, mode := range []string{"compiled", "script"} {
		t.Run(mode, func(t *testing.T) {
			s := newShelf(t)
			s.echo("echo", "first")
			h := startHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], mode: %s, watch: true}\ndrain: 0s\n", s.dir, mode))
			old, line := h.begin(t, "echo")
			if line != "first" {
				t.Fatalf("got %q", line)
			}

			// A new version: new matches use it, the old one ends on its own.
			mark := h.mark()
			s.echo("echo", "second")
			h.awaitAfter(t, mark, "game ready")
			next, line := h.begin(t, "echo")
			if line != "second" {
				t.Errorf("after the change the game says %q", line)
			}
			if got := old.finish(t); got != "first again\n" {
				t.Errorf("the old match ended with %q", got)
			}
			if got := next.finish(t); got != "second again\n" {
				t.Errorf("the new match ended with %q", got)
			}

			// A broken one changes nothing, and the author reads where it is.
			mark = h.mark()
			s.write("echo", strings.Replace(echo, "m.TellAll(\"TEXT again\")", "m.TellEverybody()", 1))
			problem := h.awaitAfter(t, mark, "there is a problem with the game")
			if !regexp.MustCompile(`error="\S*game\.go:20:\d+: m\.TellEverybody undefined`).MatchString(problem) {
				t.Errorf("the problem does not begin with where it is: %s", problem)
			}
			mark = h.mark()
			s.echo("echo", "second")
			h.awaitAfter(t, mark, "in order again")
			mark = h.mark()
			s.write("echo", strings.Replace(echo, "m.TellAll(\"TEXT again\")", "m.TellEverybody()", 1))
			h.awaitAfter(t, mark, "there is a problem with the game")
			if _, line := h.begin(t, "echo"); line != "second" {
				t.Errorf("after the broken change the game says %q", line)
			}
			mark = h.mark()
			s.echo("echo", "third")
			h.awaitAfter(t, mark, "game ready")
			if _, line := h.begin(t, "echo"); line != "third" {
				t.Errorf("after the mending the game says %q", line)
			}

			// Folders come and go.
			mark = h.mark()
			s.echo("other", "hello")
			h.awaitAfter(t, mark, "game ready")
			if got := fmt.Sprint(h.games(t)); got != "[echo other]" {
				t.Errorf("with a new folder there are %s", got)
			}
			mark = h.mark()
			if err := os.RemoveAll(filepath.Join(s.dir, "other")); err != nil {
				t.Fatal(err)
			}
			h.awaitAfter(t, mark, "not offered any more")
			if got := fmt.Sprint(h.games(t)); got != "[echo]" {
				t.Errorf("without the folder there are %s", got)
			}
			h.stop(t, syscall.SIGTERM)
		})
	}
}

// TestReloadsLeaveNothingBehind reloads a script many times while matches run.
func TestReloadsLeaveNothingBehind(t *testing.T) {
	reloads := 200
	if raceEnabled {
		reloads = 60 // each takes long
	}
	s := newShelf(t)
	s.echo("echo", "text 0")
	h := startHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], mode: script, watch: true}\n", s.dir))
	var files, memory [2]int
	for i := 1; i <= reloads; i++ {
		mark := h.mark()
		s.echo("echo", fmt.Sprint("text ", i))
		h.awaitAfter(t, mark, "game ready")
		c, line := h.begin(t, "echo")
		if line != fmt.Sprint("text ", i) {
			t.Fatalf("after reload %d the game says %q", i, line)
		}
		c.finish(t)
		c.close()
		if i == 20 {
			files[0], memory[0] = h.files(t), residentOf(t, h.cmd.Process.Pid)
		}
	}
	// Old versions end a moment after their last match.
	limit := time.Now().Add(patience)
	for len(h.descendants(t)) > 1 && time.Now().Before(limit) {
		time.Sleep(10 * time.Millisecond) // processes that are not ours can only be polled
	}
	if n := len(h.descendants(t)); n != 1 {
		t.Errorf("%d children are left", n)
	}
	files[1], memory[1] = h.files(t), residentOf(t, h.cmd.Process.Pid)
	t.Logf("open files: %d after 20 reloads, %d after %d; resident: %d and %d KiB", files[0], files[1], reloads, memory[0], memory[1])
	if files[1] > files[0]+5 {
		t.Errorf("open files grew from %d to %d", files[0], files[1])
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
			s := newShelf(b)
			s.echo("echo", "text 0")
			h := startHostWith(b, b.TempDir(), fmt.Sprintf("plugins: {folders: [%s], mode: %s, watch: true}\n", s.dir, mode))
			var times []time.Duration
			for b.Loop() {
				want := fmt.Sprint("text ", len(times)+1)
				begin := time.Now()
				s.echo("echo", want)
				for line := ""; line != want; {
					var c *client
					if c, line = h.begin(b, "echo"); line == want {
						times = append(times, time.Since(begin))
					}
					c.finish(b)
					c.close()
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
func (h *host) files(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", h.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// descendants lists the host's children.
func (h *host) descendants(t *testing.T) []string {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", h.cmd.Process.Pid))
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
