package command

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/buildinfo"
)

func TestEachCommandHasASectionInTheDescriptionOfTheTools(t *testing.T) {
	text, err := os.ReadFile("../../../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	want := []string{"completion"} // which the library adds
	for _, c := range root(nil).Commands {
		want = append(want, c.Name)
		for _, sub := range c.Commands {
			if !strings.Contains(page, "host "+c.Name+" "+sub.Name) && !strings.Contains(page, "`"+sub.Name+"`") && !strings.Contains(page, "`"+sub.Name+" ") {
				t.Errorf("docs/tools.md does not name host %s %s, want what it does", c.Name, sub.Name)
			}
		}
	}
	var sections, rows []string
	for _, m := range regexp.MustCompile(`(?m)^## ([a-z-]+)$`).FindAllStringSubmatch(page, -1) {
		sections = append(sections, m[1])
	}
	for _, m := range regexp.MustCompile("(?m)^\\| \\[`([a-z-]+)`\\]\\(#([a-z-]+)\\) \\|").FindAllStringSubmatch(page, -1) {
		rows = append(rows, m[1])
	}
	for what, got := range map[string][]string{"sections": sections, "rows of the table": rows} {
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("docs/tools.md has the %s %q, want one for each command: %q", what, got, want)
		}
	}
}

func TestVersionIsPrintedInsteadOfServing(t *testing.T) {
	for _, args := range [][]string{{"host", "--version"}, {"host", "-V"}, {"host", "--version", "--config", "/nowhere.yaml"}} {
		var out bytes.Buffer
		r := root(nil)
		r.Writer = &out
		if err := r.Run(t.Context(), args); err != nil || out.String() != buildinfo.Describe("host")+"\n" {
			t.Errorf("%q: got %q, %v, want the version", args, out.String(), err)
		}
	}
}
