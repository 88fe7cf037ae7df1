package script_test

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"colosseum/internal/test/long"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/script"
	"colosseum/sdk/script/internal/interpreter"
	"colosseum/sdk/script/internal/source"
	"colosseum/sdk/script/symbols"
)

// entry is a program from testdata: Go declarations with func run() string.
type entry struct{ name, code string }

// imports are the packages that entries use.
var imports = []string{"bytes", "cmp", "container/heap", "container/list", "encoding/json", "errors", "fmt", "maps", "math", "math/big", "math/bits", "slices", "sort", "strconv", "strings", "unicode"}

// file returns a file with an entry, in a package of that name.
func (e entry) file(pkg string, more ...string) string {
	return e.head(pkg, more...) + e.code
}

func (e entry) head(pkg string, more ...string) string {
	text := buildLine + "\n\npackage " + pkg + "\n\n"
	for _, path := range append(more, imports...) {
		if slices.Contains(more, path) || strings.Contains(e.code, filepath.Base(path)+".") {
			text += fmt.Sprintf("import %q\n", path)
		}
	}
	return text
}

// script returns a script that runs an entry twice: in main, and as a referee.
func (e entry) script() string {
	return e.file("main", symbols.SDK, symbols.Plugin) + `
func main() {
	plugin.Serve(sdk.Game{
		Name: "x", Title: run(), MinPlayers: 1, MaxPlayers: 1, Timeout: 10,
		Play: func(m *sdk.Match) error {
			m.Reason(run())
			return nil
		},
	})
}
`
}

// compiled runs entries compiled, and returns their results. An entry that panics
// has the result "panic: " and the value.
func compiled(t *testing.T, entries []entry) []string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var main strings.Builder
	main.WriteString("package main\n\nimport (\n\t\"fmt\"\n")
	for i, e := range entries {
		pkg := "p" + strconv.Itoa(i)
		write(pkg+"/entry.go", e.file(pkg)+"\nfunc Run() string { return run() }\n")
		fmt.Fprintf(&main, "\t\"dialect/%s\"\n", pkg)
	}
	main.WriteString(")\n\nfunc show(run func() string) {\n\tdefer func() {\n\t\tif p := recover(); p != nil {\n\t\t\tfmt.Printf(\"%q\\n\", fmt.Sprint(\"panic: \", p))\n\t\t}\n\t}()\n\tfmt.Printf(\"%q\\n\", run())\n}\n\nfunc main() {\n")
	for i := range entries {
		fmt.Fprintf(&main, "\tshow(p%d.Run)\n", i)
	}
	main.WriteString("}\n")
	write("main.go", main.String())
	write("go.mod", "module dialect\n\ngo 1.26\n")
	// Compiling takes longer than running, and linking without DWARF half as long.
	cmd := exec.Command("go", "run", "-gcflags=dialect/...=-N -l", "-ldflags=-w", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOGC=400")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var results []string
	for line := range strings.Lines(string(out)) {
		result, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		results = append(results, result)
	}
	return results
}

// interpreted runs an entry as a script, even if the rules refuse it, and returns
// its result.
func interpreted(t *testing.T, e entry) string {
	t.Helper()
	s, problems := source.Read(folder(t, "entry.go\n"+e.script()))
	if len(problems) > 0 {
		t.Fatalf("got problems %v, want none", problems)
	}
	program, problems := interpreter.Compile(s)
	if len(problems) > 0 {
		return "problem: " + problems[0].Text
	}
	g, err := program.Run()
	if err != nil {
		return "error: " + err.Error()
	}
	return results(t, g)
}

// results returns the title of a game of [entry.script], and how its match ended if that is
// different.
func results(t *testing.T, g *sdk.Game) string {
	t.Helper()
	settings, err := driver.Of(g).Prepare(driver.Request{})
	if err != nil {
		t.Fatal(err)
	}
	var again result
	driver.Of(g).Run(&driver.Setup{Settings: settings, Names: []string{"a"}}, &again)
	if string(again) != g.Title {
		return g.Title + ", and as a referee " + string(again)
	}
	return g.Title
}

// result keeps the reason with which a match ends.
type result string

func (r *result) Send(t *driver.Frame) bool {
	if t.End != nil {
		*r = result(t.End.Reason)
	}
	return true
}
func (r *result) Wait() ([]driver.Answer, bool) { return nil, false }
func (r *result) Pause(time.Duration) bool      { return true }

// refusals returns the problems of an entry, by line of the entry.
func refusals(t *testing.T, e entry) map[int]string {
	t.Helper()
	before := strings.Count(e.head("main", symbols.SDK, symbols.Plugin), "\n") + 1
	lines := map[int]string{}
	for _, p := range script.Check(folder(t, "entry.go\n"+e.script())) {
		lines[p.Line-before] = p.Text
	}
	return lines
}

