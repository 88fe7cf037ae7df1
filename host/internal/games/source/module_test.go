package source

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum"
	"colosseum/host/internal/base/config"
	"colosseum/internal/test/filetree"
)

// game is the shortest program that uses the SDK.
const game = "package main\n\nimport (\n\t\"colosseum/sdk\"\n\t\"colosseum/sdk/plugin\"\n)\n\nfunc main() { plugin.Serve(sdk.Game{}) }\n"

// withSDK is a cache in which the SDK of the host is compiled once for all tests: the go command
// compiles it for each folder again.
var withSDK string

func TestMain(m *testing.M) {
	var err error
	if withSDK, err = os.MkdirTemp("", "source-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(withSDK)
	os.Exit(code)
}

// start examines the folder of a game and calls Program.
func start(t *testing.T, dir, cache string, cfg *config.Config) (Program, error) {
	t.Helper()
	s, ok, err := new(Folders).Examine(t.Context(), dir, cfg)
	if err != nil || !ok {
		t.Fatalf("%s: got %v, %v, want a game", dir, ok, err)
	}
	return s.Program(t.Context(), cfg, cache)
}

func TestFolderWithoutModuleIsCompiledWithTheHostsSDK(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"alone": {"games/away/main.go": game},
		"with a library and a package of its own, below a module that lacks the SDK, in a workspace, with vendored packages": {
			"games/away/main.go":       strings.Replace(game, "import (", "import (\n\t_ \"colosseum/plugins/away/board\"", 1),
			"games/away/board/main.go": "package board\n\nimport _ \"gopkg.in/yaml.v3\"\n",
			"go.mod":                   "module a.com/school\n", "go.work": "go 1.26\n", "games/away/vendor/modules.txt": "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(filetree.New(t, files), "games", "away")
			before := filetree.Names(t, dir)
			t.Setenv("GOFLAGS", "-mod=vendor")
			p, err := start(t, dir, withSDK, config.Default())
			if err != nil || p.Mode != ModeCompiled || p.Why != "" {
				t.Errorf("got %+v, %v, want a compiled program", p, err)
			}
			if after := filetree.Names(t, dir); !slices.Equal(before, after) {
				t.Errorf("the folder has %q after the build, want %q", after, before)
			}
		})
	}
}

func TestFolderInAModuleWithTheSDKIsCompiledAsItIs(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"a module of its own":       {map[string]string{"x/go.mod": "module x\n"}, true},
		"a module that requires it": {map[string]string{"go.mod": "module y\n\nrequire (\n\ta.com/b v1.0.0\n\tcolosseum v0.0.0\n)\n"}, true},
		"the source tree":           {map[string]string{"go.mod": "module colosseum\n"}, true},
		"another module":            {map[string]string{"go.mod": "module a.com/colosseum\n\nrequire b.com/colosseum v1.0.0\n"}, false},
		"a pipe for a module":       {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"x/main.go": game}
			maps.Copy(files, test.files)
			root := filetree.New(t, files)
			if test.files == nil {
				filetree.Made(t, filetree.MakePipe(filepath.Join(root, "go.mod")))
			}
			s := mustExamine(t, filepath.Join(root, "x"))
			if s.WithoutModule() == test.want {
				t.Errorf("got without a module: %v, want %v", s.WithoutModule(), !test.want)
			}
		})
	}
}

