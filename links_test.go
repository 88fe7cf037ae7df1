package colosseum

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fence    = regexp.MustCompile("(?ms)^```.*?^```$")
	heading  = regexp.MustCompile(`(?m)^#{1,6} (.*)$`)
	anchor   = regexp.MustCompile(`<a id="([^"]+)">`)
	markdown = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	named    = regexp.MustCompile(`\bdocs/[a-z/-]+\.md(?:#[\w-]+)?`)
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinksBetweenPagesLeadSomewhere follows the links of all pages, with their anchors,
// and the pages of docs that sources and configurations name.
func TestLinksBetweenPagesLeadSomewhere(t *testing.T) {
	anchors := map[string]map[string]bool{} // by the path of a page
	check := func(from, target string) {
		file, fragment, _ := strings.Cut(target, "#")
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s names %s, want a file that exists", from, target)
			return
		}
		if fragment == "" || filepath.Ext(file) != ".md" {
			return
		}
		if anchors[file] == nil {
			anchors[file] = anchorsOf(textOf(t, file))
		}
		if !anchors[file][fragment] {
			t.Errorf("%s names %s, want a heading of that page", from, target)
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || path != "." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case filepath.Ext(path) == ".md":
			for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(textOf(t, path), ""), -1) {
				switch target := m[1]; {
				case strings.Contains(target, ":"): // another site
				case strings.HasPrefix(target, "#"):
					check(path, path+target)
				default:
					check(path, filepath.Join(filepath.Dir(path), target))
				}
			}
		case filepath.Ext(path) == ".go" || filepath.Ext(path) == ".yaml" || filepath.Ext(path) == ".service":
			for _, target := range named.FindAllString(textOf(t, path), -1) {
				check(path, target)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// anchorsOf returns the anchors of a page, which GitHub makes from its headings.
func anchorsOf(page string) map[string]bool {
	anchors := map[string]bool{}
	page = fence.ReplaceAllString(page, "")
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		text := noAnchor.ReplaceAllString(strings.ToLower(markdown.ReplaceAllString(m[1], "$1")), "")
		anchors[strings.ReplaceAll(text, " ", "-")] = true
	}
	for _, m := range anchor.FindAllStringSubmatch(page, -1) {
		anchors[m[1]] = true
	}
	return anchors
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
