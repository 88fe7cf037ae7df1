package script_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"colosseum/internal/test/filetree"
	"colosseum/sdk/gametest"
	"colosseum/sdk/script"
	"colosseum/sdk/script/symbols"
)

// TestOnlyRegularFilesOfTheFolderAreRead: a script reads the same files as the host,
// see package internal/gamedir.
func TestOnlyRegularFilesOfTheFolderAreRead(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret text"), 0o644); err != nil {
		t.Fatal(err)
	}
	const outside = "it is or lies behind a link that leads out of the folder; a link inside must be relative"
	tests := []struct {
		name, want string
		make       func(path string) error
	}{
		{"a link to a file outside", outside, func(path string) error { return os.Symlink(secret, path) }},
		{"a link to a device", outside, func(path string) error { return os.Symlink("/dev/zero", path) }},
		{"a named pipe", "it is a named pipe, and not a regular file", filetree.MakePipe},
		{"a link to a folder", "it is a folder, and not a regular file", func(path string) error { return os.Symlink(".", path) }},
		{"a sparse file of 8 GiB", "it has more than 1 MiB", func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 8<<30))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := game(t, idle)
			filetree.Made(t, tt.make(filepath.Join(dir, "more.go")))
			refuses(t, dir, "more.go: cannot be read: "+tt.want)
		})
	}
}

func TestScriptWithTooMuchSourceIsRefused(t *testing.T) {
	comment := "\n/*" + strings.Repeat("x", 1<<20-500) + "*/\n"
	var files []string
	for i := range 10 {
		files = append(files, file("file"+strconv.Itoa(i)+".go", comment))
	}
	dir := folder(t, files...)
	refuses(t, dir, dir+" has more than 8 MiB of Go")
}

