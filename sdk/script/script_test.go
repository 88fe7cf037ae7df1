package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
	"colosseum/sdk/script"
)

// folder writes a script; each file is its name, a line feed, and its text.
func folder(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		name, text, _ := strings.Cut(f, "\n")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// buildLine begins every file of a game.
const buildLine = "//go:build go1.21"

// head begins a file of a script; the text after it is on line 9.
const head = buildLine + `

package main

import (
	"colosseum/sdk"
	"colosseum/sdk/plugin"
)
`

// tail makes a game of the functions play and bot.
const tail = `
func main() {
	plugin.Serve(sdk.Game{Name: "x", Title: "X", MinPlayers: 1, MaxPlayers: 2, MaxBots: 1, Timeout: 10, Play: play, Bot: bot})
}
`

const idleBot = `
func bot(b *sdk.Bot) error { return nil }
`

// game is a script in one file, play.go, with the functions play and bot.
func game(t testing.TB, functions string) string {
	t.Helper()
	if !strings.Contains(functions, "func bot(") {
		functions += idleBot
	}
	return folder(t, "play.go\n"+head+functions+tail)
}

func load(t testing.TB, dir string) *sdk.Game {
	t.Helper()
	g, err := script.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	return g
}

func play(t testing.TB, m gametest.Match) *gametest.Transcript {
	t.Helper()
	got, err := gametest.Play(m)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
