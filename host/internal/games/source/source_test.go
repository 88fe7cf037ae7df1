package source

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/internal/test/filetree"
)

// The folders of the games of which the tests change files, and their modes.
var (
	program = map[string]string{"x/game*": "#!/bin/sh\n", "x/lib/a.js": "a", "x/rules.md": "# r\n"}
	script  = map[string]string{"x/main.go": "package main\n", "x/rules.md": "# r\n", "x/data/a.txt": "a"}
	embeds3 = map[string]string{
		"x/main.go":  "package main\n\nimport _ \"embed\"\n\n//go:embed rules.md data all:sub/deep \"b?.txt\"\nvar text string\n",
		"x/rules.md": "# r\n", "x/data/a.txt": "a",
	}
	others = map[string]string{
		"x/go.mod": "module x\n", "x/main.go": "package main\n\nimport \"x/board\"\n\nfunc main() { board.Print() }\n",
		"x/board/board.go": "package board\n\nimport \"os\"\n\nfunc Print() { os.Exit(0) }\n", "x/unused/a.go": "package unused\n",
	}
)

func TestVersionChangesWithWhatTheRulesDependOn(t *testing.T) {
	tests := []struct {
		name, mode string
		files      map[string]string
		changed    string
		changes    bool
	}{
		{"the program", "auto", program, "game", true},
		{"a file next to it", "auto", program, "cards.json", true},
		{"a file below it", "auto", program, "lib/a.js", true},
		{"a new file below it", "auto", program, "lib/deep/b.js", true},
		{"its Go files", "auto", program, "lib/a.go", true},
		{"a viewer below it", "auto", program, "lib/viewer.js", true},
		{"a viewer", "auto", program, "viewer.js", false},
		{"a picture of the game", "auto", program, "picture.png", false},
		{"a picture of a game on top of it", "auto", program, "picture-other.png", false},
		{"a picture below it", "auto", program, "lib/picture.png", true},
		{"an example player", "auto", program, "players/player.py", false},
		{"an example player in a folder below", "auto", program, "players/x/player.go", false},
		{"a file in such a folder below it", "auto", program, "lib/players/a.py", true},
		{"the description", "auto", program, "rules.md", false},
		{"a text below", "auto", program, "lib/README.md", false},
		{"the license", "auto", program, "LICENSE", false},
		{"a cache of Python", "auto", program, "lib/__pycache__/a.cpython-312.pyc", false},
		{"compiled Python", "auto", program, "a.pyc", false},
		{"a hidden folder", "auto", program, ".git/x", false},
		{"a hidden file", "auto", program, "lib/.a.js.swp", false},
		{"an editor's copy", "auto", program, "lib/a.js~", false},
		{"a test in JavaScript", "auto", program, "lib/a.test.js", false},
		{"a test in Python", "auto", program, "test_a.py", false},
		{"a test in C", "auto", program, "a_test.c", false},
		{"a folder of tests", "auto", program, "tests/a.py", false},
		{"data of tests", "auto", program, "lib/testdata/a", false},
		{"a transcript", "auto", program, "matches/x-1-0.json", false},
		{"code next to transcripts", "auto", program, "matches/x.py", true},

		{"the source", "both", script, "main.go", true},
		{"a new file of the source", "both", script, "bot.go", true},
		{"the source for another system", "both", script, "bot_windows.go", true},
		{"assembler", "script", script, "bot.s", true},
		{"the description of a package", "both", script, "rules.md", false},
		{"a viewer next to a package", "both", script, "viewer.js", false},
		{"an example player next to a package", "both", script, "players/player.go", false},
		{"a picture", "both", script, "board.png", false},
		{"a test", "both", script, "main_test.go", false},
		{"a test with an error", "both", script, "bad_test.go", false},
		{"a file that the compiler ignores", "both", script, "_old.go", false},
		{"a hidden file of the source", "both", script, ".main.go", false},
		{"the modules", "both", script, "go.mod", false},
		{"the sums of modules", "both", script, "go.sum", false},
		{"a file that is not embedded", "both", script, "data/a.txt", false},
		{"another package", "both", script, "board/board.go", false},

		{"an embedded file", "compiled", embeds3, "rules.md", true},
		{"one in an embedded folder", "compiled", embeds3, "data/a.txt", true},
		{"a new one in an embedded folder", "compiled", embeds3, "data/deep/b.txt", true},
		{"a hidden one in an embedded folder", "compiled", embeds3, "data/.b.txt", false},
		{"a hidden one that is embedded, too", "compiled", embeds3, "sub/deep/.b.txt", true},
		{"one next to an embedded folder", "compiled", embeds3, "sub/b.txt", false},
		{"one of a pattern", "compiled", embeds3, "b1.txt", true},
		{"one that fits no pattern", "compiled", embeds3, "b12.txt", false},
		{"a text that is not embedded", "compiled", embeds3, "README.md", false},
	}
	for _, tt := range tests {
		modes := []string{tt.mode}
		if tt.mode == "both" {
			modes = []string{"script", "compiled"}
		}
		for _, mode := range modes {
			t.Run(tt.name+", "+mode, func(t *testing.T) {
				dir := filetree.New(t, tt.files)
				link := filepath.Join(dir, "link")
				if err := os.Symlink("x", link); err != nil {
					t.Fatal(err)
				}
				game := filepath.Join(dir, "x")
				before := hashOf(t, game, mode)
				write(t, filepath.Join(game, filepath.FromSlash(tt.changed)), "package main\n\n// changed\n")
				after := hashOf(t, game, mode)
				if (before != after) != tt.changes {
					t.Errorf("the version changed from %s to %s, want a change: %v", before, after, tt.changes)
				}
				if linked := hashOf(t, link, mode); linked != after {
					t.Errorf("behind a link the version is %s, want %s", linked, after)
				}
			})
		}
	}
}

