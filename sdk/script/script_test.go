package script_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
	"colosseum/sdk/script"
)

// folder writes a script. The first line of a file is its name.
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

// idle is a referee that does nothing, and idleGame a whole script.
const (
	idle = `
func play(m *sdk.Match) error { return nil }
`
	idleGame = "play.go\n" + head + idle + idleBot + tail
)

// file is one more file of a script; its declarations begin on line 5.
func file(name, declarations string) string {
	return name + "\n" + buildLine + "\n\npackage main\n\n" + declarations
}

// game writes a script in one file, play.go, with the functions play and bot.
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
	if err == nil {
		err = driver.Of(g).Validate()
	}
	if err != nil {
		t.Fatalf("got error %v, want a game", err)
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

// problems checks a script and returns what is wrong, without the folder.
func problems(t testing.TB, dir string) []string {
	t.Helper()
	var list []string
	for _, p := range script.Check(dir) {
		list = append(list, strings.ReplaceAll(p.String(), dir+string(filepath.Separator), ""))
	}
	return list
}

// refuses checks a script, and expects problems that begin like those wanted.
func refuses(t testing.TB, dir string, want ...string) {
	t.Helper()
	got := problems(t, dir)
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got problems\n%s\nwant the beginnings\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
