package source

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/internal/test/filetree"
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
	cache := filetree.New(t, text)
	Source{Name: "dama"}.prune(cache, filepath.Join(cache, "dama-"+now))
	for _, f := range files {
		_, err := os.Stat(filepath.Join(cache, f))
		if gone := f == "dama-"+old; gone != (err != nil) {
			t.Errorf("%s: got %v, want it removed: %v", f, err, gone)
		}
	}
}

func TestProgramIsBuiltOnceForEachVersion(t *testing.T) {
	dir := filetree.New(t, map[string]string{
		"tiny/go.mod": "module tiny\n", "tiny/main.go": "package main\n\nfunc main() { println(1) }\n",
	})
	game := filepath.Join(dir, "tiny")
	cache := filepath.Join(t.TempDir(), "cache")
	build := func() (path, version string) {
		t.Helper()
		path, version, err := mustExamine(t, game).program(t.Context(), cache)
		if err != nil {
			t.Fatal(err)
		}
		return path, version
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
	write(t, filepath.Join(game, "main.go"), "package main\n\nfunc main() { println(2) }\n")
	second, other := build()
	if other == version || second == first {
		t.Errorf("another source gave %s in %s again, want another version and program", other, second)
	}
	if out, err := exec.Command(second).CombinedOutput(); err != nil || string(out) != "2\n" {
		t.Errorf("it prints %q, %v, want 2", out, err)
	}
	if _, err := os.Stat(first); err == nil {
		t.Errorf("%s exists, want the old version removed", first)
	}
	write(t, filepath.Join(game, "main.go"), "package main\n\nfunc main() { nonsense }\n")
	if _, _, err := mustExamine(t, game).program(t.Context(), cache); err == nil || !strings.Contains(err.Error(), "main.go:3:15: undefined: nonsense") {
		t.Errorf("got %v, want an error with the line of nonsense", err)
	}
}

// mustExamine reads the folder of a game that is compiled.
func mustExamine(t *testing.T, dir string) Source {
	t.Helper()
	s, ok, err := new(Folders).Examine(t.Context(), dir, config.Default())
	if !ok || err != nil {
		t.Fatalf("examine %s: got %v, %v, want a game", dir, ok, err)
	}
	return s
}

// versionOf returns the version that a game has when it is compiled.
func versionOf(t *testing.T, s Source) string {
	t.Helper()
	version, err := s.version(t.Context(), func() ([]imported, error) { return s.packages(t.Context(), "go", ".") })
	if err != nil {
		t.Fatal(err)
	}
	return version
}

// A C compiler would include any file of the host in the program.
func TestGameIsCompiledWithoutC(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1")
	dir := filetree.New(t, map[string]string{
		"tiny/go.mod": "module tiny\n", "tiny/main.go": "package main\n\n// int one() { return 1; }\nimport \"C\"\n\nfunc main() { println(C.one()) }\n",
	})
	_, _, err := mustExamine(t, filepath.Join(dir, "tiny")).program(t.Context(), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "build constraints exclude all Go files") {
		t.Errorf("got %v, want that files with C are excluded", err)
	}
}

func TestVersionOfACompiledGameChangesWithThePackagesThatItImports(t *testing.T) {
	game := filepath.Join(filetree.New(t, others), "x")
	before := mustExamine(t, game)
	version := versionOf(t, before)
	if version == before.hash {
		t.Errorf("got the version %s of a game that imports nothing, want another", version)
	}
	tests := []struct {
		name, file, text string
		changes          bool
	}{
		{"a comment", "board/board.go", "package board\n\nimport \"os\"\n\nfunc Print() { os.Exit(0) } //\n", true},
		{"a test", "board/board_test.go", "package board\n", false},
		{"a package that it does not import", "unused/a.go", "package unused\n\nvar X int\n", false},
		{"an import", "board/board.go", "package board\n\nimport \"x/unused\"\n\nfunc Print() { unused.X = 1 }\n", true},
		{"a package that it imports now", "unused/a.go", "package unused\n\nvar X int // used\n", true},
		{"an embedded file", "unused/e.go", "package unused\n\nimport _ \"embed\"\n\n//go:embed text\nvar text string\n", true},
		{"nothing", "board/testdata/x", "", false},
	}
	write(t, filepath.Join(game, "unused", "text"), "text")
	for _, tt := range tests {
		write(t, filepath.Join(game, filepath.FromSlash(tt.file)), tt.text)
		s := mustExamine(t, game)
		if s.Same(before) {
			t.Errorf("%s: Same returned true, want false because of the import", tt.name)
		}
		after := versionOf(t, s)
		if (after != version) != tt.changes {
			t.Errorf("%s: the version changed from %s to %s, want a change: %v", tt.name, version, after, tt.changes)
		}
		version = after
	}
}

// An editor can save a file in two steps, and the host examines the folder in between.
func TestVersionCoversImportsThatCameAfterTheFolderWasExamined(t *testing.T) {
	game := filepath.Join(filetree.New(t, others), "x")
	write(t, filepath.Join(game, "main.go"), "")
	before := mustExamine(t, game)
	write(t, filepath.Join(game, "main.go"), others["x/main.go"])
	if got, want := versionOf(t, before), versionOf(t, mustExamine(t, game)); got != want {
		t.Errorf("got the version %s, want %s", got, want)
	}
}

func TestShippedGamesHaveOneVersionAsScriptAndCompiled(t *testing.T) {
	const games = "../../../../plugins"
	sources, err := new(Folders).Find(t.Context(), []string{games})
	if err != nil || len(sources) < 5 {
		t.Fatalf("found %d games in %s, %v, want at least five", len(sources), games, err)
	}
	cfg := config.Default()
	cfg.Plugins.Mode = ModeScript
	for _, s := range sources {
		compiled := mustExamine(t, s.Dir)
		if compiled.importsOthers {
			continue // it needs libraries, so it can't be a script
		}
		script, err := start(t, s.Dir, t.TempDir(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if version := versionOf(t, compiled); version != script.Version {
			t.Errorf("%s has the version %s as a script and %s compiled, want one", s.Name, script.Version, version)
		}
	}
}

func TestImportsOfTheStandardLibraryAndTheSDKDoNotChangeTheVersion(t *testing.T) {
	for _, imports := range []string{"fmt", "os", "embed"} {
		game := filepath.Join(filetree.New(t, map[string]string{
			"x/go.mod": "module x\n", "x/main.go": "package main\n\nimport _ \"" + imports + "\"\n\nfunc main() {}\n",
		}), "x")
		s := mustExamine(t, game)
		if version, want := versionOf(t, s), hashOf(t, game, "script"); version != want {
			t.Errorf("with %s the version is %s, want %s as for the script", imports, version, want)
		}
		if again := mustExamine(t, game); again.Same(s) != (imports != "os") {
			t.Errorf("with %s Same returned %v, want it to be true only if the folder alone decides", imports, again.Same(s))
		}
	}
}

func TestVersionIsThatOfTheFilesThatWereCompiled(t *testing.T) {
	game := filepath.Join(filetree.New(t, map[string]string{
		"x/go.mod": "module x\n", "x/main.go": "package main\n\nfunc main() { println(1) }\n", ".later": "package main\n\nfunc main() { println(2) }\n",
	}), "x")
	compiler, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() // of a compiler; the source changes at the end of its first run
	write(t, filepath.Join(dir, "go"), "#!/bin/sh\n"+compiler+" \"$@\"\nif [ -e ../.later ]; then mv ../.later main.go; fi\n")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	path, version, err := mustExamine(t, game).program(t.Context(), filepath.Join(t.TempDir(), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	if want := hashOf(t, game, "script"); version != want {
		t.Errorf("the version is %s, want %s", version, want)
	}
	if out, err := exec.Command(path).CombinedOutput(); err != nil || string(out) != "2\n" {
		t.Errorf("it prints %q, %v, want 2", out, err)
	}
}

func TestOtherModulesMakeANewProgramOfTheSameVersion(t *testing.T) {
	game := filepath.Join(filetree.New(t, map[string]string{
		"x/go.mod": "module x\n", "x/main.go": "package main\n\nfunc main() { println(1) }\n",
	}), "x")
	cache := filepath.Join(t.TempDir(), "cache")
	before := mustExamine(t, game)
	first, version, err := before.program(t.Context(), cache)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(game, "go.mod"), "module x\n\ngo 1.21\n")
	s := mustExamine(t, game)
	if s.Same(before) {
		t.Error("Same returned true, want false because go.mod changed")
	}
	second, same, err := s.program(t.Context(), cache)
	if err != nil || same != version || second == first {
		t.Errorf("got the program %s of version %s, %v, want another program than %s of version %s", second, same, err, first, version)
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

func TestGoCommandHasCachesWithoutHome(t *testing.T) {
	for _, test := range []struct {
		name      string
		env, want []string
	}{
		{"with a home", []string{"HOME=/home/bob"}, nil},
		{"without a home", nil, []string{"GOCACHE=/data/cache/go-build", "GOMODCACHE=/data/cache/go-mod"}},
		{"caches of the operator", []string{"GOCACHE=/c", "GOPATH=/go"}, nil},
		{"a cache folder alone", []string{"XDG_CACHE_HOME=/c"}, []string{"GOMODCACHE=/data/cache/go-mod"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if runtime.GOOS != "linux" {
				t.Skip("the variables for the folders of a user are those of Linux")
			}
			for _, name := range []string{"HOME", "XDG_CACHE_HOME", "GOCACHE", "GOMODCACHE", "GOPATH"} {
				t.Setenv(name, "")
			}
			for _, variable := range test.env {
				name, value, _ := strings.Cut(variable, "=")
				t.Setenv(name, value)
			}
			if got := goCaches("/data/cache"); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