// hashOf returns the hash of the game in a folder.
func hashOf(t *testing.T, dir, mode string) string {
	t.Helper()
	cfg := config.Default()
	cfg.Plugins.Mode = mode
	s, ok, err := new(Folders).Examine(t.Context(), dir, cfg)
	if !ok || err != nil {
		t.Fatalf("examine %s: got %v, %v, want a game", dir, ok, err)
	}
	return s.hash
}

// write writes a file, and the folders that it is in.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestFileBehindALinkInTheFolderBelongsToTheVersion(t *testing.T) {
	for name, files := range map[string]map[string]string{"x.go": script, "x.js": program} {
		game := filepath.Join(filetree.New(t, files), "x")
		write(t, filepath.Join(game, ".there"), "package main\n")
		if err := os.Symlink(".there", filepath.Join(game, name)); err != nil {
			t.Fatal(err)
		}
		before := hashOf(t, game, "auto")
		write(t, filepath.Join(game, ".there"), "package main\n\n// changed\n")
		if after := hashOf(t, game, "auto"); after == before {
			t.Errorf("after a change behind %s the version is %s as before, want another", name, after)
		}
	}
}

func TestFoldersWithFilesOfAGameAreWatched(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		more  []string // folders
		want  []string
	}{
		{"a program", program, []string{"__pycache__", "lib/__pycache__", ".git", "tests"}, []string{".", "lib"}},
		{"a package", script, []string{"matches"}, []string{"."}},
		{"one that embeds files", embeds3, []string{"sub/deep/er", "sub/other", "data/.x"}, []string{".", "data", "sub", "sub/deep", "sub/deep/er"}},
		{"one that imports another", others, []string{"board/testdata", ".git"}, []string{".", "board", "unused"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			game := filepath.Join(filetree.New(t, tt.files), "x")
			for _, folder := range tt.more {
				if err := os.MkdirAll(filepath.Join(game, filepath.FromSlash(folder)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			watched := map[string]bool{}
			_, _, err := examine(game, config.Default(), func(folders []string) {
				for _, f := range folders {
					name, err := filepath.Rel(game, f)
					if err != nil {
						t.Fatal(err)
					}
					watched[filepath.ToSlash(name)] = true
				}
			})
			if got := slices.Sorted(maps.Keys(watched)); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("it watches %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