// TestDialectIsAsDocumented: in each pair of programs in testdata/dialect.md, the first
// is refused at the marked lines, and interpreted it has another result than compiled.
// The second is accepted; interpreted and compiled, it has the compiled result of
// the first. docs/scripts.md lists all of them.
func TestDialectIsAsDocumented(t *testing.T) {
	dialect, err := os.ReadFile("testdata/dialect.md")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/scripts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## The dialect\n")
	table, _, _ = strings.Cut(table, "\n#")
	rows := strings.Count(table, "\n|") - 2 // without the head
	var refused, instead []entry
	for _, section := range strings.Split(string(dialect), "\n### ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		if !strings.Contains(table, "\n| "+name+" | ") {
			t.Errorf("docs/scripts.md has no row %q in the dialect, want one", name)
		}
		blocks := strings.Split(body, "```go\n")[1:]
		if len(blocks) != 2 {
			t.Fatalf("%s: got %d programs, want 2", name, len(blocks))
		}
		for i, list := range []*[]entry{&refused, &instead} {
			code, _, _ := strings.Cut(blocks[i], "```")
			if formatted, err := format.Source([]byte(code)); err != nil || string(formatted) != code {
				t.Errorf("%s: got program %d\n%s\nwant it formatted: %v\n%s", name, i+1, code, err, formatted)
			}
			*list = append(*list, entry{name, code})
		}
	}
	if len(refused) != rows {
		t.Errorf("docs/scripts.md has %d rows in the dialect, want %d", rows, len(refused))
	}
	// The compiler refuses this one as well.
	compilable := func(e entry) bool { return e.name != "range over a number" }
	var all []entry
	for i := range refused {
		if compilable(refused[i]) {
			all = append(all, refused[i])
		}
		all = append(all, instead[i])
	}
	results := compiled(t, all)
	for i, e := range refused {
		t.Run(e.name, func(t *testing.T) {
			marked := map[int]bool{}
			for n, line := range strings.Split(e.code, "\n") {
				if strings.HasSuffix(line, "// refused") {
					marked[n] = true
				}
			}
			for n, text := range refusals(t, e) {
				if !marked[n] {
					t.Errorf("line %d, not marked: got problem %q, want none", n+1, text)
				}
				delete(marked, n)
			}
			for n := range marked {
				t.Errorf("line %d, marked: got no problem, want one", n+1)
			}
			for n, text := range refusals(t, instead[i]) {
				t.Errorf("line %d of the second program: got problem %q, want none", n+1, text)
			}
			if compilable(e) {
				want := results[0]
				results = results[1:]
				if got := interpreted(t, e); got == want {
					t.Errorf("got %q interpreted and compiled, want a difference: the rule is not needed", want)
				}
				if results[0] != want {
					t.Errorf("the second program, compiled: got %q, want %q", results[0], want)
				}
			}
			if got := interpreted(t, instead[i]); got != results[0] {
				t.Errorf("the second program, interpreted: got %q, want %q", got, results[0])
			}
			results = results[1:]
		})
	}
}

var update = flag.Bool("update", false, "write the golden files")

func TestAcceptedProgramsRunAsCompiled(t *testing.T) {
	text, err := os.ReadFile("testdata/accepted.txt")
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	for _, section := range strings.Split(string(text), "\n== ")[1:] {
		name, code, _ := strings.Cut(section, "\n")
		entries = append(entries, entry{name, code})
	}
	const golden = "testdata/accepted.golden" // the results of the compiled programs, each quoted in a line
	if long.Run() || *update {
		var lines strings.Builder
		for _, result := range compiled(t, entries) {
			fmt.Fprintf(&lines, "%q\n", result)
		}
		if *update {
			if err := os.WriteFile(golden, []byte(lines.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(golden); err != nil || string(got) != lines.String() {
			t.Errorf("%s has %v\n%s\nwant\n%s", golden, err, got, lines.String())
		}
	}
	text, err = os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	results := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(results) != len(entries) {
		t.Fatalf("%s has %d results, want %d: run go test -run %s -update", golden, len(results), len(entries), t.Name())
	}
	for i, e := range entries {
		t.Run(e.name, func(t *testing.T) {
			for n, text := range refusals(t, e) {
				t.Errorf("line %d: got problem %q, want none", n+1, text)
			}
			if got := strconv.Quote(interpreted(t, e)); got != results[i] {
				t.Errorf("interpreted: got %s, want %s", got, results[i])
			}
		})
	}
}
