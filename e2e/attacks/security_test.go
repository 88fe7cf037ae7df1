//go:build linux

package attacks

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
)

func TestSecurityListsTheAttacksOfTheTests(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(programs.Root, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Attacks\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !found {
		t.Fatal("got no section Attacks, want one")
	}
	var got []string
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, id := range regexp.MustCompile("`([a-z0-9-]+)`").FindAllStringSubmatch(cells[2], -1) {
				got = append(got, id[1])
			}
		}
	}
	want := slices.Clone(others)
	for _, a := range attacks {
		want = append(want, a.id)
	}
	slices.Sort(got)
	slices.Sort(want)
	for _, id := range want {
		if !slices.Contains(got, id) {
			t.Errorf("got no attack %s in SECURITY.md, want it", id)
		}
	}
	for _, id := range got {
		if !slices.Contains(want, id) {
			t.Errorf("got the attack %s in SECURITY.md, want only those of the tests", id)
		}
	}
	if len(slices.Compact(got)) != len(want) {
		t.Errorf("got %d attacks, want %d: each once", len(got), len(want))
	}
}
