//go:build unix

package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/internal/test/filetree"
	"colosseum/internal/test/poll"
)

// untrusted are things that can be in a game's folder in place of a file.
var untrusted = []struct {
	name    string
	make    func(path string) error
	refusal string // without the name of the file
}{
	{"a link to a file outside", func(path string) error {
		secret := filepath.Join(filepath.Dir(filepath.Dir(path)), "secret")
		return errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.Symlink("../secret", path))
	}, "it is or lies behind a link that leads out of the folder; a link inside must be relative"},
	{"a link to a device", func(path string) error { return os.Symlink("/dev/zero", path) },
		"it is or lies behind a link that leads out of the folder; a link inside must be relative"},
	{"a named pipe", filetree.MakePipe, "it is a named pipe, and not a regular file"},
	{"a folder", func(path string) error { return os.Mkdir(path, 0o755) }, "it is a folder, and not a regular file"},
	{"a sparse file of 400 MiB", func(path string) error {
		return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 400<<20))
	}, "it has more than 256 KiB"},
}

func TestDescriptionThatIsNotAFileOfTheFolderIsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range untrusted {
		t.Run(tt.name, func(t *testing.T) {
			dir := filetree.New(t, map[string]string{"roshambo/roshambo*": roshambo(t)})
			filetree.Made(t, tt.make(filepath.Join(dir, "roshambo", "rules.md")))
			c := newLoaded(t, configOf(dir))
			if got, want := c.problemOf("roshambo"), "its description: rules.md: "+tt.refusal; got != want {
				t.Errorf("the problem is %q, want %q", got, want)
			}
			if text, ok := c.Describe("roshambo"); ok {
				t.Errorf("it is offered with the description %q, want it refused", text)
			}
		})
	}
}

func TestDescriptionThatTheConfigurationNamesIsRefusedInTheSameWay(t *testing.T) {
	t.Parallel()
	dir := roshamboFolder(t, map[string]string{"roshambo/texts/janken.md": "# janken\n"})
	cfg := configOf(dir)
	cfg.Games = map[string]config.Game{"janken": {Plugin: "roshambo", Rules: "texts/janken.md"}, "none": {Plugin: "roshambo", Rules: "none.md"}, "out": {Plugin: "roshambo", Picture: "../picture.png"}}
	want := map[string]string{"none": "rules: none.md: there is no such file in the plugin's folder", "out": `picture: "../picture.png" is not a path inside the plugin's folder`}
	for i, tt := range untrusted {
		name := "game" + string(rune('a'+i))
		filetree.Made(t, tt.make(filepath.Join(dir, "roshambo", name+".md")))
		cfg.Games[name] = config.Game{Plugin: "roshambo", Rules: name + ".md"}
		want[name] = "rules: " + name + ".md: " + tt.refusal
	}
	c := newLoaded(t, cfg)
	for name, want := range want {
		if got := c.problemOf(name); got != want {
			t.Errorf("the problem of %s is %q, want %q", name, got, want)
		}
	}
	if text, _ := c.Describe("janken"); text != "# janken\n" {
		t.Errorf("janken is described as %q, want its own text", text)
	}
	if got := c.refusal("roshambo"); got != "" {
		t.Errorf("the plugin is refused with %q, want it offered", got)
	}

	// A later configuration names other descriptions.
	later := *cfg
	later.Games = map[string]config.Game{"later": {Plugin: "roshambo", Rules: "gamec.md"}}
	if err := c.Reconfigure(&later); err == nil || !strings.Contains(err.Error(), "it is a named pipe") {
		t.Errorf("Reconfigure returned %v, want an error about a named pipe", err)
	}
	later.Games = map[string]config.Game{"later": {Plugin: "roshambo", Rules: "later.md"}}
	if err := os.WriteFile(filepath.Join(dir, "roshambo", "later.md"), []byte("# later\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.Reconfigure(&later); err != nil {
		t.Errorf("Reconfigure returned %v, want no error", err)
	}
	if text, _ := c.Describe("later"); text != "# later\n" {
		t.Errorf("later is described as %q, want its text", text)
	}
}

func TestFolderOfAGameCanBeALink(t *testing.T) {
	t.Parallel()
	there := filetree.New(t, map[string]string{"roshambo*": roshambo(t), "rules.md": "# linked\n"})
	dir := t.TempDir()
	for name, target := range map[string]string{"roshambo": there, "nowhere": "/nowhere", "device": "/dev/zero"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	c := newLoaded(t, configOf(dir))
	if text, _ := c.Describe("roshambo"); text != "# linked\n" {
		t.Errorf("it is described as %q, want the text behind the link", text)
	}
	if p := c.Problems(); len(p) != 0 {
		t.Errorf("the problems are %v, want none", p)
	}
}

// A new right needs a new process, because a process can't get rights later.
func TestExceptionOfAGameIsDescribedAndStartsItAnew(t *testing.T) {
	t.Parallel()
	c := newRoshambo(t, nil)
	o := c.offer(t)
	later := *c.config
	later.Plugins.Exceptions = map[string]config.Exception{"roshambo": {Network: true}, "chess": {Processes: true}}
	if err := c.Reconfigure(&later); err != nil {
		t.Fatal(err)
	}
	const want = "# roshambo\n\n\nOn this host the game can use the network.\n"
	poll.Until(t, "the exception is described", func() bool { text, _ := c.Describe("roshambo"); return text == want })
	if pidOf(c.offer(t)) == pidOf(o) {
		t.Error("got the same process with a new right, want another")
	}
}
