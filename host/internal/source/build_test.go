package source

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"colosseum/internal/testfolder"
)

func TestPruneKeepsTheNewestProgramAndThoseOfOtherGames(t *testing.T) {
	const old, now = "0123456789abcdef", "fedcba9876543210"
	files := []string{
		"dama", "dama-" + old, "dama-" + now, "dama-2", "dama-2-" + old, "dama-international-xx", "dama-" + old + "0", "xdama-" + old, "dama.lock",
	}
	text := map[string]string{}
	for _, f := range files {
		text[f] = ""
	}
	cache := testfolder.New(t, text)
	Source{Name: "dama"}.prune(cache, filepath.Join(cache, "dama-"+now))
	for _, f := range files {
		_, err := os.Stat(filepath.Join(cache, f))
		if gone := f == "dama-"+old; gone != (err != nil) {
			t.Errorf("%s: got %v, want it removed: %v", f, err, gone)
		}
	}
}

func TestProgramIsBuiltOnceForEachVersion(t *testing.T) {
	dir := testfolder.New(t, map[string]string{
		"tiny/go.mod": "module tiny\n", "tiny/main.go": "package main\n\nfunc main() { println(1) }\n",
	})
	s, ok, err := look(filepath.Join(dir, "tiny"))
	if !ok || err != nil {
		t.Fatalf("look: got %v, %v, want a game", ok, err)
	}
	cache := filepath.Join(t.TempDir(), "cache")
	build := func() (path, version string) {
		path, version, err := s.program(context.Background(), cache)
		if err != nil {
			t.Fatal(err)
		}
		if path != filepath.Join(cache, "tiny-"+version) {
			t.Errorf("version %s is in %s, want it in %s", version, path, cache)
		}
		return path, version
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(s.Dir, "main.go"), []byte(text), 0o644); err != nil {
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
		t.Errorf("the same source gave %s and %s, %v, want the same file", version, same, err)
	}
	write("package main\n\nfunc main() { println(2) }\n")
	second, other := build()
	if other == version {
		t.Errorf("another source gave %s again, want another version", other)
	}
	if out, err := exec.Command(second).CombinedOutput(); err != nil || string(out) != "2\n" {
		t.Errorf("it prints %q, %v, want 2", out, err)
	}
	if _, err := os.Stat(first); err == nil {
		t.Errorf("%s exists, want the old version removed", first)
	}
	write("package main\n\nfunc main() { nonsense }\n")
	if _, _, err := s.program(context.Background(), cache); err == nil || !strings.Contains(err.Error(), "main.go:3:15: undefined: nonsense") {
		t.Errorf("got %v, want an error with the line of nonsense", err)
	}
}

// A child that is forked while a program is written inherits the open file, and
// until it executes another program the system refuses to start the new one.
func TestProgramThatWasJustCopiedCanBeStarted(t *testing.T) {
	self, err := exec.LookPath("true")
	if err != nil {
		t.Skip("there is no program true")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	var others sync.WaitGroup
	defer others.Wait()
	defer cancel()
	for range 4 {
		others.Go(func() { // ends with the test
			for ctx.Err() == nil {
				_ = exec.Command(self).Run() // only the fork matters
			}
		})
	}
	for i := range 100 {
		path := filepath.Join(dir, string(rune('a'+i%26)))
		if err := copyFile(self, path); err != nil {
			t.Fatal(err)
		}
		if err := exec.Command(path).Run(); err != nil {
			t.Fatalf("start %s: %v, want no error", path, err)
		}
	}
}
