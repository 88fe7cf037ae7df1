//go:build unix

package catalog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/internal/test/filetree"
	"colosseum/internal/test/poll"
)

// newWatched opens a catalog that watches a folder with the game roshambo. Write
// writes into the game's folder.
func newWatched(t *testing.T) (c *Catalog, write func(name, text string)) {
	t.Helper()
	dir := filetree.New(t, map[string]string{"roshambo/rules.md": "# roshambo\n", "roshambo/lib/a": "a"})
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
	t.Parallel()
	c, write := newWatched(t)
	for i, file := range []string{"lib/a", "lib/deep/b", "lib/deep/b", "new/c"} {
		before := c.version()
		write(file, fmt.Sprint("text ", i))
		poll.Until(t, file+" makes a new version", func() bool { v := c.version(); return v != "" && v != before })
	}
}

// The last file is the description: when it is offered, the host has read the folder
// after the other changes.
func TestWhatARunWritesAndWhatReadersSeeNeedNoNewProcess(t *testing.T) {
	t.Parallel()
	c, write := newWatched(t)
	before := c.offer(t)
	for _, file := range []string{"__pycache__/a.pyc", "lib/__pycache__/b.pyc", "lib/c.pyc", "viewer.js", "README.md", "test_a.py", "matches/1.json", "rules.md"} {
		write(file, "# changed\n")
	}
	poll.Until(t, "the description is offered", func() bool { text, _ := c.Describe("roshambo"); return text == "# changed\n" })
	after := c.offer(t)
	if pidOf(after) != pidOf(before) || after.Version != before.Version {
		t.Errorf("got version %s in process %d, want %s in %d as before", after.Version, pidOf(after), before.Version, pidOf(before))
	}
	if got := c.Stats()["roshambo"].Loaded; got != 1 {
		t.Errorf("the game was loaded %d times, want once", got)
	}
}

func TestDescriptionChangesWithoutANewProcess(t *testing.T) {
	t.Parallel()
	c := newRoshambo(t, map[string]config.Game{"janken": {Plugin: "roshambo", Rules: "texts/janken.md"}, "jan": {Plugin: "roshambo"}})
	o := c.offer(t)
	rules, janken := filepath.Join(o.Dir, "rules.md"), filepath.Join(o.Dir, "texts", "janken.md")
	const missing = "rules: texts/janken.md: there is no such file in the plugin's folder"
	const none = "it has no description for players: write rules.md in its folder"
	const pipe = "its description: rules.md: it is a named pipe, and not a regular file"
	steps := []struct {
		name   string
		change func() error
		texts  [3]string // of roshambo, jan and janken
		faults [2]string // of roshambo and janken
	}{
		{"nothing", func() error { return nil }, [3]string{"# roshambo\n", "# roshambo\n", ""}, [2]string{"", missing}},
		{"a new text", func() error {
			return errors.Join(os.Mkdir(filepath.Dir(janken), 0o755), os.WriteFile(janken, []byte("# janken\n"), 0o644))
		}, [3]string{"# roshambo\n", "# roshambo\n", "# janken\n"}, [2]string{"", ""}},
		{"another text", func() error { return os.WriteFile(rules, []byte("# new\n"), 0o644) }, [3]string{"# new\n", "# new\n", "# janken\n"}, [2]string{"", ""}},
		{"a text that cannot be read", func() error { // in one step, because without the file there would be no text
			pipe := filepath.Join(o.Dir, "texts", "pipe")
			return errors.Join(syscall.Mkfifo(pipe, 0o644), os.Rename(pipe, rules))
		}, [3]string{"# new\n", "# new\n", "# janken\n"}, [2]string{pipe, ""}},
		{"no text", func() error { return os.Remove(rules) }, [3]string{"", "", "# janken\n"}, [2]string{none, ""}},
		{"a text again", func() error { return os.WriteFile(rules, []byte("# again\n"), 0o644) }, [3]string{"# again\n", "# again\n", "# janken\n"}, [2]string{"", ""}},
	}
	for _, s := range steps {
		if err := s.change(); err != nil {
			t.Fatal(err)
		}
		if err := c.Rescan(); err != nil {
			t.Fatal(err)
		}
		poll.Until(t, s.name+" is read", func() bool {
			var texts [3]string
			for i, name := range []string{"roshambo", "jan", "janken"} {
				texts[i], _ = c.Describe(name)
			}
			return texts == s.texts && [2]string{c.problemOf("roshambo"), c.problemOf("janken")} == s.faults
		})
		if pid := pidOf(c.offer(t)); pid != pidOf(o) {
			t.Errorf("after %s the process is %d, want %d as before", s.name, pid, pidOf(o))
		}
	}
}

func TestGameWhoseFolderIsReplacedIsOfferedAgain(t *testing.T) {
	t.Parallel()
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
