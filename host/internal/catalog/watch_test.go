//go:build unix

package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"colosseum/internal/poll"
	"colosseum/internal/testfolder"
)

// newWatched opens a catalog that watches a folder with the game roshambo. Write
// writes into the game's folder.
func newWatched(t *testing.T) (c *Catalog, write func(name, text string)) {
	t.Helper()
	dir := testfolder.New(t, map[string]string{"roshambo/rules.md": "# roshambo\n", "roshambo/lib/a": "a"})
	game := filepath.Join(dir, "roshambo")
	write = func(name, text string) {
		t.Helper()
		path := filepath.Join(game, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("roshambo", roshambo(t))
	cfg := configOf(dir)
	cfg.Plugins.Watch = true
	return newLoaded(t, cfg), write
}

// version returns the version of roshambo that is offered; empty: none.
func (c *Catalog) version() string {
	if o, err := c.Find("roshambo"); err == nil {
		return o.Version
	}
	return ""
}

func TestFoldersBelowAGameAreWatched(t *testing.T) {
	c, write := newWatched(t)
	for i, file := range []string{"lib/a", "lib/deep/b", "lib/deep/b", "new/c"} {
		before := c.version()
		write(file, fmt.Sprint("text ", i))
		poll.Until(t, file+" makes a new version", func() bool { v := c.version(); return v != "" && v != before })
	}
}

func TestGameWhoseFolderIsReplacedIsOfferedAgain(t *testing.T) {
	c, write := newWatched(t)
	o := c.offer(t)
	for i := range 20 {
		if err := os.RemoveAll(o.Dir); err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 { // write while the host is withdrawing it
			poll.Until(t, "it is gone", func() bool { return c.version() == "" })
		}
		rules := fmt.Sprintf("# replaced %d times\n", i)
		write("roshambo", roshambo(t))
		write("rules.md", rules)
		poll.Until(t, "the game in the new folder is offered", func() bool { text, _ := c.Describe("roshambo"); return text == rules })
	}
}

// While a game is withdrawn, its goroutine no longer receives signals.
func TestFolderThatComesBackWhileItsGameIsWithdrawnIsOffered(t *testing.T) {
	c := newRoshambo(t, nil)
	o := c.offer(t)
	away := filepath.Join(t.TempDir(), "away")
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
		c.folderChanged(o.Dir)
	}
	c.updating.Lock() // blocks withdraw
	move(o.Dir, away)
	poll.Until(t, "it is about to be withdrawn", func() bool {
		stacks := make([]byte, 1<<20)
		return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "(*Catalog).withdraw(")
	})
	move(away, o.Dir)
	c.updating.Unlock()
	poll.Until(t, "it is offered again", func() bool { again, err := c.Find("roshambo"); return err == nil && pidOf(again) != pidOf(o) })
}
