package script

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"

	"colosseum/internal/gamedir"
	"colosseum/sdk/script/symbols"
)

// Limits of a script's source, in bytes.
const (
	maxFile   = 1 << 20
	maxScript = 8 << 20 // all files together
)

// source is a script that has been read.
type source struct {
	fset  *token.FileSet
	files []*ast.File // in the order of their names, as the compiler takes them
	pkg   *types.Package
	info  types.Info
}

func newSource() *source { return &source{fset: token.NewFileSet()} }

// check reads a folder and finds what is wrong with it. Without problems the
// source is complete.
func check(dir string) (*source, []Problem) {
	s := newSource()
	problems := s.read(dir)
	if len(problems) == 0 {
		problems = s.inspect()
	}
	slices.SortStableFunc(problems, inOrder)
	return s, slices.Compact(problems)
}

func inOrder(a, b Problem) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// inspect checks what was read: each step needs that the one before found
// nothing.
func (s *source) inspect() []Problem {
	for _, step := range []func() []Problem{s.checkFiles, s.checkTypes, s.checkUse} {
		if problems := step(); len(problems) > 0 {
			return problems
		}
	}
	return nil
}

// read parses the Go files of a folder but for its tests.
func (s *source) read(dir string) []Problem {
	from, err := gamedir.Open(dir)
	if err != nil {
		return []Problem{{Text: "read the script: " + plain(err)}}
	}
	defer from.Close()
	entries, err := from.List()
	if err != nil {
		return []Problem{{Text: "read the script: " + plain(err)}}
	}
	var problems []Problem
	size := 0
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
			continue
		}
		path := filepath.Join(dir, name)
		text, err := from.Read(name, maxFile)
		if err != nil {
			problems = append(problems, Problem{File: path, Text: plain(err)})
			continue
		}
		if size += len(text); size > maxScript {
			return []Problem{{Text: fmt.Sprintf("%s has more than %d MiB of Go", dir, maxScript>>20)}}
		}
		file, err := parser.ParseFile(s.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		var list scanner.ErrorList
		if errors.As(err, &list) {
			// The parser has lost its way: what it finds after the first mistake
			// hardly ever is one.
			list.Sort()
			first := list[0]
			problems = append(problems, Problem{first.Pos.Filename, first.Pos.Line, first.Pos.Column, first.Msg})
			continue
		}
		s.files = append(s.files, file)
	}
	if len(s.files) == 0 && len(problems) == 0 {
		problems = append(problems, Problem{Text: dir + " has no Go files"})
	}
	return problems
}

// plain is the reason of an error without the path, where it is known.
func plain(err error) string {
	var refused *gamedir.Refused
	if errors.As(err, &refused) && refused.Name != "" {
		return "it can't be read: " + refused.Why
	}
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Path + ": " + e.Err.Error()
	}
	return err.Error()
}

// buildLine is the first line of every file of a game. It makes the compiler
// use, for that file, the language that the interpreter speaks.
const buildLine = "//go:build " + symbols.Language

// checkFiles checks package clauses, build lines and imports.
func (s *source) checkFiles() []Problem {
	var c complaints
	imported := map[string]string{} // by name
	for _, file := range s.files {
		if file.Name.Name != "main" {
			c.add(s.fset, file.Name, "package %s: a game is package main", file.Name.Name)
		}
		if problem := buildProblem(file); problem != "" {
			c.add(s.fset, file, "%s", problem)
		}
		for _, group := range file.Comments {
			for _, comment := range group.List {
				if strings.HasPrefix(comment.Text, "//line ") || strings.HasPrefix(comment.Text, "/*line ") {
					p := s.fset.PositionFor(comment.Pos(), false)
					c = append(c, Problem{p.Filename, p.Line, p.Column, "//line: messages could not name the line"})
				}
			}
		}
		for _, spec := range file.Imports {
			path := strings.Trim(spec.Path.Value, "`\"")
			name := pathpkg.Base(path)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			switch other := imported[name]; {
			case !importable(path):
				c.add(s.fset, spec, "a game may not import %q%s", path, instead[path])
			case name == "." || name == "_":
				c.add(s.fset, spec, "import %s %q: import it by its name", name, path)
			case other != "" && other != path:
				c.add(s.fset, spec, "the interpreter has the same imports in all files: %s is %q in another one", name, other)
			}
			imported[name] = path
		}
	}
	return c
}

// buildProblem tells what is wrong with the build line of a file.
func buildProblem(file *ast.File) string {
	const why = ", so that the compiler and the interpreter use the same language for it"
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if comment.Pos() > file.Package {
				break
			}
			if !constraint.IsGoBuild(comment.Text) {
				continue
			}
			if comment.Text != buildLine {
				return "the build line " + comment.Text + " must be " + buildLine + why
			}
			if group.End()+1 >= file.Package || file.Doc == group {
				return "an empty line must follow the build line"
			}
			return ""
		}
	}
	return "the file must begin with the line " + buildLine + " and an empty line" + why
}

// pluginPath is the package that serves a game. Inside a script it has nothing
// but Serve, and that is ours.
const pluginPath = symbols.SDK + "/plugin"

func importable(path string) bool {
	return path == pluginPath || slices.ContainsFunc(symbols.Packages, func(p symbols.Package) bool { return p.Path == path })
}

// instead says what a game has in place of a package that it may not import.
var instead = map[string]string{
	"cmp":          ": the interpreter has no generic packages",
	"maps":         ": the interpreter has no generic packages",
	"math/rand":    ": draw with m.Rand or b.Rand, so that a match can be replayed",
	"math/rand/v2": ": draw with m.Rand or b.Rand, so that a match can be replayed",
	"slices":       ": the interpreter has no generic packages; package sort sorts",
	"time":         ": the host keeps the clock; see m.Pace, m.Elapsed and b.Thinking",
}

// complaints are problems that are being gathered.
type complaints []Problem

func (c *complaints) add(fset *token.FileSet, at ast.Node, format string, args ...any) {
	p := fset.Position(at.Pos())
	*c = append(*c, Problem{p.Filename, p.Line, p.Column, fmt.Sprintf(format, args...)})
}
