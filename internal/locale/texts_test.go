package locale

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const pagesFolder = "../../host/internal/clients/site/pages"

// TestEachTextIsTranslated finds texts of pages and of coco that a language has no
// translation of, and translations of texts that no longer exist.
func TestEachTextIsTranslated(t *testing.T) {
	pages, coco := textsOfPages(t), textsOfCoco(t)
	for code := range Files() {
		l := Open(code)
		both := maps.Clone(l.Texts)
		maps.Copy(both, l.Coco)
		wantKeys(t, code+", texts", l.Texts, l.Texts, pages)
		wantKeys(t, code+", coco", l.Coco, both, coco)
	}
}

// wantKeys checks that translations has only keys of texts, and that together with those
// of other sections all has each of them.
func wantKeys(t *testing.T, name string, translations, all map[string]string, texts map[string]string) {
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		if all[text] == "" {
			t.Errorf("%s: got no translation of %q, which is in %s", name, text, texts[text])
		}
	}
	for _, text := range slices.Sorted(maps.Keys(translations)) {
		if texts[text] == "" {
			t.Errorf("%s: got a translation of %q, want none: no page and no file of coco has this text", name, text)
		}
	}
}

// TestTextsOfGamesExist: the texts of the games of this repository are translated if they
// are in a language's file. Those of other games are shown as their authors wrote them.
func TestTextsOfGamesExist(t *testing.T) {
	all := ""
	for _, suffix := range []string{".md", ".go"} {
		for _, path := range filesIn(t, "../../plugins", suffix) {
			all += strings.Join(strings.Fields(read(t, path)), " ")
		}
	}
	for code := range Files() {
		for text := range Open(code).Games {
			name := `"` + strings.ReplaceAll(strings.ToLower(text), " ", "_") + `"` // of a parameter, or a value
			if !strings.Contains(all, text) && !strings.Contains(all, name) {
				t.Errorf("%s, games: got a translation of %q, want none: no game has this text", code, text)
			}
		}
	}
}

func TestTranslationsHaveTheValuesAndFormsOfTheirTexts(t *testing.T) {
	for code := range Files() {
		l := Open(code)
		if l.Name == "" || len(l.Plurals) == 0 || l.Plurals[len(l.Plurals)-1] != "other" {
			t.Errorf("%s: got name %q and plurals %q, want both, the plurals with other at the end", code, l.Name, l.Plurals)
		}
		for text, translated := range l.Texts {
			if got, want := values(braces, translated), values(braces, text); !slices.Equal(got, want) {
				t.Errorf("%s, %q: got the values %q, want %q", code, text, got, want)
			}
			wantForms(t, l, text, translated, strings.Contains(text, "{n}"))
		}
		for text, translated := range l.Coco {
			if got, want := verbs(translated), verbs(text); !maps.Equal(got, want) {
				t.Errorf("%s, %q: got the values %v, want %v", code, text, got, want)
			}
			wantForms(t, l, text, translated, strings.Contains(text, "%d"))
		}
	}
}

func wantForms(t *testing.T, l *Language, text, translated string, counts bool) {
	if !counts || !strings.Contains(text, "|") {
		return
	}
	if got := strings.Count(translated, "|") + 1; got != len(l.Plurals) {
		t.Errorf("%s, %q: got %d forms, want %d, one for each of %q", l.Code, text, got, len(l.Plurals), l.Plurals)
	}
}

var braces = regexp.MustCompile(`\{\w+\}`)

// values returns the names of values in a text.
func values(pattern *regexp.Regexp, text string) []string {
	return slices.Compact(slices.Sorted(slices.Values(pattern.FindAllString(text, -1))))
}

var verb = regexp.MustCompile(`%([-+# 0-9.]*)(?:\[(\d+)\])?([a-zA-Z%])`)

// verbs returns the verbs of a format by the number of their values.
func verbs(format string) map[int]string {
	found := map[int]string{}
	format, _, _ = strings.Cut(format, "|")
	next := 1
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[3] == "%" {
			continue
		}
		if m[2] != "" {
			next, _ = strconv.Atoi(m[2])
		}
		found[next] = strings.ReplaceAll(m[1]+m[3], "w", "v")
		next++
	}
	return found
}

var (
	called   = regexp.MustCompile(`(?:^|[^\w.])(?:t|phrase)\(\s*("(?:[^"\\]|\\.)*")?`)
	markup   = regexp.MustCompile(`>([^<>]*\pL[^<>]*)<| (?:aria-label|title|placeholder|alt)="([^"]*\pL[^"]*)"`)
	ownTitle = regexp.MustCompile(`\btitle: ("[^"]+")`)
)

