package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
)

// The interpreter has no generic functions, and neither min, max nor clear. Each call of
// one of these gets a function of its own, made from a text in this file. Such functions
// do what those of the library do, which TestAcceptedProgramsRunAsCompiled compares; a
// panic has the place of the call. Capital letters are types.

// generic has the texts of the packages of generic functions, by package and function.
var generic = map[string]map[string]string{
	"builtin": {
		"min":       "[E cmp.Ordered](x E, rest ...E) E { for _, y := range rest { if y < x || y != y { x = y } }; return x }",
		"max":       "[E cmp.Ordered](x E, rest ...E) E { for _, y := range rest { if y > x || y != y { x = y } }; return x }",
		"clear":     "[S ~[]E, E any](s S) { var zero E; for i := range s { s[i] = zero } }",
		"clear map": "[M ~map[K]V, K comparable, V any](m M) { for k := range m { delete(m, k) } }",
	},
	"cmp": {
		"Compare": "[E Ordered](x, y E) int { switch { case x < y || x != x && y == y: return -1; case x > y || x == x && y != y: return 1 }; return 0 }",
		"Less":    "[E Ordered](x, y E) bool { return x < y || x != x && y == y }",
	},
	"maps": {
		"Clone": "[M ~map[K]V, K comparable, V any](m M) M { if m == nil { return m }; c := make(M, len(m)); for k, v := range m { c[k] = v }; return c }",
		"Copy":  "[M ~map[K]V, N ~map[K]V, K comparable, V any](to M, from N) { for k, v := range from { to[k] = v } }",
		"Keys":  "[M ~map[K]V, K comparable, V any](m M) Seq[K] { panic(0) }", // only for Sorted
	},
	"slices": {
		"BinarySearch":   "[S ~[]E, E cmp.Ordered](s S, v E) (int, bool) { n := ǃsort.Search(len(s), func(i int) bool { return !(s[i] < v) }); return n, n < len(s) && s[n] == v }",
		"Clone":          "[S ~[]E, E any](s S) S { if s == nil { return s }; return append(S{}, s...) }",
		"Compact":        "[S ~[]E, E comparable](s S) S { if len(s) < 2 { return s }; var zero E; n := 1; for i := 1; i < len(s); i++ { if s[i] != s[i-1] { if n != i { s[n] = s[i] }; n++ } }; for i := n; i < len(s); i++ { s[i] = zero }; return s[:n] }",
		"Contains":       "[S ~[]E, E comparable](s S, v E) bool { for i := range s { if v == s[i] { return true } }; return false }",
		"ContainsFunc":   "[S ~[]E, E any](s S, f func(E) bool) bool { for i := range s { if f(s[i]) { return true } }; return false }",
		"Delete":         "[S ~[]E, E any](s S, i, j int) S { _ = s[i:j:len(s)]; if i == j { return s }; var zero E; n := i + copy(s[i:], s[j:]); for k := n; k < len(s); k++ { s[k] = zero }; return s[:n] }",
		"Equal":          "[S ~[]E, E comparable](s, t S) bool { if len(s) != len(t) { return false }; for i := range s { if s[i] != t[i] { return false } }; return true }",
		"Index":          "[S ~[]E, E comparable](s S, v E) int { for i := range s { if v == s[i] { return i } }; return -1 }",
		"IndexFunc":      "[S ~[]E, E any](s S, f func(E) bool) int { for i := range s { if f(s[i]) { return i } }; return -1 }",
		"Insert":         "[S ~[]E, E any](s S, i int, v ...E) S { _ = s[i:]; n, m := len(s), len(v); if m == 0 { return s }; if i == n { return append(s, v...) }; if n+m > cap(s) { t := append(s[:i], make(S, n+m-i)...); copy(t[i:], v); copy(t[i+m:], s[i:]); return t }; w := append(S{}, v...); t := s[:n+m]; copy(t[i+m:], s[i:]); copy(t[i:], w); return t }",
		"IsSorted":       "[S ~[]E, E cmp.Ordered](s S) bool { for i := 1; i < len(s); i++ { if s[i] < s[i-1] || s[i] != s[i] && s[i-1] == s[i-1] { return false } }; return true }",
		"Max":            "[S ~[]E, E cmp.Ordered](s S) E { if len(s) < 1 { panic(\"slices.Max: empty list\") }; m := s[0]; for _, v := range s { if v > m || v != v { m = v } }; return m }",
		"MaxFunc":        "[S ~[]E, E any](s S, compare func(a, b E) int) E { if len(s) < 1 { panic(\"slices.MaxFunc: empty list\") }; m := s[0]; for _, v := range s { if compare(v, m) > 0 { m = v } }; return m }",
		"Min":            "[S ~[]E, E cmp.Ordered](s S) E { if len(s) < 1 { panic(\"slices.Min: empty list\") }; m := s[0]; for _, v := range s { if v < m || v != v { m = v } }; return m }",
		"MinFunc":        "[S ~[]E, E any](s S, compare func(a, b E) int) E { if len(s) < 1 { panic(\"slices.MinFunc: empty list\") }; m := s[0]; for _, v := range s { if compare(v, m) < 0 { m = v } }; return m }",
		"Reverse":        "[S ~[]E, E any](s S) { for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 { v := s[i]; s[i] = s[j]; s[j] = v } }",
		"Sort":           "[S ~[]E, E cmp.Ordered](s S) { ǃsort.Slice(s, func(i, j int) bool { return s[i] < s[j] || s[i] != s[i] && s[j] == s[j] }) }",
		"SortFunc":       "[S ~[]E, E any](s S, compare func(a, b E) int) { ǃsort.Slice(s, func(i, j int) bool { return compare(s[i], s[j]) < 0 }) }",
		"SortStableFunc": "[S ~[]E, E any](s S, compare func(a, b E) int) { ǃsort.SliceStable(s, func(i, j int) bool { return compare(s[i], s[j]) < 0 }) }",
		"Sorted":         "[K cmp.Ordered](keys maps.Seq[K]) []K { panic(0) }", // only of maps.Keys
		"sorted keys":    "[M ~map[K]V, K cmp.Ordered, V any](m M) []K { var s []K; for k := range m { s = append(s, k) }; ǃsort.Slice(s, func(i, j int) bool { return s[i] < s[j] || s[i] != s[i] && s[j] == s[j] }); return s }",
	},
}

