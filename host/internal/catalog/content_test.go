package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"colosseum/host/internal/config"
)

// untrusted are things that may stand in a game's folder in place of a file.
var untrusted = []struct {
	name    string
	make    func(path string) error
	refusal string // behind the name of the file
}{
	{"a link to a file outside", func(path string) error {
		secret := filepath.Join(filepath.Dir(filepath.Dir(path)), "secret")
		return errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.Symlink("../secret", path))
	}, "it is or lies behind a link that leads out of the folder; a link inside must be relative"},
	{"a link to a device", func(path string) error { return os.Symlink("/dev/zero", path) },
		"it is or lies behind a link that leads out of the folder; a link inside must be relative"},
	{"a named pipe", func(path string) error { return syscall.Mkfifo(path, 0o644) }, "it is a named pipe, and not a regular file"},
	{"a folder", func(path string) error { return os.Mkdir(path, 0o755) }, "it is a folder, and not a regular file"},
	{"a sparse file of 400 MiB", func(path string) error {
		return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 400<<20))
	}, "it has more than 256 KiB"},
}

func TestDescriptionThatIsNoFileOfTheFolderIsRefused(t *testing.T) {
	program, err := roshambo()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range untrusted {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, map[string]string{"roshambo/roshambo*": string(program)})
			if err := tt.make(filepath.Join(dir, "roshambo", "rules.md")); err != nil {
				t.Fatal(err)
			}
			c := opened(t, configOf(dir))
			defer c.Close()
			if got, want := c.problemOf("roshambo"), "its description: rules.md: "+tt.refusal; got != want {
				t.Errorf("the problem is %q, want %q", got, want)
			}
			if text, ok := c.Describe("roshambo"); ok {
				t.Errorf("it is offered with the description %q", text)
			}
		})
	}
}

func TestDescriptionThatTheConfigurationNamesIsRefusedTheSame(t *testing.T) {
	program, err := roshambo()
	if err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string]string{"roshambo/roshambo*": string(program), "roshambo/rules.md": "# roshambo\n", "roshambo/texts/janken.md": "# janken\n"})
	cfg := configOf(dir)
	cfg.Games = map[string]config.Game{"janken": {Plugin: "roshambo", Rules: "texts/janken.md"}, "none": {Plugin: "roshambo", Rules: "none.md"}}
	want := map[string]string{"none": "rules: none.md: there is no such file in the plugin's folder"}
	for i, tt := range untrusted {
		name := "game" + string(rune('a'+i))
		if err := tt.make(filepath.Join(dir, "roshambo", name+".md")); err != nil {
			t.Fatal(err)
		}
		cfg.Games[name] = config.Game{Plugin: "roshambo", Rules: name + ".md"}
		want[name] = "rules: " + name + ".md: " + tt.refusal
	}
	c := opened(t, cfg)
	defer c.Close()
	for name, want := range want {
		if got := c.problemOf(name); got != want {
			t.Errorf("the problem is %q, want %q", got, want)
		}
	}
	if text, _ := c.Describe("janken"); text != "# janken\n" {
		t.Errorf("janken is described as %q", text)
	}
	if got := c.refusal("roshambo"); got != "" {
		t.Errorf("the plugin is refused with %q", got)
	}

	// One that a later configuration names is read when it comes.
	later := *cfg
	later.Games = map[string]config.Game{"later": {Plugin: "roshambo", Rules: "gamec.md"}}
	if err := c.Reconfigure(&later); err == nil || !strings.Contains(err.Error(), "it is a named pipe") {
		t.Errorf("the configuration was taken over: %v", err)
	}
	later.Games = map[string]config.Game{"later": {Plugin: "roshambo", Rules: "later.md"}}
	if err := os.WriteFile(filepath.Join(dir, "roshambo", "later.md"), []byte("# later\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.Reconfigure(&later); err != nil {
		t.Error(err)
	}
	if text, _ := c.Describe("later"); text != "# later\n" {
		t.Errorf("later is described as %q", text)
	}
}

func TestFolderThatIsNotReadWholeIsRefused(t *testing.T) {
	sparse := func(path string) error {
		return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 8<<30))
	}
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o644) }
	outside := func(path string) error { return os.Symlink("/dev/zero", path) }
	const leads = "it is or lies behind a link that leads out of the folder; a link inside must be relative"
	tests := []struct {
		name, mode, file string
		files            []string
		make             func(path string) error
		want             string // empty: it is not refused
	}{
		{"a file of 8 GiB", "auto", "data", []string{"game*"}, sparse, "the game's folder: with data its files have more than 512 MiB together"},
		{"a program outside", "auto", "game", []string{"notes"}, outside, "game: " + leads},
		{"a named pipe beside a program", "auto", "pipe", []string{"game*"}, pipe, ""},
		{"a link beside a program", "auto", "link", []string{"game*"}, outside, ""},
		{"a named pipe that would be compiled", "compiled", "x.go", []string{"main.go"}, pipe, "x.go: it is a named pipe, and not a regular file"},
		{"one in a package below", "compiled", "board/x.s", []string{"main.go", "board/board.go"}, pipe, "board/x.s: it is a named pipe, and not a regular file"},
		{"a link that would be compiled", "compiled", "x.go", []string{"main.go"}, outside, "x.go: " + leads},
		{"a file of 8 GiB that would be compiled", "compiled", "board/x.go", []string{"main.go", "board/board.go"}, sparse, "board/x.go: it has more than 16 MiB"},
		{"a named pipe that is hidden", "compiled", ".x.go", []string{"main.go"}, pipe, ""},
		{"a link to a folder inside", "compiled", "x", []string{"main.go", "board/board.go"}, func(path string) error { return os.Symlink("board", path) }, ""},
		{"a link to nothing", "compiled", "x", []string{"main.go"}, func(path string) error { return os.Symlink("nowhere", path) }, ""},
		{"a named pipe beside a script", "script", "x.go", []string{"main.go"}, pipe, ""}, // the script's process refuses it
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{}
			for _, name := range tt.files {
				files["x/"+name] = "package main\n"
			}
			dir := filepath.Join(folder(t, files), "x")
			if err := tt.make(filepath.Join(dir, filepath.FromSlash(tt.file))); err != nil {
				t.Fatal(err)
			}
			cfg := config.Default()
			cfg.Plugins.Mode = tt.mode
			_, ok, err := examine(dir, cfg, nil)
			if !ok {
				t.Fatal("it is no game")
			}
			if err != nil != (tt.want != "") || err != nil && err.Error() != tt.want {
				t.Errorf("the error is %v, want %q", err, tt.want)
			}
		})
	}
}

// A folder in a plugins' folder may be a link: whoever runs the host put it
// there.
func TestFolderOfAGameMayBeALink(t *testing.T) {
	program, err := roshambo()
	if err != nil {
		t.Fatal(err)
	}
	there := folder(t, map[string]string{"roshambo*": string(program), "rules.md": "# linked\n"})
	dir := t.TempDir()
	for name, target := range map[string]string{"roshambo": there, "nowhere": "/nowhere", "device": "/dev/zero"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	c := opened(t, configOf(dir))
	defer c.Close()
	if text, _ := c.Describe("roshambo"); text != "# linked\n" {
		t.Errorf("it is described as %q", text)
	}
	if p := c.Problems(); len(p) != 0 {
		t.Errorf("the problems are %v, want none", p)
	}
}
