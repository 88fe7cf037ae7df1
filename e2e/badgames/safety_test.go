package badgames

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
)

// install writes the game in testdata/bad into a folder of games. Its mode is its name.
func install(t *testing.T, games programs.Folder, mode string) {
	t.Helper()
	dir := filepath.Join(games.Dir, mode)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"game.go", mode + ".go"} {
		source, err := os.ReadFile(filepath.Join("testdata", "bad", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Replace(string(source), "NAME", mode, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// badGame is a case of TestBadGameHarmsNobodyElse.
type badGame struct {
	mode, name string
	reason     string // of the abort; empty: the match finishes
	busy       string // another reason, on a busy machine; empty: none
}

// TestBadGameHarmsNobodyElse runs a match of a bad game next to a match of another
// game.
func TestBadGameHarmsNobodyElse(t *testing.T) {
	t.Parallel()
	const looping = "the loop in a function literal does not end"
	tests := []badGame{
		{mode: "script", name: "endless loop", reason: looping, busy: "silent"}, // the game needs time to find it
		{mode: "script", name: "endless recursion", reason: "endless recursion in a function literal", busy: "silent"},
		{mode: "compiled", name: "endless recursion", reason: "the game has stopped: endless recursion in a function literal (game.go:", busy: "silent"},
		{mode: "script", name: "huge allocation", reason: "memory", busy: "silent"},
		{mode: "compiled", name: "huge allocation", reason: "memory", busy: "silent"},
		{mode: "script", name: "flood", reason: "the game sends too much"},
		{mode: "compiled", name: "flood", reason: "the game sends too much"},
		{mode: "script", name: "panic", reason: "boom"},
		{mode: "compiled", name: "panic", reason: "boom"},
		{mode: "script", name: "error", reason: "out of order"},
		{mode: "compiled", name: "exit", reason: "the game has stopped: its process ended with status 3"},
		{mode: "compiled", name: "panic in a goroutine", reason: "the game has stopped"},
		{mode: "compiled", name: "print on stdout"},
	}
	s := programs.NewFolder(t)
	s.Echo("echo", "hello")
	install(t, s, "script")
	install(t, s, "compiled")
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], modes: {script: script, compiled: compiled, echo: script}, stall: 5s, memory_mb: 512}\ndrain: 0s\n", s.Dir))
	for _, game := range []string{"script", "compiled", "echo"} {
		h.AwaitGame(t, game) // here, so that a game that does not start ends the test
	}
	t.Cleanup(func() { h.Stop(t, syscall.SIGTERM) })
	for _, mode := range []string{"script", "compiled"} { // of games with processes of their own
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			for _, tt := range tests {
				if tt.mode == mode {
					t.Run(tt.name, func(t *testing.T) { harmsNobodyElse(t, h, tt) })
				}
			}
		})
	}
}

// harmsNobodyElse runs a match of a bad game next to one of echo.
func harmsNobodyElse(t *testing.T, h *programs.Host, tt badGame) {
	t.Helper()
	other, _ := h.Begin(t, "echo")
	h.AwaitGame(t, tt.mode)
	same, _ := h.Begin(t, tt.mode) // another match of the same game
	c, line := h.Begin(t, tt.mode)
	if line != "ready" {
		t.Fatalf("got %q, want ready", line)
	}
	c.Answer(t, tt.name)
	r, stream := c.AwaitEnd(t)
	expected := strings.Contains(r.Reason, tt.reason) || tt.busy != "" && strings.Contains(r.Reason, tt.busy)
	if r.Aborted != (tt.reason != "") || !expected {
		t.Errorf("got %+v, want a reason with %q", r, tt.reason)
	}
	if !r.Aborted && stream != "ready again\n" {
		t.Errorf("got %q, want ready again", stream)
	}
	same.Close()
	h.AwaitGame(t, tt.mode)
	if got := other.Finish(t); got != "hello again\n" {
		t.Errorf("match of the other game: got %q, want hello again", got)
	}
}