func TestProblemsHaveFileAndLine(t *testing.T) {
	noBuildLine := "the file must begin with the line //go:build go1.21 and an empty line, so that the compiler and the interpreter use the same language for it"
	tests := []struct {
		name  string
		files []string
		want  []string
	}{
		{"no files", nil, []string{"FOLDER has no Go files"}},
		{"only tests", []string{"play_test.go\npackage main\n"}, []string{"FOLDER has no Go files"}},
		{"syntax", []string{idleGame, file("board.go", "func f( {\n")}, []string{
			"board.go:5:9: expected ')', found '{'",
		}},
		{"syntax in two files", []string{"a.go\npackage main\nfunc (\n", "b.go\npackage main\n\nvar x =\n"}, []string{
			"a.go:2:8: expected ')', found 'EOF'",
			"b.go:3:9: expected operand, found 'EOF'",
		}},
		{"package", []string{idleGame, "board.go\n" + buildLine + "\n\npackage board\n"}, []string{
			"board.go:3:9: package board: a game must be package main",
		}},
		{"no build line", []string{idleGame, "board.go\n// A board.\n\npackage main\n"}, []string{
			"board.go:3:1: " + noBuildLine,
		}},
		{"other build line", []string{idleGame, "board.go\n//go:build linux\n\npackage main\n"}, []string{
			"board.go:3:1: the build line //go:build linux must be //go:build go1.21, so that the compiler and the interpreter use the same language for it",
		}},
		{"build line as a doc comment", []string{idleGame, "board.go\n" + buildLine + "\npackage main\n"}, []string{
			"board.go:2:1: an empty line must follow the build line",
		}},
		{"positions of another file", []string{idleGame, file("board.go", "//line other.go:7\nvar x = 1\n")}, []string{
			"board.go:5:1: remove the //line comment: messages could not name the real line",
		}},
		{"types", []string{idleGame, file("board.go", "func size() int {\n\treturn \"8\"\n}\n\nfunc f() { undefined() }\n")}, []string{
			`board.go:6:9: cannot use "8" (untyped string constant) as int value in return statement`,
			"board.go:9:12: undefined: undefined",
		}},
		{"use of the SDK", []string{"play.go\n" + head + "\nfunc play(m *sdk.Match) error {\n\tm.Shout(\"hello\")\n\tline := m.Ask(0, nil)\n\treturn nil\n}\n" + idleBot + tail}, []string{
			"play.go:11:4: m.Shout undefined (type *sdk.Match has no field or method Shout)",
			"play.go:12:10: assignment mismatch: 1 variable but m.Ask returns 2 values; write line, err := …, and check err",
		}},
		{"a type of a package that only the SDK imports", []string{idleGame, file("board.go", "import \"colosseum/sdk\"\n\nfunc f(p sdk.Param) { p.Kind = \"x\" }\n")}, []string{
			"board.go:7:32: cannot use \"x\" (untyped string constant) as driver.Kind value in assignment",
		}},
		{"a brace that is missing", []string{idleGame, file("board.go", "func f() {\n\tfor {\n}\n\nfunc g() {}\n\nfunc h() {}\n")}, []string{
			"board.go:9:6: expected '(', found g",
		}},
		{"a parenthesis that is missing", []string{idleGame, file("board.go", "func f() {\n\tg(h(1;\n\tif x {\n\t\treturn\n\t}\n\tg(y, z)\n\treturn\n}\n")}, []string{
			"board.go:6:7: missing ',' in argument list",
		}},
		{"a string that does not end", []string{idleGame, file("board.go", "func f() {\n\tg(\"a)\n\tg(1)\n\tg(2)\n}\n")}, []string{
			"board.go:6:4: string literal not terminated",
		}},
		{"syntax hides types", []string{idleGame, file("a.go", "func f() { undefined() }\n"), file("board.go", "func g( {\n")}, []string{
			"board.go:5:9: expected ')', found '{'",
		}},
		{"a name that is used often", []string{idleGame, file("board.go", "func f() bord { return bord{} }\n\nfunc g(b bord) int { n := 1; return b.size }\n")}, []string{
			"board.go:5:10: undefined: bord",
		}},
		{"a field that is used often", []string{idleGame, file("board.go", "type board struct{}\n\nfunc g(b board) int { return b.size + b.size*b.width }\n")}, []string{
			"board.go:7:32: b.size undefined (type board has no field or method size)",
			"board.go:7:48: b.width undefined (type board has no field or method width)",
		}},
		{"unused names and a mistake in another file", []string{idleGame, file("a.go", "func f() { n := 1 }\n"), file("board.go", "func g() int { return \"\" }\n")}, []string{
			"a.go:5:12: declared and not used: n; use it, or remove it",
			`board.go:5:23: cannot use "" (untyped string constant) as int value in return statement`,
		}},
		{"a name that is declared twice", []string{idleGame, file("board.go", "func f() {}\n\nfunc f() {}\n")}, []string{
			"board.go:7:6: f redeclared in this block; other declaration of f at board.go:5",
		}},
		{"an import that is not used", []string{strings.Replace(idleGame, "import (", "import (\n\t\"sort\"", 1)}, []string{
			`play.go:6:2: "sort" imported and not used`,
		}},
		{"newer language", []string{strings.Replace(idleGame, "return nil", "for i := range 3 { m.Show(string(rune('a' + i))) }\nreturn nil", 1)}, []string{
			"play.go:10:48: cannot range over 3 (untyped int constant): requires go1.22 or later; write for i := 0; i < 3; i++",
		}},
		{"no main", []string{file("play.go", "var x = 1\n")}, []string{
			"func main is missing: write func main() { plugin.Serve(game) }",
		}},
		{"code that the interpreter does not support", []string{idleGame, file("board.go", "type loop []loop\n\nfunc f() {\n\tvar l loop\n\tl = append(l, l)\n}\n")}, []string{
			"board.go:8:6: the interpreter cannot do this: runtime error: invalid memory address or nil pointer dereference",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, tt.files...)
			got := problems(t, dir)
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], dir, "FOLDER")
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			if _, err := script.Load(dir); err == nil {
				t.Error("Load returned no error, want the problems")
			}
		})
	}
}