func TestGameThatThisHostCannotCompileRunsAsAScript(t *testing.T) {
	bin := t.TempDir()
	module := func(sdk string) string { return string(moduleText("away", sdk, colosseum.Module())) } // like host new
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		mode, path, proxy string
		module            string // its go.mod; empty: it has none
		why               string
	}{
		"without Go":                                   {mode: modeAuto, path: bin, why: "no Go toolchain"},
		"without Go, to be compiled":                   {mode: ModeCompiled, path: bin, why: "no Go toolchain"},
		"without the libraries of the SDK":             {mode: modeAuto, proxy: "off", why: "the host's SDK can't be compiled: module lookup disabled"},
		"with a module, without its libraries":         {mode: modeAuto, proxy: "off", module: module(root), why: "the SDK that its go.mod names can't be compiled"},
		"with a module, without the SDK that it names": {mode: modeAuto, module: module("/nowhere"), why: "the SDK that its go.mod names can't be compiled"},
		"a script because the operator says":           {mode: ModeScript},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"away/main.go": game}
			if test.module != "" {
				files["away/go.mod"], files["away/go.sum"] = test.module, string(colosseum.SDK()["go.sum"])
			}
			dir := filepath.Join(filetree.New(t, files), "away")
			if test.path != "" {
				t.Setenv("PATH", test.path)
			}
			if test.proxy != "" {
				t.Setenv("GOPROXY", test.proxy)
				t.Setenv("GOMODCACHE", t.TempDir())
			}
			cfg := config.Default()
			cfg.Plugins.Mode = test.mode
			p, err := start(t, dir, t.TempDir(), cfg)
			if err != nil || p.Mode != ModeScript || len(p.Command) != 3 || p.Command[1] != "script" || p.Command[2] != dir {
				t.Fatalf("got %+v, %v, want the script", p, err)
			}
			if (test.why == "") != (p.Why == "") || !strings.Contains(p.Why, test.why) || strings.Contains(p.Why, "\n") {
				t.Errorf("the reason is %q, want one line with %q", p.Why, test.why)
			}
		})
	}
}

func TestErrorsInTheCodeOfAGameWithoutModuleAreReported(t *testing.T) {
	imports := func(path string) string { return strings.Replace(game, "import (", "import (\n\t_ \""+path+"\"", 1) }
	const remedy = "give its folder a go.mod that requires it (host new NAME creates a folder with a go.mod; then go get "
	own := imports("colosseum/plugins/away/board")
	for name, test := range map[string]struct{ code, board, want string }{
		"a type error": {strings.Replace(game, "sdk.Game{}", "7", 1), "", "./main.go:8:28: cannot use 7"},
		"a library":    {imports("a.com/b/chess"), "", remedy + "a.com/b/chess)"},
		"a library in another package of the game":   {own, "a.com/b/chess", remedy + "a.com/b/chess)"},
		"a library that one of the SDK's asks for":   {imports("github.com/google/go-cmp/cmp"), "", remedy + "github.com/google/go-cmp/cmp)"},
		"another package of the host":                {imports("colosseum/host"), "", "can import colosseum/sdk, colosseum/sdk/plugin and the standard library, not colosseum/host"},
		"a misspelt package of the standard library": {imports("net/htp"), "", "package net/htp is not in std"},
		"a misspelt package of the game":             {imports("colosseum/plugins/away/bord"), "", "not colosseum/plugins/away/bord"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOPROXY", "off")
			files := map[string]string{"away/main.go": test.code, "away/board/board.go": "package board\n"}
			if test.board != "" {
				files["away/board/board.go"] = "package board\n\nimport _ \"" + test.board + "\"\n"
			}
			dir := filepath.Join(filetree.New(t, files), "away")
			_, err := start(t, dir, withSDK, config.Default())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got the error %v, want one with %q", err, test.want)
			}
		})
	}
}

