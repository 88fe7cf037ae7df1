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

// TestPlayersOfTheDocumentationPlay takes the examples of docs/coco.md through
// a match of roshambo.
func TestPlayersOfTheDocumentationPlay(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing: the examples are not tried")
	}
	page, err := os.ReadFile("../docs/coco.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllSubmatch(page, -1)
	if len(examples) != 2 {
		t.Fatalf("there are %d examples", len(examples))
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
					c.play(move + "\n")
					c.stream(answer + "\n")
				}
				c.finish()
			})
			stdout, stderr := connect(t, 0, f.url, "-c", channel, "--", python, file)
			// On pipes both write to the terminal, each when it likes.
			stdout = strings.ReplaceAll(stdout, "> Game ended\n", "")
			for _, answer := range []string{"PAPER", "RETIRE"} {
				wantPart(t, "output", stdout+stderr, "bob plays "+answer+"\n")
			}
			f.wait()
		})
	}
}