func TestMistakesOfBeginnersHaveHints(t *testing.T) {
	tests := []struct{ name, statement, want string }{
		{"second :=", "a := 1\na := a + 1", "no new variables on left side of :=; write = instead of :="},
		{"variable that is not used", "a := 1", "declared and not used: a; use it, or remove it"},
		{"int as points", "n := 1\nm.Score(0, n)", "(variable of type int) as float64 value in argument to m.Score; write float64(n)"},
		{"int as text", "n := 1\nm.Show(n)", "(variable of type int) as string value in argument to m.Show; write fmt.Sprint(n)"},
		{"text and number", "m.Show(\"round \" + m.Players())", "(mismatched types untyped string and int); write fmt.Sprint(…) around the number"},
		{"text and constant", "m.Show(\"round \" + 3)", "(mismatched types untyped string and untyped int); write fmt.Sprint(…) around the number"},
		{"package that is not imported", "m.Show(strconv.Itoa(1))", "undefined: strconv; if you mean the package, add import \"strconv\""},
		{"name that is not a package", "m.Show(text)", "undefined: text"},
		{"brace in the next line", "if true\n{\n}", "; put the { at the end of the line before"},
		{"= as comparison", "n := 1\nif n = 2 {\n}", "; write == to compare"},
		{"else in the next line", "if true {\n}\nelse {\n}", "expected statement, found 'else'; write } else { in one line"},
		{"text in single quotes", "m.Show('abc')", "illegal rune literal; text is between double quotes"},
		{"condition with ?", "n := true ? 1 : 2", "illegal character U+003F '?'; Go has no condition ? a : b: write if"},
		{"digits of a number", "n := m.Players()\nm.Show(string(n))", "string(n) is the character with that number, not its digits: write strconv.Itoa(n), or for the character string(rune(n))"},
		{"character", "n := m.Players()\nm.Show(string(rune('a'+n)))", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(problems(t, game(t, "\nfunc play(m *sdk.Match) error {\n"+tt.statement+"\nreturn nil\n}\n")), "\n")
			if !strings.HasSuffix(got, tt.want) || (got == "") != (tt.want == "") {
				t.Errorf("got %q, want it to end with %q", got, tt.want)
			}
		})
	}
}

func TestTheFirstTenProblemsAreShown(t *testing.T) {
	text := file("board.go", "")
	for n := range 13 {
		text += "var x" + strconv.Itoa(n) + " int = \"\"\n"
	}
	_, err := script.Load(folder(t, idleGame, text))
	if err == nil {
		t.Fatal("Load returned no error, want 13 problems")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 11 || !strings.Contains(lines[9], "board.go:14:14: cannot use") || lines[10] != "… and 3 more" {
		t.Errorf("got\n%s\nwant ten problems and … and 3 more", err)
	}
}

func TestMissingFolderIsAProblem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	refuses(t, dir, "read the script: "+dir+": no such file or directory")
}

func TestOtherPackagesAreRefused(t *testing.T) {
	for _, path := range []string{
		"C", "context", "crypto/rand", "embed", "encoding/gob", "flag", "internal/abi", "iter", "log", "math/rand",
		"math/rand/v2", "net", "net/http", "os", "os/exec", "path/filepath", "plugin", "reflect", "runtime", "runtime/debug",
		"sync", "sync/atomic", "syscall", "testing", "text/template", "time", "unique", "unsafe", "weak",
		"colosseum/sdk/driver", "colosseum/sdk/wire", "colosseum/sdk/script", "colosseum/host", "github.com/traefik/yaegi/interp", "./board",
	} {
		t.Run(path, func(t *testing.T) {
			dir := folder(t, idleGame, file("board.go", "import _ \"")+path+"\"\n")
			refuses(t, dir, fmt.Sprintf("board.go:5:8: a game cannot import %q", path))
		})
	}
}

func TestAGameWithAnotherModuleHasNoOtherProblem(t *testing.T) {
	dir := folder(t, idleGame, "board.go\npackage main\n\nimport _ \"github.com/corentings/chess/v2\"\n\nimport \"os\"\n")
	refuses(t, dir, `board.go:3:8: a game cannot import "github.com/corentings/chess/v2" as a script: a host can compile it`)
}

func TestEveryPackageOfTheListCanBeImported(t *testing.T) {
	uses := map[string]string{
		"bufio": "bufio.NewReader(strings.NewReader(\"a\")).Size()", "bytes": "bytes.ToUpper(nil)", "container/heap": "heap.Interface(nil)",
		"container/list": "list.New().Len()", "container/ring": "ring.New(3).Len()", "encoding/hex": "hex.EncodeToString(nil)", "encoding/json": "json.Valid(nil)",
		"errors": "errors.New(\"a\")", "fmt": "fmt.Sprint(1)", "hash/crc32": "crc32.ChecksumIEEE(nil)", "hash/fnv": "fnv.New64a().Sum64()",
		"io": "io.EOF", "math": "math.Sqrt(2)", "math/big": "big.NewInt(2).String()", "math/bits": "bits.Len(3)",
		"regexp": "regexp.MustCompile(\"a+\").MatchString(\"caat\")", "sort": "sort.SearchInts(nil, 3)", "strconv": "strconv.Itoa(3)",
		"strings": "strings.ToUpper(\"a\")", "text/tabwriter": "tabwriter.NewWriter(nil, 0, 8, 1, ' ', 0)", "unicode": "unicode.IsDigit('3')",
		"unicode/utf8": "utf8.RuneLen('ä')",
	}
	imports, body := "", ""
	for _, p := range symbols.Packages {
		if p.Path == symbols.SDK {
			continue
		}
		use, ok := uses[p.Path]
		if !ok {
			t.Errorf("no use of %s in this test, want one for each package", p.Path)
			continue
		}
		imports += "\t\"" + p.Path + "\"\n"
		body += "var _ = " + use + "\n"
	}
	load(t, folder(t, idleGame, file("uses.go", "import (\n")+imports+")\n\n"+body))
}

