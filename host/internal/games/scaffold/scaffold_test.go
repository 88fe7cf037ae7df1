package scaffold

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/test/filetree"
)

// tree creates a folder that resembles Colosseum's source.
func tree(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(filetree.New(t, map[string]string{
		name + "/go.mod":            "module colosseum\n\ngo 1.26.0\n\nrequire a.com/b v1.2.3\n\nrequire (\n\tc.com/d v1.0.0\n\te.com/f v0.1.0 // indirect\n)\n\ntool g.com/h\n",
		name + "/go.sum":            "c.com/d v1.0.0 h1:abc=\n",
		name + "/plugins/README.md": "",
	}), name)
}

func TestGameInsideTheSourceTreeNeedsNoModule(t *testing.T) {
	root := tree(t, "source")
	folder, module, err := Make(Game{Name: "nine-stones", Folder: filepath.Join(root, "plugins"), Source: root})
	if err != nil {
		t.Fatal(err)
	}
	if folder != filepath.Join(root, "plugins", "nine-stones") || module {
		t.Errorf("made %s, module %v, want plugins/nine-stones without a module", folder, module)
	}
	if got, want := filetree.Names(t, folder), []string{"README.md", "nine-stones.go", "nine-stones_test.go", "players", "rules.md"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	for _, name := range []string{"README.md", "nine-stones.go", "nine-stones_test.go", "players/player.py", "rules.md"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, placeholder := range []string{"{{Name", "{{Title", "{{Go", "{{Source", "{{Requ"} {
			if strings.Contains(string(text), placeholder) {
				t.Errorf("%s has the placeholder %s, want none", name, placeholder)
			}
		}
		if filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(string(text), "//go:build go1.21\n\n// Nine stones is ") {
			t.Errorf("%s begins with %.60q, want the build constraint and the title", name, text)
		}
	}
}

func TestGameElsewhereGetsAModule(t *testing.T) {
	for _, name := range []string{"source", "my source"} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, name)
			folder, module, err := Make(Game{Name: "nim", Folder: t.TempDir(), Source: root})
			if err != nil {
				t.Fatal(err)
			}
			if !module {
				t.Error("made no module, want one")
			}
			text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
			if err != nil {
				t.Fatal(err)
			}
			source := root
			if name != "source" {
				source = `"` + root + `"`
			}
			for _, want := range []string{
				"module example.com/nim\n", "\ngo 1.26.0\n", "\nrequire colosseum v0.0.0\n", "\nreplace colosseum => " + source + "\n",
				"\nrequire (\n\tc.com/d v1.0.0\n\te.com/f v0.1.0 // indirect\n)\n", "\nrequire a.com/b v1.2.3\n",
			} {
				if !strings.Contains(string(text), want) {
					t.Errorf("go.mod is\n%s\nwant it to have %q", text, want)
				}
			}
			if sums, err := os.ReadFile(filepath.Join(folder, "go.sum")); err != nil || string(sums) != "c.com/d v1.0.0 h1:abc=\n" {
				t.Errorf("go.sum is %q, error %v, want the source's", sums, err)
			}
		})
	}
	folder, module, err := Make(Game{Name: "nim", Folder: t.TempDir()})
	if err != nil || module || slices.Contains(filetree.Names(t, folder), "go.mod") {
		t.Errorf("without a source: module %v, error %v, files %v, want no module and no error", module, err, filetree.Names(t, folder))
	}
}

func TestBadNamesAndFoldersAreRefused(t *testing.T) {
	here := t.TempDir()
	if err := os.Mkdir(filepath.Join(here, "taken"), 0o755); err != nil {
		t.Fatal(err)
	}
	damaged := tree(t, "damaged")
	if err := os.Remove(filepath.Join(damaged, "go.sum")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		game Game
		want string
	}{
		{"nothing", Game{Name: ""}, "cannot be the name of a game"},
		{"one letter", Game{Name: "x"}, "2 to 32"},
		{"a path", Game{Name: "../nim"}, "cannot be the name of a game"},
		{"an upper-case letter", Game{Name: "Nim"}, "lower-case"},
		{"a digit first", Game{Name: "2048"}, "a letter first"},
		{"a name for a test", Game{Name: "a_test"}, "letters, digits and -"},
		{"a folder that Go ignores", Game{Name: "testdata"}, "none of internal"},
		{"too long", Game{Name: strings.Repeat("x", 33)}, "2 to 32"},
		{"a folder that exists", Game{Name: "taken"}, "exists already: choose another name"},
		{"a parent that does not exist", Game{Name: "nim", Folder: filepath.Join(here, "nowhere")}, "make it first"},
		{"a source without sums", Game{Name: "nim", Source: damaged}, "go.sum"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.game.Folder == "" {
				tt.game.Folder = here
			}
			_, _, err := Make(tt.game)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if got := filetree.Names(t, here); !slices.Equal(got, []string{"taken"}) {
				t.Errorf("the folder has %v, want only taken", got)
			}
		})
	}
}

func TestNewGamePassesItsOwnTests(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	folder, module, err := Make(Game{Name: "nine-stones", Folder: t.TempDir(), Source: Root(here)})
	if err != nil {
		t.Fatal(err)
	}
	if !module {
		t.Fatal("made no module, want one")
	}
	for _, command := range []string{"gofmt -l .", "go vet .", "go test ."} {
		words := strings.Fields(command)
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		if err != nil || words[0] == "gofmt" && len(out) > 0 {
			t.Errorf("%s: got error %v, want none\n%s", command, err, out)
		}
	}
}

func TestNamedPipeIsNotAModule(t *testing.T) {
	root := tree(t, "colosseum")
	filetree.Made(t, filetree.MakePipe(filepath.Join(root, "plugins", "go.mod")))
	if got := Root(filepath.Join(root, "plugins", "nim")); got != root {
		t.Errorf("the root is %q, want %q", got, root)
	}
}
