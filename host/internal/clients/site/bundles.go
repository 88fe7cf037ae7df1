package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"colosseum/internal/locale"
)

// The folder built has one script and one style sheet for each page: its modules and style
// sheets, bundled and minified. Their addresses have the hash of their content, so browsers
// keep them for ever. After a change of the sources, pages use those as they are until go
// generate is run.
//
//go:generate go test -run TestBundlesAreCurrent -update .

// sourcesFile has the hash of the sources of the bundles.
const sourcesFile = "built/sources"

// bundled reports whether the bundles are those of the sources.
var bundled = sync.OnceValue(func() bool {
	known, err := embeds.ReadFile(sourcesFile)
	return err == nil && string(known) == sourcesHash()
})

// sourcesHash returns the hash of all that the bundles are built from.
func sourcesHash() string {
	sum := sha256.New()
	for _, pattern := range []string{"pages/*.js", "pages/*.css", "frame/*.js"} {
		names, _ := fs.Glob(embeds, pattern) // the pattern is well formed; the names are sorted
		for _, name := range names {
			// Git can write line ends as Windows does.
			text := bytes.ReplaceAll(embedded(name), []byte("\r\n"), []byte("\n"))
			fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		}
	}
	for _, p := range append(slices.Clone(pages), plainPage) {
		fmt.Fprintln(sum, p.name, p.script, p.styles)
	}
	return hex.EncodeToString(sum.Sum(nil)) + "\n"
}

// stem returns the name of the bundles of a page, without an ending.
func (p page) stem() string { return strings.TrimSuffix(p.name, ".html") }

// bundles are the documents of the bundles, and the texts of each page in each language.
var bundles = sync.OnceValue(func() map[string]*document {
	list := map[string]*document{}
	if bundled() {
		names, _ := fs.Glob(embeds, "built/*.*") // the pattern is well formed
		for _, name := range names {
			list[path.Base(name)] = fileDocument(name, embedded(name))
		}
	}
	for _, p := range pages {
		for _, l := range languages() {
			list[p.texts(l)] = fileDocument(p.texts(l), l.Pages(needs(p.script)))
		}
	}
	return list
})

// texts returns the name of the file with the texts of the page.
func (p page) texts(l *locale.Language) string { return p.stem() + "." + l.Code + ".json" }

// hashed returns the path of a bundle, with the hash of its content.
func hashed(name string) string {
	ending := path.Ext(name)
	return "/assets/" + strings.TrimSuffix(name, ending) + "-" + bundles()[name].hash() + ending
}

// hash returns the part of the ETag that is in addresses.
func (d *document) hash() string { return strings.Trim(d.etag, `"`)[:hashLength] }

const hashLength = 10

// hashedName matches the name of a bundle in an address.
var hashedName = regexp.MustCompile(`^(.+)-([0-9a-f]{10})(\.[a-z]+)$`)

// bundle sends a bundle. During an upgrade, another host of the cluster can have sent the page,
// so any hash is good, but only the right one is kept. It reports false if there is none.
func (s *shared) bundle(w http.ResponseWriter, r *http.Request, name string) bool {
	m := hashedName.FindStringSubmatch(name)
	if m == nil || bundles()[m[1]+m[3]] == nil {
		return false
	}
	d := *bundles()[m[1]+m[3]]
	if m[2] == d.hash() {
		d.cache = forever
	}
	d.send(w, r)
	return true
}

// called matches the texts of a module. A test of the package locale finds them in the same way.
var called = regexp.MustCompile(`\b(?:t|phrase)\(\s*("(?:[^"\\]|\\.)*")`)

// wording are the texts of each module, and those in the markup of all pages, which are
// translated in it.
var wording = sync.OnceValue(func() map[string]map[string]bool {
	list := map[string]map[string]bool{}
	names, _ := fs.Glob(embeds, "pages/*.js") // the pattern is well formed
	for _, name := range names {
		words := map[string]bool{}
		for _, m := range called.FindAllSubmatch(embedded(name), -1) {
			text, _ := strconv.Unquote(string(m[1]))
			words[text] = true
		}
		list[path.Base(name)] = words
	}
	markup := map[string]bool{}
	names, _ = fs.Glob(embeds, "pages/*.html")
	for _, name := range names {
		for _, match := range static.FindAllString(string(embedded(name)), -1) {
			markup[staticText(match)] = true
		}
	}
	for _, p := range pages {
		markup[p.title] = true
	}
	list[""] = markup
	return list
})

// needs returns whether the page of a script needs a translated text: those in its modules, and
// those that neither modules nor markup have: they come from elsewhere.
func needs(script string) func(text string) bool {
	own := modules(script, nil, anyImport)
	return func(text string) bool {
		somewhere := false
		for module, words := range wording() {
			if words[text] {
				if somewhere = true; own[module] {
					return true
				}
			}
		}
		return !somewhere
	}
}
