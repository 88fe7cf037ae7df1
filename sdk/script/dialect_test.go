package script

import (
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

	"colosseum/sdk/driver"
	"colosseum/sdk/script/symbols"
)

// entry is one way to write something, from docs/scripts.md or testdata: Go
// declarations with func run() string.
type entry struct{ name, code string }

// imports are the packages that entries use.
var imports = []string{"bytes", "container/heap", "container/list", "errors", "fmt", "math", "math/big", "math/bits", "sort", "strconv", "strings", "unicode"}

// file makes a file of an entry, in a package of that name.
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

// script makes a script of an entry. It runs the entry twice: in main, and as a
// referee.
func (e entry) script() string {
	return e.file("main", symbols.SDK, pluginPath) + `
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

// compiled runs entries in a program that the Go compiler builds, and returns
// their results. An entry that panics has the result "panic: " and the value.
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
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
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

// interpreted runs an entry as a script, whether the checker accepts it or not.
func interpreted(t *testing.T, e entry) string {
	t.Helper()
	s := newSource()
	if problems := s.read(folder(t, e.script())); len(problems) > 0 {
		t.Fatal(Problems(problems))
	}
	s.checkTypes()
	return s.result(t)
}

// result runs a script of an entry.
func (s *source) result(t *testing.T) string {
	t.Helper()
	i, problems := s.compile()
	if problems != nil {
		return "problem: " + problems[0].Text
	}
	g, err := i.run()
	if err != nil {
		return "error: " + err.Error()
	}
	settings, err := g.Prepare(driver.Request{})
	if err != nil {
		t.Fatal(err)
	}
	var again result
	g.Run(driver.Setup{Settings: settings, Names: []string{"a"}}, &again)
	if string(again) != g.Title {
		return g.Title + ", and as a referee " + string(again)
	}
	return g.Title
}

// result is a table that keeps the reason with which a match ends.
type result string

func (r *result) Send(t *driver.Turn) bool {
	if t.End != nil {
		*r = result(t.End.Reason)
	}
	return true
}
func (r *result) Wait() ([]driver.Answer, bool) { return nil, false }
func (r *result) Pause(time.Duration) bool      { return true }

// folder writes a script of one file.
func folder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "entry.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// refusals returns what the checker says of an entry, by line of the entry.
func refusals(t *testing.T, e entry) map[int]string {
	t.Helper()
	before := strings.Count(e.head("main", symbols.SDK, pluginPath), "\n") + 1
	lines := map[int]string{}
	for _, p := range Check(folder(t, e.script())) {
		lines[p.Line-before] = p.Text
	}
	return lines
}

// TestDialectIsAsDocumented: of each pair of programs in docs/scripts.md, the
// first is refused at the line that is marked, and for a reason: interpreted it
// does something else than compiled. The second is accepted, and does what the
// first does when compiled, both compiled and interpreted.
func TestDialectIsAsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/scripts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, dialect, _ := strings.Cut(string(text), "\n## The dialect\n")
	dialect, _, _ = strings.Cut(dialect, "\n## ")
	var refused, instead []entry
	for _, section := range strings.Split(dialect, "\n### ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		blocks := strings.Split(body, "```go\n")[1:]
		if len(blocks) == 0 {
			continue
		}
		if len(blocks) != 2 {
			t.Fatalf("%s has %d programs, want 2", name, len(blocks))
		}
		for i, list := range []*[]entry{&refused, &instead} {
			code, _, _ := strings.Cut(blocks[i], "```")
			if formatted, err := format.Source([]byte(code)); err != nil || string(formatted) != code {
				t.Errorf("%s: program %d is not formatted: %v\n%s", name, i+1, err, formatted)
			}
			*list = append(*list, entry{name, code})
		}
	}
	// What the compiler refuses as well has no result.
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
					t.Errorf("line %d is refused and not marked: %s", n+1, text)
				}
				delete(marked, n)
			}
			for n := range marked {
				t.Errorf("line %d is marked and not refused", n+1)
			}
			for n, text := range refusals(t, instead[i]) {
				t.Errorf("line %d of the other way is refused: %s", n+1, text)
			}
			if compilable(e) {
				want := results[0]
				results = results[1:]
				if got := interpreted(t, e); got == want {
					t.Errorf("it is refused without need: the result is %q compiled and interpreted", want)
				}
				if results[0] != want {
					t.Errorf("the other way is not the same: %q, want %q", results[0], want)
				}
			}
			if got := interpreted(t, instead[i]); got != results[0] {
				t.Errorf("the other way is %q interpreted, %q compiled", got, results[0])
			}
			results = results[1:]
		})
	}
}

// TestWhatIsAcceptedRunsAsCompiled runs small programs of all kinds.
func TestWhatIsAcceptedRunsAsCompiled(t *testing.T) {
	text, err := os.ReadFile("testdata/accepted.txt")
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	for _, section := range strings.Split(string(text), "\n== ")[1:] {
		name, code, _ := strings.Cut(section, "\n")
		entries = append(entries, entry{name, code})
	}
	results := compiled(t, entries)
	for i, e := range entries {
		t.Run(e.name, func(t *testing.T) {
			s, problems := check(folder(t, e.script()))
			if len(problems) > 0 {
				t.Fatal(Problems(problems))
			}
			if got := s.result(t); got != results[i] {
				t.Errorf("%q interpreted, %q compiled", got, results[i])
			}
		})
	}
}
