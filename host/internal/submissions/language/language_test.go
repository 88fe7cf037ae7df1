package language

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"colosseum/host/internal/submissions/archive"
)

// treeOf makes a tree of files, each "path" or "path=content".
func treeOf(files ...string) (t archive.Tree) {
	for _, f := range files {
		name, text, _ := strings.Cut(f, "=")
		t = append(t, archive.File{Path: name, Data: []byte(text)})
	}
	slices.SortFunc(t, func(a, b archive.File) int { return strings.Compare(a.Path, b.Path) })
	return t
}

func load(t *testing.T) *Set {
	t.Helper()
	s, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestProgramsAreRecognisedByTheirFiles(t *testing.T) {
	languages := load(t)
	const mainC, classA, classB = "main.c=int main(){}", "x/A.java=package x;\nclass A {}", "x/B.java=package x;\nclass B { public static void main(String[] a) {} }"
	for _, tt := range []struct {
		name  string
		files string // with commas
		want  string // the language, what it runs, and the last command of its build
	}{
		{"one file in Python", "mybot.py", "python: python3 -u ./mybot.py: python3 -m compileall -q -f ."},
		{"a usual name", "a.py,bot.py,c.py", "python: python3 -u ./bot.py: python3 -m compileall -q -f ."},
		{"the file that starts", "a.py,b.py=if __name__ == '__main__':", "python: python3 -u ./b.py: python3 -m compileall -q -f ."},
		{"a main file in a folder", "lib/a.py,data/x.txt", "python: python3 -u ./lib/a.py: python3 -m compileall -q -f ."},
		{"C", mainC + ",lib/b.c,lib/b.h", "c: ./colosseum-bot: gcc -O2 -pthread -o colosseum-bot ./lib/b.c ./main.c -lm"},
		{"a name like an option", "-o.c", "c: ./colosseum-bot: gcc -O2 -pthread -o colosseum-bot ./-o.c -lm"},
		{"C++ with C", "a.cc,b.cpp,c.c", "cpp: ./colosseum-bot: g++ -O2 -std=c++20 -pthread -o colosseum-bot ./a.cc ./b.cpp"},
		{"a file in Go", "bot.go,bot_test.go", "go: ./colosseum-bot: go build -trimpath -o colosseum-bot ./bot.go"},
		{"a module of Go", "go.mod,main.go", "go: ./colosseum-bot: go build -trimpath -o colosseum-bot ."},
		{"a file in JavaScript", "x.mjs", "javascript: node ./x.mjs: node --check ./x.mjs"},
		{"a package of JavaScript", "package.json,src/x.js", "javascript: node .: "},
		{"a package with a usual name", "package.json,bot.js", "javascript: node ./bot.js: node --check ./bot.js"},
		{"Java", "Main.java=class Main {},A.java", "java: java -XX:+UseSerialGC -cp . Main: javac … ./A.java ./Main.java"},
		{"a package of Java", classA + "," + classB, "java: java -XX:+UseSerialGC -cp . x.B: javac … ./x/A.java ./x/B.java"},
		{"Rust", "main.rs,board.rs", "rust: ./colosseum-bot: rustc --edition 2021 -O -C linker=gcc -o colosseum-bot ./main.rs"},
		{"a crate of Rust", "Cargo.toml,src/main.rs,src/a.rs", "rust: ./colosseum-bot: rustc --edition 2021 -O -C linker=gcc -o colosseum-bot ./src/main.rs"},
		{"a manifest", "colosseum.yaml=build: [[make]]\nrun: [./x],a.c", "c: ./x: make"},
		{"a manifest with one key", "colosseum.yaml=language: c,a.c,b.py", "c: ./colosseum-bot: gcc -O2 -pthread -o colosseum-bot ./a.c -lm"},
		{"a manifest for what is not clear", "colosseum.yaml=run: [python3; b.py],a.py,b.py", "python: python3 b.py: "},
		{"a program that is built already", "colosseum.yaml=language: rust\nbuild: []\nrun: [./x],x", "rust: ./x: "},
		{"an empty manifest", "colosseum.yaml=,a.py", "python: python3 -u ./a.py: python3 -m compileall -q -f ."},

		{"no source", "readme.txt", "it has no source files in a language that can be handed in (C, C++, Go, Java, JavaScript, Python, Rust)"},
		{"two languages", "a.c,b.py", `it has source files in C and Python: write a colosseum.yaml with a line such as "language: c"`},
		{"two main files", "a.py,b.py", "any of a.py and 1 more could be its main file: call one of them bot.py, or write a colosseum.yaml with run"},
		{"an unknown key", "colosseum.yaml=biuld: [],a.py", `colosseum.yaml: line 1: unknown key "biuld" (did you mean "build"?)`},
		{"an unknown language", "colosseum.yaml=language: cobol,a.py", `colosseum.yaml: language: "cobol" is not one of those that can be handed in (C, C++, Go, Java, JavaScript, Python, Rust)`},
		{"a shell to run", "colosseum.yaml=run: [sh; x],a.py", "colosseum.yaml: run: it begins with python3, or with ./ and a file of the program"},
		{"a path to run", "colosseum.yaml=run: [/bin/sh],a.py", "colosseum.yaml: run: it begins with python3, or with ./ and a file of the program"},
		{"a path to build", "colosseum.yaml=build: [[./x.sh]],a.py", "colosseum.yaml: build: ./x.sh: a command begins with the name of a program, without a path, as in [sh, build.sh]"},
		{"nothing to run", "colosseum.yaml=run: [],a.py", "colosseum.yaml: run: an empty command"},
		{"a list of words", "colosseum.yaml=build: [make],a.py", `colosseum.yaml: line 1: "make" is not a list like [a, b]`},
		{"many commands", "colosseum.yaml=build: [" + strings.Repeat("[a];", 21) + "],a.py", "colosseum.yaml: build: more than 20 commands"},
		{"a long manifest", "colosseum.yaml=#" + strings.Repeat("x", 20000) + ",a.py", "colosseum.yaml: it has more than 16384 bytes"},
		{"a long word", "colosseum.yaml=run: [python3; " + strings.Repeat("x", 5000) + "],a.py", "colosseum.yaml: run: a word has more than 4096 bytes, or a zero byte"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := strings.Split(tt.files, ",")
			for i := range files {
				files[i] = strings.ReplaceAll(files[i], ";", ",")
				if strings.HasPrefix(files[i], "x/") { // Java
					files[i] = strings.ReplaceAll(files[i], "package x,", "package x;")
				}
			}
			got := ""
			switch p, err := languages.Recognize(treeOf(files...), nil); {
			case err != nil:
				if wrong := (*archive.Error)(nil); !errors.As(err, &wrong) {
					t.Errorf("got a %T, want an archive.Error", err)
				}
				got = err.Error()
			default:
				build := ""
				if len(p.Build) > 0 {
					args := p.Build[len(p.Build)-1]
					if args[0] == "javac" {
						args = append([]string{"javac", "…"}, args[slices.Index(args, ".")+1:]...)
					}
					build = strings.Join(args, " ")
				}
				got = p.Language.Name + ": " + strings.Join(p.Run, " ") + ": " + build
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	if _, err := languages.Recognize(treeOf("a.py"), []string{"c"}); err == nil {
		t.Error("a language that is not allowed: got no error, want one")
	}
	if _, err := languages.Recognize(treeOf("a.py", "colosseum.yaml=language: python"), []string{"c"}); err == nil {
		t.Error("a manifest with a language that is not allowed: got no error, want one")
	}
}

func FuzzRecognize(f *testing.F) {
	languages, err := Load()
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"", "language: c\nbuild: [[gcc, a.c]]\nrun: [./a.out]", "run: [[]]", "build: &a [*a]", "a: b: c", "\xff"} {
		f.Add(text, "a.c")
	}
	f.Add("", "x/Main.java")
	f.Fuzz(func(t *testing.T, text, name string) {
		p, err := languages.Recognize(treeOf(Manifest+"="+text, name+"="+text), nil)
		if wrong := (*archive.Error)(nil); err != nil && !errors.As(err, &wrong) {
			t.Errorf("got %v, want an archive.Error", err)
		}
		if err == nil && (len(p.Run) == 0 || p.Language == nil) {
			t.Errorf("got %+v, want a command to run", p)
		}
	})
}

func TestLanguageOfTheOperatorReplacesThatOfTheHost(t *testing.T) {
	const valid = "name: c\ntitle: My C\ntools: [{name: tcc}]\nversion: [tcc, -v]\nsources: ['*.c']\nrecipes: [{run: [./x]}]\n"
	s, err := Load(fstest.MapFS{"mine.yaml": {Data: []byte(valid)}})
	if err != nil {
		t.Fatal(err)
	}
	if l, err := s.Find("c"); err != nil || l.Title != "My C" || len(s.All()) != 7 {
		t.Errorf("got %v, %v and %d languages, want the operator's and 7", l, err, len(s.All()))
	}
	if _, err := s.Find("cobol"); err == nil || !strings.Contains(err.Error(), "have c, cpp, go") {
		t.Errorf("got %v, want the known languages", err)
	}
	for text, want := range map[string]string{
		"tilte: x":                                    `unknown key "tilte"`,
		"name: C":                                     `name: "C" is not a name`,
		"name: x\ntitle: X":                           "a language needs title, tools",
		valid + "over: [cobol]":                       `over: unknown language "cobol"`,
		valid + "contains: '('":                       "contains: ",
		valid + "package: 'x'":                        "the expression has no group",
		valid + "drop: ['[']":                         "is not a pattern",
		valid + "prepare: {folder: X}":                "prepare: needs folder and build",
		strings.Replace(valid, "[./x]", "[x]", 1):     "run begins with a tool",
		strings.Replace(valid, "[tcc, -v]", "[x]", 1): "version: x is not one of the tools",
		strings.ReplaceAll(valid, "tcc", "a/b"):       "is not the name of a program",
	} {
		if _, err := Load(fstest.MapFS{"x.yaml": {Data: []byte(text)}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}

func TestToolThatIsMissingIsNamedWithARemedy(t *testing.T) {
	l := &Language{Title: "X", Install: "install it", Tools: []Tool{{Name: "colosseum-no-such-tool"}}, Version: []string{"colosseum-no-such-tool"}}
	if _, err := l.Installed(t.Context()); err == nil || err.Error() != "X: there is no colosseum-no-such-tool: install it" {
		t.Errorf("got %v, want what to install", err)
	}
}

func TestToolsOfLanguagesAreFound(t *testing.T) {
	for _, l := range load(t).All() {
		t.Run(l.Name, func(t *testing.T) {
			found, err := l.Toolchain(t.Context())
			if err != nil {
				t.Skip(err)
			}
			t.Logf("%+v", *found)
			if found.Version == "" || len(found.Programs) != len(l.Tools) {
				t.Errorf("got %+v, want a version and all tools", found)
			}
		})
	}
}
