package interpreter

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/internal/test/race"
	"colosseum/sdk/driver"
	"colosseum/sdk/script/internal/source"
)

// marked compiles a script without marks and with them, and returns the titles of the two
// games; skipped: it is not a script.
func marked(t *testing.T, dir string) (plain, second string, skipped bool) {
	t.Helper()
	s, problems := source.Read(dir)
	if len(problems) > 0 {
		return "", "", true
	}
	p, problems := Compile(s)
	if len(problems) > 0 {
		t.Fatalf("got problems %v, want none", problems)
	}
	game, err := p.Run()
	if err != nil {
		t.Fatal(err)
	}
	if !p.mark(nil) {
		return game.Title, "the program with marks was not made", false
	}
	return game.Title, p.second.game.Title, false
}

func TestGamesWithMarksAreCompiled(t *testing.T) {
	dirs, err := filepath.Glob("../../../../plugins/*")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			plain, second, skipped := marked(t, dir)
			if skipped {
				t.Skip("it is not a script")
			}
			tried++
			if second != plain {
				t.Errorf("got %s, want %s", second, plain)
			}
		})
	}
	if tried == 0 {
		t.Error("no game was tried")
	}
}

// TestProgramsWithMarksHaveTheSameResult runs the programs of testdata/accepted.txt in
// main, as the title of a game.
func TestProgramsWithMarksHaveTheSameResult(t *testing.T) {
	race.Skip(t, "one goroutine interprets")
	text, err := os.ReadFile("../../testdata/accepted.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range strings.Split(string(text), "\n== ")[1:] {
		name, code, _ := strings.Cut(e, "\n")
		t.Run(name, func(t *testing.T) {
			file := "//go:build go1.21\n\npackage main\n\nimport (\n\t\"colosseum/sdk\"\n\t\"colosseum/sdk/plugin\"\n"
			for _, p := range []string{"bytes", "cmp", "container/heap", "container/list", "encoding/json", "errors", "fmt", "maps", "math", "math/big", "math/bits", "slices", "sort", "strconv", "strings", "unicode"} {
				if strings.Contains(code, path.Base(p)+".") {
					file += fmt.Sprintf("\t%q\n", p)
				}
			}
			file += ")\n\n" + code + `
func play(m *sdk.Match) error { return nil }

func main() {
	plugin.Serve(sdk.Game{Name: "x", Title: run(), MinPlayers: 1, MaxPlayers: 1, Timeout: 10, Play: play})
}
`
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "play.go"), []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			plain, second, skipped := marked(t, dir)
			if skipped || second != plain {
				t.Errorf("got %q, want %q", second, plain)
			}
		})
	}
}

func TestProgramWithMarksIsMadeAfterTheTimeOfASecondRun(t *testing.T) {
	dir := t.TempDir()
	code := "//go:build go1.21\n\npackage main\n\nimport (\n\t\"colosseum/sdk\"\n\t\"colosseum/sdk/plugin\"\n)\n\nfunc play(m *sdk.Match) error { return nil }\n\nfunc main() {\n\tplugin.Serve(sdk.Game{Name: \"x\", Play: play})\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "play.go"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	s, problems := source.Read(dir)
	if len(problems) > 0 {
		t.Fatalf("got problems %v, want none", problems)
	}
	p, problems := Compile(s)
	if len(problems) > 0 {
		t.Fatalf("got problems %v, want none", problems)
	}
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	runs := 0
	again := func(driver.Game, func()) error { runs++; return nil }
	p.editing.Lock() // the program is not made before the next lines have run
	for i := range 3 {
		why := &failure{fmt.Sprint("failure ", i), "failure"}
		if got := p.explain(over, why, again); got != error(why) || runs > 0 {
			t.Errorf("got %v, and %d second runs, want %v without one", got, runs, why)
		}
	}
	p.editing.Unlock()
	why := &failure{"play.go:1 to 2: failure", "failure"}
	if got := p.explain(t.Context(), why, again); runs != 1 || !strings.Contains(got.Error(), "did not fail") {
		t.Errorf("got %v, and %d second runs, want one that did not fail", got, runs)
	}
}
