// Package source reads the Go files of a script and checks what the compiler
// checks: syntax, package clauses, build lines, imports and types.
package source

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strings"

	"colosseum/internal/gamedir"
)

// Limits of a script's source, in bytes.
const (
	maxFile   = 1 << 20
	maxScript = 8 << 20 // all files together
)

// Source is a script that was read without problems.
type Source struct {
	Fset  *token.FileSet
	Files []*ast.File // sorted by name, the order in which the compiler takes them
	Pkg   *types.Package
	Info  types.Info

	library map[*token.File]call // for the calls of functions of the library that are made for them
}

// Read parses and checks the Go files in a folder, except tests. Each step
// runs only if the one before found no problems.
func Read(dir string) (*Source, []Problem) {
	s := &Source{Fset: token.NewFileSet()}
	problems := s.parse(dir)
	if len(problems) == 0 {
		problems = s.checkModules()
	}
	if len(problems) == 0 {
		problems = s.checkFiles()
	}
	if len(problems) == 0 {
		problems = s.checkTypes()
	}
	if len(problems) > 0 {
		return s, problems
	}
	changed, problems := s.expand()
	if changed && len(problems) == 0 {
		problems = s.checkTypes()
	}
	return s, problems
}

func (s *Source) parse(dir string) []Problem {
	from, err := gamedir.Open(dir)
	if err != nil {
		return []Problem{{Text: "read the script: " + reason(err)}}
	}
	defer from.Close()
	entries, err := from.List()
	if err != nil {
		return []Problem{{Text: "read the script: " + reason(err)}}
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
			problems = append(problems, Problem{File: path, Text: reason(err)})
			continue
		}
		if size += len(text); size > maxScript {
			return []Problem{{Text: fmt.Sprintf("%s has more than %d MiB of Go source", dir, maxScript>>20)}}
		}
		file, err := parser.ParseFile(s.Fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		var list scanner.ErrorList
		if errors.As(err, &list) {
			list.Sort()
			first := list[0] // later errors usually follow from the first
			problems = append(problems, Problem{first.Pos.Filename, first.Pos.Line, first.Pos.Column, withHint(first.Msg)})
			continue
		}
		s.Files = append(s.Files, file)
	}
	if len(s.Files) == 0 && len(problems) == 0 {
		problems = append(problems, Problem{Text: dir + " has no Go files"})
	}
	return problems
}

// reason returns why a file or folder could not be read, without the path where
// the problem has it.
func reason(err error) string {
	var refused *gamedir.Refused
	if errors.As(err, &refused) && refused.Name != "" {
		return "cannot be read: " + refused.Why
	}
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Path + ": " + e.Err.Error()
	}
	return err.Error()
}