// textsOfPages returns the texts of the pages, each with a file that has it.
func textsOfPages(t *testing.T) map[string]string {
	texts := map[string]string{}
	for _, path := range filesIn(t, pagesFolder, ".js") {
		if filepath.Base(path) == "i18n.js" {
			continue
		}
		for _, m := range called.FindAllStringSubmatch(read(t, path), -1) {
			text, err := strconv.Unquote(m[1])
			if err != nil {
				t.Errorf("%s: got %q, want t(\"…\") or phrase(\"…\") with a text that the test can read", path, m[0])
				continue
			}
			texts[text] = path
		}
	}
	for _, path := range filesIn(t, pagesFolder, ".html") {
		for _, m := range markup.FindAllStringSubmatch(read(t, path), -1) {
			if text := strings.TrimSpace(m[1] + m[2]); !strings.Contains(text, "{{") {
				texts[text] = path
			}
		}
	}
	for _, m := range ownTitle.FindAllStringSubmatch(read(t, pagesFolder+"/../pages.go"), -1) {
		text, _ := strconv.Unquote(m[1])
		texts[text] = "pages.go"
	}
	return texts
}

// words are the texts of coco that it finds in answers of the host.
var words = []string{
	"open", "running", "paused", "ended", "planned", "played", "walkover", "void", "bye",
	"round-robin", "swiss", "knockout", "double-elimination", "gauntlet", "score", "ladder", "league", "cup",
	"finished", "aborted", "forfeit: illegal", "forfeit: timeout", "forfeit: disconnected", "forfeit: resigned",
	"illegal", "timeout", "disconnected", "resigned",
	"won", "drawn", "lost", "not played", "unknown",
	"queued", "building", "trying", "accepted", "refused", "removed",
	"Game not found", "Wrong password",
}

// positions are the arguments of functions of coco that are texts; -1: all.
var positions = map[string][]int{
	"Errorf": {0}, "Of": {0}, "Word": {0}, "Sprintf": {0}, "Count": {1}, "Line": {0}, "line": {0}, "usage": {0}, "connectionError": {0}, "say": {1}, "warn": {1},
	"write": {0}, "remarkLocked": {1}, "headings": {-1}, "plural": {1, 2}, "row": {0, 1}, "field": {0}, "lingerFlag": {0},
}

var helpFields = []string{"Usage", "ArgsUsage", "Description", "DefaultText"}

// textsOfCoco returns the texts of coco, each with a file that has it.
func textsOfCoco(t *testing.T) map[string]string {
	texts := map[string]string{}
	for _, word := range words {
		texts[word] = "answers of the host"
	}
	folders := map[string][]*ast.File{}
	for _, path := range filesIn(t, "../../coco/internal", ".go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		folders[filepath.Dir(path)] = append(folders[filepath.Dir(path)], f)
	}
	for folder, list := range folders {
		s := scanner{constants: map[string]ast.Expr{}, found: func(text string) {
			if regexp.MustCompile(`\pL`).MatchString(verb.ReplaceAllString(text, "")) {
				texts[text] = folder
			}
		}}
		for _, f := range list {
			ast.Inspect(f, s.constant)
		}
		for _, f := range list {
			ast.Inspect(f, s.visit)
		}
	}
	return texts
}

type scanner struct {
	constants map[string]ast.Expr
	found     func(text string)
}

func (s *scanner) constant(n ast.Node) bool {
	if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == len(spec.Names) {
		for i, name := range spec.Names {
			s.constants[name.Name] = spec.Values[i]
		}
	}
	return true
}

func (s *scanner) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		for _, i := range positions[nameOf(n.Fun)] {
			for j, arg := range n.Args {
				if i == j || i < 0 {
					s.expression(arg)
				}
			}
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(helpFields, key.Name) {
			s.expression(n.Value)
		}
	case *ast.AssignStmt:
		if field, ok := n.Lhs[0].(*ast.SelectorExpr); ok && slices.Contains(helpFields, field.Sel.Name) {
			s.expression(n.Rhs[0])
		}
	}
	return true
}

// nameOf returns the name of a function, except those of fmt.
func nameOf(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if from, ok := f.X.(*ast.Ident); !ok || from.Name != "fmt" {
			return f.Sel.Name
		}
	}
	return ""
}

func (s *scanner) expression(e ast.Expr) {
	if text, ok := s.value(e); ok {
		s.found(text)
	}
}

// value returns the value of a constant text.
func (s *scanner) value(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.Ident:
		if constant := s.constants[e.Name]; constant != nil {
			return s.value(constant)
		}
	case *ast.BinaryExpr:
		left, ok := s.value(e.X)
		right, also := s.value(e.Y)
		return left + right, ok && also
	}
	return "", false
}

func filesIn(t *testing.T, folder, suffix string) (paths []string) {
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, suffix) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: got %v and %d files, want files", folder, err, len(paths))
	}
	return paths
}

func read(t *testing.T, path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