// A host knows more modules than those that it has downloaded for games. An author must not
// read about them instead of about the mistake.
func TestSDKRequiresOnlyWhatGamesNeed(t *testing.T) {
	command := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s\nIf a module is not found, exclude its version in sdk/sdk.mod", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	const module = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.GoMod}}{{end}}{{end}}"
	var needed []string
	cache := t.TempDir() // as if the modules of the SDK had been downloaded, and nothing else
	for _, m := range strings.Split(command(".", "list", "-deps", "-f", module, "colosseum/sdk", "colosseum/sdk/plugin"), "\n") {
		parts := strings.SplitN(m, " ", 3)
		if name := parts[0] + " " + parts[1]; !slices.Contains(needed, name) {
			needed = append(needed, name)
			text, err := os.ReadFile(parts[2])
			if err != nil {
				t.Fatal(err)
			}
			_, path, _ := strings.Cut(filepath.ToSlash(parts[2]), "/cache/download/")
			write(t, filepath.Join(cache, "cache", "download", filepath.FromSlash(path)), string(text))
		}
	}
	slices.Sort(needed)
	var required []string
	own := string(colosseum.SDK()["go.mod"])
	block, _, _ := strings.Cut(own[strings.Index(own, "\nrequire (")+len("\nrequire (\n"):], "\n)")
	for line := range strings.Lines(block) {
		required = append(required, strings.TrimSpace(line))
	}
	if !slices.Equal(required, needed) {
		t.Errorf("sdk/sdk.mod requires\n%s\nwant\n%s", strings.Join(required, "\n"), strings.Join(needed, "\n"))
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", cache)
	t.Setenv("GOFLAGS", "-mod=readonly")
	sdk, err := unpack(t.TempDir(), colosseum.SDK())
	if err != nil {
		t.Fatal(err)
	}
	dir := filetree.New(t, map[string]string{"go.mod": string(moduleText("away", sdk, []byte(own))), "go.sum": string(colosseum.SDK()["go.sum"])})
	command(dir, "mod", "graph")
}

func TestSDKOfTheHostIsUnpackedOnceAndComplete(t *testing.T) {
	files := colosseum.SDK()
	for _, name := range []string{"go.mod", "go.sum", "sdk/game.go", "sdk/driver/driver.go", "sdk/plugin/plugin.go", "sdk/wire/conn.go", "sdk/wire/pb/game.pb.go"} {
		if len(files[name]) == 0 {
			t.Errorf("%s is missing or empty, want its content", name)
		}
	}
	size := 0
	for name, content := range files {
		size += len(content)
		if strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s is there, want no tests", name)
		}
	}
	if size > 1<<20 {
		t.Errorf("the SDK has %d bytes, want less than 1 MiB: it is part of the host's program", size)
	}
	cache := t.TempDir()
	first, err := unpack(cache, files)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(first, "sdk", "game.go")); err != nil || string(got) != string(files["sdk/game.go"]) {
		t.Errorf("sdk/game.go has %d bytes, %v, want %d", len(got), err, len(files["sdk/game.go"]))
	}
	second, err := unpack(cache, files)
	if err != nil || second != first {
		t.Errorf("the second time it is in %s, %v, want %s", second, err, first)
	}
	for name, spoil := range map[string]func(path string) error{
		"sdk/game.go":  os.Remove,
		"sdk/match.go": func(path string) error { return os.Truncate(path, 0) }, // the power failed after it was written
	} {
		if err := spoil(filepath.Join(first, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
		again, err := unpack(cache, files)
		if err != nil || again != first {
			t.Errorf("%s: it is in %s, %v, want %s", name, again, err, first)
		}
		if got, err := os.ReadFile(filepath.Join(first, filepath.FromSlash(name))); err != nil || string(got) != string(files[name]) {
			t.Errorf("%s has %d bytes after it was spoilt, %v, want %d", name, len(got), err, len(files[name]))
		}
	}
	files["sdk/game.go"] = append(files["sdk/game.go"], '\n')
	third, err := unpack(cache, files)
	if err != nil || third == first {
		t.Errorf("another SDK is in %s, %v, want another folder", third, err)
	}
	if names := filetree.Names(t, cache); len(names) != 2 {
		t.Errorf("the cache has %q, want the two folders", names)
	}
}

func TestSDKsThatNoHostUsesAreRemoved(t *testing.T) {
	cache := t.TempDir()
	files := map[string][]byte{"go.mod": []byte("module colosseum\n")}
	own, err := unpack(cache, files)
	if err != nil {
		t.Fatal(err)
	}
	old, recent := time.Now().Add(-31*24*time.Hour), time.Now().Add(-29*24*time.Hour)
	for name, used := range map[string]time.Time{
		"sdk-0123456789abcdef": old, ".sdk-123": old, // removed
		"sdk-0123456789abcde0": recent, ".sdk-124": recent, "sdk-game": old, "other": old,
	} {
		folder := filepath.Join(cache, name)
		if err := errors.Join(os.MkdirAll(filepath.Join(folder, "sdk"), 0o700), os.Chtimes(folder, used, used)); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(cache, "sdk-0123456789abcdee") // of a game with the name sdk
	if err := errors.Join(os.WriteFile(program, nil, 0o700), os.Chtimes(program, old, old), os.Chtimes(own, old, old)); err != nil {
		t.Fatal(err)
	}
	if again, err := unpack(cache, files); err != nil || again != own {
		t.Fatalf("got %s, %v, want %s", again, err, own)
	}
	want := []string{".sdk-124", "other", "sdk-0123456789abcde0", "sdk-0123456789abcdee", filepath.Base(own), "sdk-game"}
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(filetree.Names(t, cache))); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
