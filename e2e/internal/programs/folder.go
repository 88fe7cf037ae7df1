package programs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/protocol"
)

// source is that of a game for one player. It sends TEXT, receives a line, runs CODE,
// and sends TEXT again.
const source = `//go:build go1.21

package main

import (
	IMPORT
	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

func main() { plugin.Serve(game) }

var game = sdk.Game{
	Name: "NAME", Title: "Echo", Rules: "# echo",
	MinPlayers: 1, MaxPlayers: 1, Timeout: 600,
	Play: func(m *sdk.Match) error {
		m.TellAll("TEXT")
		if _, err := m.AskLine(0); err != nil {
			return nil
		}
		CODE
		m.TellAll("TEXT again")
		return nil
	},
}
`

// Folder is a folder of games in source form.
type Folder struct {
	Dir string
	T   testing.TB
}

// NewFolder creates a folder inside this module, so that its games can be built. The
// go command's patterns ignore its name.
func NewFolder(t testing.TB) Folder {
	dir, err := os.MkdirTemp(".", "_games-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return Folder{abs, t}
}

// Write saves the source of a game for one player. It sends the text, receives a
// line, runs the code, and sends the text again. imported is a quoted package that
// the code uses, or empty.
func (s Folder) Write(name, text, imported, code string) {
	s.T.Helper()
	dir := filepath.Join(s.Dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		s.T.Fatal(err)
	}
	game := strings.NewReplacer("NAME", name, "TEXT", text, "IMPORT", imported, "CODE", code).Replace(source)
	SaveFile(s.T, filepath.Join(dir, "game.go"), game, 0o644)
}

// Echo is Write without code.
func (s Folder) Echo(name, text string) {
	s.T.Helper()
	s.Write(name, text, "", "")
}

// Begin starts a match of a game for one player, and returns its first line.
func (h *Host) Begin(t testing.TB, game string) (*Client, string) {
	t.Helper()
	c, _ := h.Join(t, protocol.GameNew{Game: game}, "alice")
	line, _, err := (&Lines{C: c}).Next()
	if err != nil {
		t.Fatal(err)
	}
	return c, line
}

// Finish sends a line, and returns everything that the game sends after it.
func (c *Client) Finish(t testing.TB) string {
	t.Helper()
	c.Answer(t, "hello")
	_, stream := c.AwaitEnd(t)
	return stream
}

// SaveFile writes a file of a game at once: a host that watches the folder could load one that
// is half written, and then the whole one.
func SaveFile(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	whole := filepath.Join(filepath.Dir(filepath.Dir(path)), ".saved") // not in the folder of the game
	if err := os.WriteFile(whole, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(whole, path); err != nil {
		t.Fatal(err)
	}
}
