//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPlayersOfTheDocumentationPlay plays roshambo with the examples of
// docs/coco.md.
func TestPlayersOfTheDocumentationPlay(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing")
	}
	page, err := os.ReadFile("../docs/coco.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllSubmatch(page, -1)
	if len(examples) != 2 {
		t.Fatalf("got %d examples, want 2", len(examples))
	}
	for i, channel := range []string{"stdio", "pipe"} {
		t.Run(channel, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "player.py")
			if err := os.WriteFile(file, examples[i][1], 0o600); err != nil {
				t.Fatal(err)
			}
			move := []string{"ROCK", "PAPER"}[i]
			f := serve(t, func(c *client) {
				c.begin()
				c.stream("alice\nbob\n3\n")
				for _, answer := range []string{"PAPER", "RETIRE"} {
					c.expect(move + "\n")
					c.stream(answer + "\n")
				}
				c.finish()
			})
			stdout, stderr := connect(t, 0, f.url, "-c", channel, "--", python, file)
			// With pipes coco and the program write to the same output.
			stdout = strings.ReplaceAll(stdout, "> Game ended\n", "")
			for _, answer := range []string{"PAPER", "RETIRE"} {
				wantPart(t, "output", stdout+stderr, "bob plays "+answer+"\n")
			}
			f.wait()
		})
	}
}
