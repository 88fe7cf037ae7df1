package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/internal/test/filetree"
)

func TestProgramIsFoundAgainUnlessSomethingHasChanged(t *testing.T) {
	compiler, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	if real, err := filepath.EvalSymlinks(compiler); err != nil || fileHash(filepath.Join(filepath.Dir(filepath.Dir(real)), "VERSION")) == noFile {
		t.Skip("the go command of this machine does not say its release: it is always asked")
	}
	root := filetree.New(t, map[string]string{
		"game/x/go.mod":         "module x\n\nrequire lib v0.0.0\n\nreplace lib => ../../lib\n\nreplace idle => ../../idle\n",
		"game/x/main.go":        "package main\n\nimport (\n\t_ \"embed\"\n\t\"lib\"\n\t\"x/board\"\n)\n\n//go:embed text\nvar text string\n\nfunc main() { println(text, lib.N, board.N) }\n",
		"game/x/text":           "text",
		"game/x/board/board.go": "package board\n\nconst N = 1\n",
		"game/x/rules.md":       "# x\n",
		"lib/go.mod":            "module lib\n",
		"lib/lib.go":            "package lib\n\nconst N = 1\n",
		"idle/go.mod":           "module idle\n",
	})
	game := filepath.Join(root, "game", "x")
	cache := filepath.Join(t.TempDir(), "cache")
	cfg := config.Default()
	cfg.Plugins.Mode = ModeCompiled
	settings := filepath.Join(t.TempDir(), "env")
	t.Setenv("GOENV", settings)
	built := func() (Program, bool) { return mustExamine(t, game).Built(t.Context(), cfg, cache) }
	build := func() Program {
		t.Helper()
		p, err := mustExamine(t, game).Program(t.Context(), cfg, cache)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p, ok := built(); ok {
		t.Fatalf("found %+v before it was built, want nothing", p)
	}
	want := build()
	found := func(what string) {
		t.Helper()
		if p, ok := built(); !ok || p.Command[0] != want.Command[0] || p.Version != want.Version || p.Mode != ModeCompiled {
			t.Errorf("%s: found %+v, %v, want %+v", what, p, ok, want)
		}
	}
	found("nothing has changed")
	for _, test := range []struct{ name, file, text string }{
		{"a file of the game", "game/x/main.go", "package main\n\nfunc main() {}\n"},
		{"a new file of the game", "game/x/more.go", "package main\n"},
		{"an embedded file", "game/x/text", "more text"},
		{"a package in its folder", "game/x/board/board.go", "package board\n\nconst N = 2\n"},
		{"a new file of that package", "game/x/board/more.go", "package board\n"},
		{"a replaced module", "lib/lib.go", "package lib\n\nconst N = 2\n"},
		{"its go.mod", "lib/go.mod", "module lib\n\ngo 1.21\n"},
		{"the go.mod of a module that it does not import", "idle/go.mod", "module idle\n\ngo 1.21\n"},
		{"go.mod", "game/x/go.mod", "module x\n\nrequire lib v0.0.0\n\nreplace lib => ../../lib\n\ngo 1.22\n"},
		{"go.sum", "game/x/go.sum", "\n"},
		{"a workspace around it", "game/go.work", "go 1.22\n\nuse ./x\n"},
		{"vendored packages", "game/x/vendor/modules.txt", "# lib v0.0.0\n"},
		{"a profile", "game/x/default.pgo", "profile"},
		{"a module between", "game/x/board/go.mod", "module x/board\n"},
		{"the settings of the go command", "", "GOFLAGS=-race\n"},
	} {
		path := filepath.Join(root, filepath.FromSlash(test.file))
		if test.file == "" {
			path = settings
		}
		before, err := os.ReadFile(path)
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		write(t, path, test.text)
		if p, ok := built(); ok {
			t.Errorf("%s has changed: found %+v, want nothing", test.name, p)
		}
		if err == nil {
			write(t, path, string(before))
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(path) == "modules.txt" {
			_ = os.Remove(filepath.Dir(path))
		}
		found(test.name + " has changed back")
	}
	for _, variable := range []string{"GOFLAGS=-tags=x", "GOEXPERIMENT=none", "CGO_CFLAGS=-O0", "GOOS=" + runtime.GOOS} {
		t.Run(variable, func(t *testing.T) {
			name, value, _ := strings.Cut(variable, "=")
			t.Setenv(name, value)
			if p, ok := built(); ok {
				t.Errorf("found %+v, want nothing", p)
			}
		})
	}
	write(t, filepath.Join(game, "rules.md"), "# other\n")
	found("its description has changed")

	other := "#!/bin/sh\n"
	if err := os.WriteFile(want.Command[0], []byte(other), 0o700); err != nil {
		t.Fatal(err)
	}
	if p, ok := built(); ok {
		t.Errorf("the program has other bytes: found %+v, want nothing", p)
	}
	if err := os.Remove(want.Command[0]); err != nil {
		t.Fatal(err)
	}
	want = build()
	found("it was built again")
	if runtime.GOOS != "windows" {
		if err := os.Chmod(cache, 0o722); err != nil {
			t.Fatal(err)
		}
		if p, ok := built(); ok {
			t.Errorf("others can write into the cache: found %+v, want nothing", p)
		}
	}
}

func TestProgramOfAFolderWithoutModuleIsFoundAgain(t *testing.T) {
	dir := filepath.Join(filetree.New(t, map[string]string{"away/main.go": game}), "away")
	want, err := start(t, dir, withSDK, config.Default())
	if err != nil || want.Mode != ModeCompiled {
		t.Fatalf("got %+v, %v, want a compiled program", want, err)
	}
	if p, ok := mustExamine(t, dir).Built(t.Context(), config.Default(), withSDK); !ok || p.Command[0] != want.Command[0] {
		t.Errorf("found %+v, %v, want %+v", p, ok, want)
	}
	write(t, filepath.Join(dir, "go.mod"), "module away\n")
	if p, ok := mustExamine(t, dir).Built(t.Context(), config.Default(), withSDK); ok {
		t.Errorf("with a module: found %+v, want nothing", p)
	}
}
