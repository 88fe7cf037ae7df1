//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
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

// TestBotOfTheDocumentationPlays plays roshambo with the bot of docs/bots.md: it beats
// the last hand.
func TestBotOfTheDocumentationPlays(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing")
	}
	page, err := os.ReadFile("../docs/bots.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllSubmatch(page, -1)
	if len(examples) != 1 {
		t.Fatalf("got %d examples, want 1", len(examples))
	}
	file := filepath.Join(t.TempDir(), "bot.py")
	if err := os.WriteFile(file, examples[0][1], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, last := range []string{"RETIRE", "PAPER"} {
		f := serve(t, func(c *client) {
			c.begin()
			c.stream("alice\nbob\n3\n")
			first := ""
			for !strings.HasSuffix(first, "\n") {
				kind, b, err := c.ws.ReadMessage()
				if err != nil || kind != websocket.BinaryMessage {
					c.fail("got a frame of kind %d, %v after %q, want a hand", kind, err, first)
				}
				first += string(b)
			}
			if first != "ROCK\n" && first != "PAPER\n" && first != "SCISSORS\n" {
				t.Errorf("got %q, want a hand", first)
			}
			c.stream("ROCK\n")
			c.expect("PAPER\n")
			c.stream(last + "\n")
			if last == "PAPER" {
				c.expect("SCISSORS\n")
				c.stream("ROCK\n")
			}
			c.finish()
		})
		_, stderr := connect(t, 0, f.url, "--", python, file)
		wantText(t, "stderr", stderr, "playing 3 rounds against bob\n")
		f.wait()
	}
}
