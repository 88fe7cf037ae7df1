package site

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/test/long"
)

var update = flag.Bool("update", false, "write the bundles")

// esbuild runs esbuild in the folder of the package.
func esbuild(t *testing.T, stdin string, arguments ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", append([]string{"tool", "esbuild", "--minify", "--target=es2022", "--log-level=warning"}, arguments...)...)
	cmd.Stdin = strings.NewReader(stdin)
	var faults bytes.Buffer
	cmd.Stderr = &faults
	out, err := cmd.Output()
	if err != nil || faults.Len() > 0 {
		t.Fatalf("esbuild %v: %v\n%s", arguments, err, faults.String())
	}
	return out
}

// build returns what the folder built must have.
func build(t *testing.T) map[string][]byte {
	files := map[string][]byte{"sources": []byte(sourcesHash())}
	for _, p := range append(slices.Clone(pages), plainPage) {
		if p.script != "" {
			files[p.stem()+".js"] = esbuild(t, "", "--bundle", "--format=esm", "--external:./codemirror.js", "pages/"+p.script)
		}
		var sheets strings.Builder
		for _, style := range append([]string{"site.css"}, p.styles...) {
			sheets.WriteString(`@import "./pages/` + style + "\";\n")
		}
		files[p.stem()+".css"] = esbuild(t, sheets.String(), "--bundle", "--loader=css")
	}
	scripts, err := filepath.Glob("frame/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.ToSlash(name)] = esbuild(t, string(text), "--loader=js")
	}
	return files
}

func TestBundlesAreCurrent(t *testing.T) {
	if !*update {
		long.Only(t, "it builds esbuild and all bundles")
	}
	want := build(t)
	if *update {
		if err := os.RemoveAll("built"); err != nil {
			t.Fatal(err)
		}
		for name, text := range want {
			name = filepath.Join("built", filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := filepath.WalkDir("built", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		got, err := os.ReadFile(name)
		key := strings.TrimPrefix(filepath.ToSlash(name), "built/")
		if text, ok := want[key]; !ok || !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), text) {
			t.Errorf("%s is not what go generate writes: run go generate ./host/internal/clients/site", name)
		}
		delete(want, key)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		t.Errorf("built/%s is missing: run go generate ./host/internal/clients/site", name)
	}
}

func TestBundlesHaveAddressesThatNeverChange(t *testing.T) {
	s, _ := newSite(t)
	page := get(s, "/match/ended0", "Accept-Language", "it").Body.String()
	for _, m := range linked.FindAllStringSubmatch(page, -1) {
		if !hashedName.MatchString(m[1]) {
			continue
		}
		if w := get(s, m[1]); w.Code != 200 || w.Header().Get("Cache-Control") != forever {
			t.Errorf("%s: got %d %v, want an answer that never changes", m[1], w.Code, w.Header())
		}
		old := hashedName.ReplaceAllString(m[1], "$1-0123456789$3")
		if w := get(s, old); w.Code != 200 || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: got %d %v, want the current content, which is not kept", old, w.Code, w.Header())
		}
	}
	if w := get(s, "/assets/nothing-0123456789.js"); w.Code != 404 {
		t.Errorf("got %d, want 404", w.Code)
	}
	if want := map[bool]int{true: 3, false: 1}[bundled()]; strings.Count(page, `-`+bundles()["match.it.json"].hash()+`.json"`) != 1 || len(hashedIn(page)) != want {
		t.Errorf("got the addresses %v, want %d with hashes", hashedIn(page), want)
	}
}

func hashedIn(page string) (list []string) {
	for _, m := range linked.FindAllStringSubmatch(page, -1) {
		if hashedName.MatchString(m[1]) {
			list = append(list, m[1])
		}
	}
	return list
}

func TestAPageHasTheTextsThatItNeeds(t *testing.T) {
	match, lobby, contests := string(bundles()["match.it.json"].plain), string(bundles()["index.it.json"].plain), string(bundles()["contests.it.json"].plain)
	for _, tt := range []struct {
		text, page string
		want       bool
	}{{"Bring a bot", match, false}, {"{n} entrant|{n} entrants", contests, true}, {"Raw stream", match, true}, {"Raw stream", lobby, false}, {"Copied", match, true}} {
		if got := strings.Contains(tt.page, `"`+tt.text+`"`); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.text, got, tt.want)
		}
	}
}
