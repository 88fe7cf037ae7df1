package programs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/protocol"
)

// Echo is a game of one player that says which text it was built with, before
// and after it has heard a line.
const Echo = `//go:build go1.21

package main

import (
	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

func main() { plugin.Serve(game) }

var game = sdk.Game{
	Name: "NAME", Title: "Echo", Rules: "# echo",
	MinPlayers: 1, MaxPlayers: 1, Timeout: 600,
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

// Shelf is a folder of games in their source.
type Shelf struct {
	Dir string
	T   testing.TB
}

// NewShelf makes a folder inside this module, so that its games can be built,
// with a name that the go command's patterns pass over.
func NewShelf(t testing.TB) Shelf {
	dir, err := os.MkdirTemp(".", "_games-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return Shelf{abs, t}
}

// Write saves the source of a game.
func (s Shelf) Write(name, source string) {
	s.T.Helper()
	dir := filepath.Join(s.Dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		s.T.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "game.go"), []byte(source), 0o644); err != nil {
		s.T.Fatal(err)
	}
}

// Echo saves the game echo under a name, with a text.
func (s Shelf) Echo(name, text string) {
	s.T.Helper()
	s.Write(name, strings.NewReplacer("NAME", name, "TEXT", text).Replace(Echo))
}

// Begin joins a new match of a game and returns the connection and the first
// line.
func (h *Host) Begin(t testing.TB, game string) (*Client, string) {
	t.Helper()
	c, err := Dial(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	id, err := c.Create(protocol.GameNew{Game: game})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Join(id, "alice"); err != nil {
		t.Fatal(err)
	}
	line, _, err := (&Lines{C: c}).Next()
	if err != nil {
		t.Fatal(err)
	}
	return c, line
}

// Finish answers, and returns what the game says then.
func (c *Client) Finish(t testing.TB) string {
	t.Helper()
	if err := c.Conn.WriteMessage(2, []byte("hello\n")); err != nil {
		t.Fatal(err)
	}
	stream, err := c.Skip(protocol.NameMatchEnded, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(stream)
}