// isGeneric reports whether an import path is that of a package of generic functions.
func isGeneric(path string) bool { return path != "builtin" && generic[path] != nil }

// sequences declares what maps.Keys returns.
const sequences = "\ntype Seq[K any] struct{ keys []K }\n"

// genericTypes returns the types of the packages of generic functions. They do not
// change, and all scripts share them.
var genericTypes = sync.OnceValues(func() (packages, error) {
	all := packages{}
	fset := token.NewFileSet()
	for _, path := range []string{"cmp", "maps", "slices"} {
		text := "package " + path
		switch path {
		case "cmp":
			text += "\ntype Ordered interface { ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64 | ~string }\n"
		case "maps":
			text += sequences
		case "slices":
			text += "\nimport (\"cmp\"; \"maps\")\n"
		}
		for _, name := range slices.Sorted(maps.Keys(generic[path])) {
			if signature, _, _ := strings.Cut(generic[path][name], " {"); !strings.Contains(name, " ") {
				text += "func " + name + signature + " { panic(0) }\n"
			}
		}
		file, err := parser.ParseFile(fset, path+".go", text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if all[path], err = (&types.Config{Importer: all}).Check(path, fset, []*ast.File{file}, nil); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// GenericNames lists the generic functions that a script can call, by package.
func GenericNames() map[string][]string {
	all := map[string][]string{}
	for path, functions := range generic {
		for name := range functions {
			if !strings.Contains(name, " ") {
				all[path] = append(all[path], name)
			}
		}
		sort.Strings(all[path])
	}
	return all
}
