package catalog

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"colosseum/host/internal/config"
)

// folder writes files and returns the folder that they are in. A name that
// ends in * is executable.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name, executable := strings.CutSuffix(name, "*")
		path, mode := filepath.Join(dir, name), os.FileMode(0o644)
		if executable {
			mode = 0o755
		}
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestGamesAreFoundByWhatTheirFoldersHold(t *testing.T) {
	dir := folder(t, map[string]string{
		"go/main.go": "", "named/named*": "", "plain/game*": "", "both/main.go": "", "both/both*": "",
		"text/rules.md": "", "asleep/asleep": "", "other/program*": "", ".hidden/main.go": "", "file.go": "", "deep/er/main.go": "",
	})
	sources, err := new(looker).find(t.Context(), []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range sources {
		if s.dir != filepath.Join(dir, s.name) {
			t.Errorf("%s is in %s", s.name, s.dir)
		}
		s, _, err := look(s.dir)
		if err != nil {
			t.Error(err)
		}
		text := s.name
		if s.goFiles {
			text += " go"
		}
		if s.executable != "" {
			text += " " + filepath.Base(s.executable)
		}
		got = append(got, text)
	}
	if want := []string{"both go both", "go go", "named named", "plain game"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if _, err := new(looker).find(t.Context(), []string{dir, folder(t, map[string]string{"go/main.go": ""})}); err == nil || !strings.Contains(err.Error(), "two folders are named go") {
		t.Errorf("two games of one name: %v", err)
	}
	if _, err := new(looker).find(t.Context(), []string{filepath.Join(dir, "nowhere")}); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("no folder: %v", err)
	}
}

func TestVersionIsThatOfAllFilesOfTheGame(t *testing.T) {
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
			dir := folder(t, tt.files)
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
					t.Fatalf("%s is no game: %v", dir, err)
				}
				return s.hash
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
				t.Errorf("from %s to %s", before, after)
			}
			if tt.file != "game" && version(link) != after {
				t.Error("behind a link it has another version")
			}
		})
	}
}

func TestPruneKeepsTheNewestProgramAndThoseOfOtherGames(t *testing.T) {
	const old, now = "0123456789abcdef", "fedcba9876543210"
	files := []string{
		"dama", "dama-" + old, "dama-" + now, "dama-2", "dama-2-" + old, "dama-international-xx", "dama-" + old + "0", "xdama-" + old, "dama.lock",
	}
	text := map[string]string{}
	for _, f := range files {
		text[f] = ""
	}
	cache := folder(t, text)
	source{name: "dama"}.prune(cache, filepath.Join(cache, "dama-"+now))
	for _, f := range files {
		_, err := os.Stat(filepath.Join(cache, f))
		if gone := f == "dama-"+old; gone != (err != nil) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func TestProgramIsBuiltOnceForEachVersion(t *testing.T) {
	dir := folder(t, map[string]string{
		"tiny/go.mod": "module tiny\n", "tiny/main.go": "package main\n\nfunc main() { println(1) }\n",
	})
	s, ok, err := look(filepath.Join(dir, "tiny"))
	if !ok || err != nil {
		t.Fatalf("it is no game: %v", err)
	}
	cache := filepath.Join(t.TempDir(), "cache")
	build := func() (path, version string) {
		path, version, err := s.program(context.Background(), cache)
		if err != nil {
			t.Fatal(err)
		}
		if path != filepath.Join(cache, "tiny-"+version) {
			t.Errorf("version %s is %s", version, path)
		}
		return path, version
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(s.dir, "main.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first, version := build()
	info, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	for path, private := range map[string]os.FileMode{cache: 0o700, first: 0o700, filepath.Join(cache, "tiny.lock"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != private {
			t.Errorf("%s has the mode %v, %v, want %v", path, info.Mode().Perm(), err, private)
		}
	}
	again, same := build()
	if infoAgain, err := os.Stat(again); err != nil || same != version || !os.SameFile(info, infoAgain) {
		t.Errorf("the same source gave %s and %s, %v", version, same, err)
	}
	write("package main\n\nfunc main() { println(2) }\n")
	second, other := build()
	if other == version {
		t.Error("another source has the same version")
	}
	if out, err := exec.Command(second).CombinedOutput(); err != nil || string(out) != "2\n" {
		t.Errorf("it says %q, %v", out, err)
	}
	if _, err := os.Stat(first); err == nil {
		t.Error("the old version is still there")
	}
	write("package main\n\nfunc main() { nonsense }\n")
	if _, _, err := s.program(context.Background(), cache); err == nil || !strings.Contains(err.Error(), "main.go:3:15: undefined: nonsense") {
		t.Errorf("the error is %v", err)
	}
}

// A child that is forked while a program is being written inherits the open
// file, and until it has become another program, the new one is "busy".
func TestProgramThatWasJustCopiedCanBeStarted(t *testing.T) {
	self, err := exec.LookPath("true")
	if err != nil {
		t.Skip("there is no program true")
	}
	dir := t.TempDir()
	stop := make(chan struct{})
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = exec.Command(self).Run() // only the fork matters
				}
			}
		})
	}
	for i := range 100 {
		path := filepath.Join(dir, string(rune('a'+i%26)))
		if err := copyFile(self, path); err != nil {
			t.Error(err)
		}
		if err := exec.Command(path).Run(); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	others.Wait()
}