func TestForbiddenStatementsAreRefused(t *testing.T) {
	tests := []struct{ name, declarations, statement, want string }{
		{"goroutine", "", "go func() {}()", "goroutines are not allowed"},
		{"channel", "", "c := make(chan int)\n_ = c", "channels are not allowed"},
		{"select", "", "select {}", "channels are not allowed"},
		{"range over a map", "var values = map[string]int{}", "for k := range values {\n_ = k\n}", "range over a map is not allowed"},
		{"recover", "", "recover()", "recover is not allowed"},
		{"counter of the package", "var matches int", "matches++", "matches is a package variable"},
		{"variable of the package", "var last string", "last = m.Name(0)", "last is a package variable"},
		{"element of a slice of the package", "var board = make([]int, 3)", "board[1] += 2", "board is a package variable"},
		{"element of a map of the package", "var seen = map[string]bool{}", "seen[\"a\"] = true", "seen is a package variable"},
		{"delete from a map of the package", "var seen = map[string]bool{}", "delete(seen, \"a\")", "seen is a package variable"},
		{"copy to a slice of the package", "var board = make([]int, 3)", "copy(board[1:], board)", "board is a package variable"},
		{"field of a variable of the package", "var state struct{ rounds struct{ n [2]int } }", "state.rounds.n[1] = 2", "state is a package variable"},
		{"behind a pointer of the package", "var n = new(int)", "*n = 2", "n is a package variable"},
		{"through parentheses", "var n int", "(n) = 2", "n is a package variable"},
		{"print", "", "fmt.Println(1)", "fmt.Println: a game has no terminal"},
		{"scan", "", "fmt.Scanln()", "fmt.Scanln: a game has no terminal"},
		{"errors.As", "", "errors.As(nil, nil)", "errors.As: the interpreter does not support it"},
		{"newer function of the library", "", "strings.Lines(\"a\")", "strings.Lines is not available in scripts"},
		{"goto", "", "goto end\nend:", "goto is not allowed"},
		{"complex numbers", "", "_ = complex(1, 2)", "a script cannot have complex numbers"},
		{"pipe", "", "io.Pipe()", "io.Pipe is not available in scripts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			imports := ""
			for _, path := range []string{"errors", "fmt", "io", "strings"} {
				if strings.Contains(tt.statement, path+".") {
					imports += "import \"" + path + "\"\n"
				}
			}
			text := "play.go\n" + head + imports + tt.declarations + "\nfunc play(m *sdk.Match) error {\n" + tt.statement + "\nreturn nil\n}\n" + idleBot + tail
			line := "play.go:" + strconv.Itoa(strings.Count(strings.Split(text, tt.statement)[0], "\n")) + ":"
			got := strings.Join(problems(t, folder(t, text)), "\n")
			if !strings.HasPrefix(got, line) || !strings.Contains(got, tt.want) {
				t.Errorf("got problems %q, want one at %s with %q", got, line, tt.want)
			}
		})
	}
}

func TestFuncInitIsRefused(t *testing.T) {
	refuses(t, game(t, idle+"\nfunc init() {}\n"), "play.go:12:1: func init is not allowed")
}

func TestOneNameForTwoImportsIsRefused(t *testing.T) {
	dir := folder(t, idleGame,
		file("a.go", "import text \"strings\"\n\nvar a = text.ToUpper(\"a\")\n"),
		file("b.go", "import text \"strconv\"\n\nvar b = text.Itoa(1)\n"))
	refuses(t, dir, `b.go:5:8: text is the package "strings" in another file`)
}

func TestCodeThatTheInterpreterCannotRunIsRefusedAtItsLine(t *testing.T) {
	tests := []struct{ name, statements, want string }{
		{"Marshal as a value", "encode := json.Marshal\n_, _ = encode(1)", "play.go:11:11: json.Marshal as a value"},
		{"Sprint as a value", "text := fmt.Sprint\nm.Show(text(1))", "play.go:11:9: fmt.Sprint as a value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			imported := ""
			for _, path := range []string{"encoding/json", "fmt"} {
				if strings.Contains(tt.statements, filepath.Base(path)+".") {
					imported = fmt.Sprintf("%q; ", path)
				}
			}
			code := strings.Replace(head, "import (\n\t", "import (\n\t"+imported, 1)
			refuses(t, folder(t, "play.go\n"+code+"\nfunc play(m *sdk.Match) error {\n"+tt.statements+"\nreturn nil\n}\n"+idleBot+tail), tt.want)
		})
	}
}

