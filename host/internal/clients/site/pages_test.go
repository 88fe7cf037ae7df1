package site

import (
	"slices"
	"strings"
	"testing"
)

func TestPagesPreloadAllModulesThatTheyImport(t *testing.T) {
	match := pages[slices.IndexFunc(pages, func(p page) bool { return p.name == "match.html" })]
	text, _ := match.links(false)
	for _, module := range []string{"match.js", "dom.js", "seat.js", "i18n.js"} {
		if n := strings.Count(text, `<link rel="modulepreload" href="/assets/`+module+`">`); n != 1 {
			t.Errorf("got %d links to preload %s, want 1", n, module)
		}
	}
	if strings.Contains(text, `modulepreload" href="/assets/picture.js"`) {
		t.Error("got a link to preload picture.js, which is imported later, want none")
	}
	for name, d := range documents() {
		if strings.Contains(string(d.plain), "{{") && strings.HasSuffix(name, ".html") {
			t.Errorf("%s: got a page with {{, want all parts filled in", name)
		}
	}
}

func TestTitlesOfPagesAreEscaped(t *testing.T) {
	text := string(pages[0].document("", "", "</title><script>", "").plain)
	if !strings.Contains(text, "<title>&lt;/title&gt;&lt;script&gt;</title>") {
		t.Errorf("got %s, want an escaped title", text)
	}
}
