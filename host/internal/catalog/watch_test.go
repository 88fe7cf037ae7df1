package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// watched opens a catalog that watches a folder with the game roshambo, and
// returns a function that writes into the game's folder.
func watched(t *testing.T) (c *Catalog, write func(name, text string)) {
	t.Helper()
	program, err := roshambo()
	if err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string]string{"roshambo/rules.md": "# roshambo\n", "roshambo/lib/a": "a"})
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
	write("roshambo", string(program))
	cfg := configOf(dir)
	cfg.Plugins.Watch = true
	c = opened(t, cfg)
	t.Cleanup(c.Close)
	return c, write
}

// version returns the version that is offered; empty: none.
func (c *Catalog) version(name string) string {
	o, err := c.Find(name)
	if err != nil {
		return ""
	}
	return o.Version
}

func TestFoldersBelowAGameAreWatched(t *testing.T) {
	c, write := watched(t)
	for i, file := range []string{"lib/a", "lib/deep/b", "lib/deep/b", "new/c"} {
		before := c.version("roshambo")
		write(file, fmt.Sprint("text ", i))
		eventually(t, file+" makes a new version", func() bool { v := c.version("roshambo"); return v != "" && v != before })
	}
}

func TestGameWhoseFolderIsReplacedIsOfferedAgain(t *testing.T) {
	c, write := watched(t)
	o, err := c.Find("roshambo")
	if err != nil {
		t.Fatal(err)
	}
	program, err := roshambo()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := os.RemoveAll(o.Dir); err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 { // so late that the host may just be taking it out
			eventually(t, "it is gone", func() bool { return c.version("roshambo") == "" })
		}
		rules := fmt.Sprintf("# replaced %d times\n", i)
		write("roshambo", string(program))
		write("rules.md", rules)
		eventually(t, "the game in the new folder is offered", func() bool { text, _ := c.Describe("roshambo"); return text == rules })
	}
}

// Who sees a folder come back while its game is being withdrawn tells one that
// does not listen any more.
func TestFolderThatComesBackWhileItsGameIsWithdrawnIsOffered(t *testing.T) {
	c := running(t, nil)
	o, err := c.Find("roshambo")
	if err != nil {
		t.Fatal(err)
	}
	away := filepath.Join(t.TempDir(), "away")
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
		c.touched(o.Dir)
	}
	c.changing.Lock() // nobody is withdrawn meanwhile
	move(o.Dir, away)
	eventually(t, "it is about to be withdrawn", func() bool {
		stacks := make([]byte, 1<<20)
		return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "(*Catalog).withdraw(")
	})
	move(away, o.Dir)
	c.changing.Unlock()
	eventually(t, "it is offered again", func() bool { again, err := c.Find("roshambo"); return err == nil && pidOf(again) != pidOf(o) })
}