func TestGenericCodeIsRefusedAtItsLine(t *testing.T) {
	tests := []struct{ name, declarations, statement, want string }{
		{"generic function", "func id[T any](x T) T { return x }", "_ = id(1)", "play.go:9:6: a script cannot declare generic functions and types"},
		{"generic type", "type list[T any] struct{ items []T }\nfunc (l list[T]) size() int { return len(l.items) }", "_ = list[int]{}", "play.go:9:6: a script cannot declare generic functions and types"},
		{"function that is missing", "", "_ = slices.Concat([]int{1})", "undefined: slices.Concat: of package slices, a script can use BinarySearch, Clone, "},
		{"keys in any order", "", "_ = maps.Keys(map[int]int{})", "maps.Keys is only available in slices.Sorted(maps.Keys(m))"},
		{"type in a function", "", "type local int; _ = slices.Clone([]local{1})", "slices.Clone: a generic function cannot be used with the type local in a script"},
		{"type without a name", "", "_ = slices.Clone([]struct{ n int }{{1}})", "slices.Clone: a generic function cannot be used with the type struct{n int} in a script"},
		{"sort of a package variable", "var words = []string{\"b\", \"a\"}", "slices.Sort(words)", ":1: slices.Sort: s might be a part of words, a package variable, which all matches share"},
		{"clear of a package variable", "var seen = map[string]bool{}", "clear(seen)", ":1: clear: m might be a part of seen, a package variable, which all matches share"},
		{"type that the constraint excludes", "", "_ = slices.Max([]bool{true})", "bool does not satisfy cmp.Ordered"},
		{"max of mixed types", "", "_ = max(1, m.Name(0))", "mismatched types"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			imports := ""
			for _, path := range []string{"maps", "slices"} {
				if strings.Contains(tt.statement, path+".") {
					imports += "import \"" + path + "\"\n"
				}
			}
			text := "play.go\n" + head + imports + tt.declarations + "\nfunc play(m *sdk.Match) error {\n" + tt.statement + "\nreturn nil\n}\n" + idleBot + tail
			line := "play.go:" + strconv.Itoa(strings.Count(strings.Split(text, tt.statement)[0], "\n")) + ":"
			got := strings.Join(problems(t, folder(t, text)), "\n")
			if strings.HasPrefix(tt.want, "play.go:") {
				line = ""
			}
			if !strings.HasPrefix(got, line) || !strings.Contains(got, tt.want) {
				t.Errorf("got problems %q, want one at %s with %q", got, line, tt.want)
			}
		})
	}
}

func TestJSONOfTheSDKIsCheckedToo(t *testing.T) {
	const messages = `
type bid struct {
	Seat  int    "json:\"seat\""
	Cards []card "json:\"cards\""
	taken bool
	%s
}

type card struct {
	Suit string
	Rank int
}

func play(m *sdk.Match) error {
	b := bid{Seat: 1, Cards: []card{{"oro", 7}}}
	b.taken = m.Players() > 5
	m.Show(sdk.JSON(b))
	var back bid
	if err := sdk.ParseJSON("{\"seat\": 2, \"cards\": [{\"Suit\": \"spade\"}]}", &back); err != nil {
		return err
	}
	m.Show(sdk.JSON(map[string]any{"seat": back.Seat, "first": back.Cards[0]}))
	if err := sdk.ParseJSON("{\"seat\": 2, \"other\": 3}", &back); err != nil {
		m.Show("refused")
	}
	return nil
}
`
	dir := game(t, fmt.Sprintf(messages, "card"))
	refuses(t, dir, "play.go:25:18: package json treats it differently in the interpreter: it does not see that the field card is embedded", "play.go:27:80: ", "play.go:31:58: ")
	got := play(t, gametest.Match{Game: load(t, game(t, fmt.Sprintf(messages, ""))), Players: []gametest.Player{gametest.Gone}})
	want := `{"seat":1,"cards":[{"Suit":"oro","Rank":7}]}
{"first":{"Suit":"spade","Rank":0},"seat":2}
refused
`
	if got.Spectators != want {
		t.Errorf("got %q, want %q\n%s", got.Spectators, want, got)
	}
}
