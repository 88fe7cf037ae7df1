package source

import (
	"os"
	"path/filepath"
	"testing"

	"colosseum/host/internal/config"
	"colosseum/internal/testfolder"
)

func TestVersionChangesWithTheFilesOfTheGame(t *testing.T) {
	node := map[string]string{"node/game*": "#!/bin/sh\n", "node/lib/a.js": "a", "node/.git/x": "x", "node/notes~": "n"}
	golang := map[string]string{"go/main.go": "package main\n", "go/main_test.go": "t", "go/rules.md": "# r\n", "go/matches/1.json": "{}"}
	tests := []struct {
		name, file string
		files      map[string]string
		changes    bool
	}{
		{"the program", "game", node, true},
		{"a file below", "lib/a.js", node, true},
		{"a new file below", "lib/deep/b.js", node, true},
		{"a hidden folder", ".git/x", node, false},
		{"an editor's copy", "notes~", node, false},
		{"the source", "main.go", golang, true},
		{"the description", "rules.md", golang, true},
		{"a test", "main_test.go", golang, false},
		{"below a package of Go", "matches/1.json", golang, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := testfolder.New(t, tt.files)
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			game := filepath.Join(dir, entries[0].Name())
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(game, link); err != nil {
				t.Fatal(err)
			}
			version := func(dir string) string {
				s, ok, err := examine(dir, config.Default(), nil)
				if !ok || err != nil {
					t.Fatalf("examine %s: got %v, %v, want a game", dir, ok, err)
				}
				return s.Hash
			}
			before := version(game)
			file := filepath.Join(game, filepath.FromSlash(tt.file))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("changed"), 0o755); err != nil {
				t.Fatal(err)
			}
			after := version(game)
			if (before != after) != tt.changes {
				t.Errorf("the version changed from %s to %s, want a change: %v", before, after, tt.changes)
			}
			if linked := version(link); tt.file != "game" && linked != after {
				t.Errorf("behind a link the version is %s, want %s", linked, after)
			}
		})
	}
}
