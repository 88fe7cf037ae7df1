package badgames

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
)

var versions = regexp.MustCompile(`version=\S+`)

// TestBadGameHarmsNobodyElse runs a match of a bad game next to a match of another
// game.
func TestBadGameHarmsNobodyElse(t *testing.T) {
	tests := []struct {
		name, mode, imported, code string
		reason                     string // of the abort; empty: the match finishes
		busy                       string // another reason, on a busy machine; empty: none
	}{
		{name: "endless loop", mode: "script", code: "for n := 0; ; n++ {\n if n < 0 {\n break\n}\n}", reason: "the loop in a function literal does not end", busy: "silent"}, // the game needs time to find it
		{name: "endless loop", mode: "compiled", code: "for n := 0; ; n++ {\n if n < 0 {\n break\n}\n}", reason: "the loop in a function literal does not end", busy: "silent"},
		{name: "endless recursion", mode: "script", code: "var f func(n int) int\nf = func(n int) int { return f(n+1) + 1 }\nf(0)", reason: "the game "},
		{name: "endless recursion", mode: "compiled", code: "var f func(n int) int\nf = func(n int) int { return f(n+1) + 1 }\nf(0)", reason: "the "},                // as below
		{name: "huge allocation", mode: "script", code: "all := [][]byte{}\nfor len(all) < 1000000 {\n all = append(all, make([]byte, 1<<20))\n}", reason: "the "},   // the game stops, or on a busy machine is silent
		{name: "huge allocation", mode: "compiled", code: "all := [][]byte{}\nfor len(all) < 1000000 {\n all = append(all, make([]byte, 1<<20))\n}", reason: "the "}, // as above
		{name: "flood", mode: "script", code: "for n := 0; n < 1000000000; n++ {\n m.TellAll(\"flood, flood, flood, flood, flood, flood, flood, flood\")\n}", reason: "the game sends too much"},
		{name: "flood", mode: "compiled", code: "for n := 0; n < 1000000000; n++ {\n m.TellAll(\"flood, flood, flood, flood, flood, flood, flood, flood\")\n}", reason: "the game sends too much"},
		{name: "panic", mode: "script", code: `panic("boom")`, reason: "boom"},
		{name: "panic", mode: "compiled", code: `panic("boom")`, reason: "boom"},
		{name: "error", mode: "script", imported: `"errors"`, code: `if m.Players() > 0 {
			return errors.New("out of order")
		}`, reason: "out of order"},
		{name: "exit", mode: "compiled", imported: `"os"`, code: "os.Exit(3)", reason: "the game has stopped: its process ended with status 3"},
		{name: "panic in a goroutine", mode: "compiled", code: "go func() { panic(\"boom\") }()\nselect {}", reason: "the game has stopped"},
		{name: "print on stdout", mode: "compiled", imported: `"fmt"`, code: `fmt.Println("1|1|unix|/nonsense|grpc")`},
	}
	for _, mode := range []string{"script", "compiled"} {
		t.Run(mode, func(t *testing.T) {
			s := programs.NewFolder(t)
			s.Echo("echo", "hello")
			h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], modes: {bad: %s, echo: script}, watch: true, stall: 10s, memory_mb: 512}\ndrain: 0s\n", s.Dir, mode))
			seen := map[string]bool{} // versions of the game
			for _, tt := range tests {
				if tt.mode != mode {
					continue
				}
				t.Run(tt.name, func(t *testing.T) {
					mark := h.Mark()
					s.T = t
					s.Write("bad", "ready", tt.imported, tt.code)
					// The host can be starting an older version again at this moment.
					version := ""
					for ; version == "" || seen[version]; mark++ {
						version = versions.FindString(h.AwaitAfter(t, mark, `msg="game ready" game=bad`))
					}
					seen[version] = true
					other, _ := h.Begin(t, "echo")
					same, _ := h.Begin(t, "bad") // another match of the same game
					c, line := h.Begin(t, "bad")
					if line != "ready" {
						t.Fatalf("got %q, want ready", line)
					}
					c.Answer(t, "go")
					r, _ := c.AwaitEnd(t)
					expected := strings.Contains(r.Reason, tt.reason) || tt.busy != "" && strings.Contains(r.Reason, tt.busy)
					if r.Aborted != (tt.reason != "") || !expected {
						t.Errorf("got %+v, want a reason with %q", r, tt.reason)
					}
					same.Close()
					h.AwaitGame(t, "bad")
					if got := other.Finish(t); got != "hello again\n" {
						t.Errorf("match of the other game: got %q, want hello again", got)
					}
				})
			}
			h.Stop(t, syscall.SIGTERM)
		})
	}
}
