package source

import (
	"go/ast"
	"go/build/constraint"
	pathpkg "path"
	"slices"
	"strings"

	"colosseum/sdk/script/symbols"
)

// buildLine is the first line of every file of a game. It makes the compiler use
// the language of the interpreter for that file.
const buildLine = "//go:build " + symbols.Language

// checkModules refuses imports of other modules. It is a step of its own, because a game
// with them is written for the compiler, and its other problems do not matter.
func (s *Source) checkModules() []Problem {
	var problems []Problem
	for _, file := range s.Files {
		for _, spec := range file.Imports {
			path := strings.Trim(spec.Path.Value, "`\"")
			if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") && first[0] != '.' {
				problems = append(problems, s.Problem(spec, "a game cannot import %q as a script: a host can compile it, with its name and compiled in plugins.modes of the configuration", path))
			}
		}
	}
	return problems
}

// checkFiles checks package clauses, build lines, line directives and imports.
func (s *Source) checkFiles() []Problem {
	var problems []Problem
	add := func(at ast.Node, format string, args ...any) {
		problems = append(problems, s.Problem(at, format, args...))
	}
	imported := map[string]string{} // by name
	for _, file := range s.Files {
		if file.Name.Name != "main" {
			add(file.Name, "package %s: a game must be package main", file.Name.Name)
		}
		if problem := buildProblem(file); problem != "" {
			add(file, "%s", problem)
		}
		for _, group := range file.Comments {
			for _, comment := range group.List {
				if strings.HasPrefix(comment.Text, "//line ") || strings.HasPrefix(comment.Text, "/*line ") {
					add(comment, "remove the //line comment: messages could not name the real line")
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
				add(spec, "a game cannot import %q%s", path, instead[path])
			case name == "." || name == "_":
				add(spec, "import %s %q: write import %q", name, path, path)
			case other != "" && other != path:
				add(spec, "%s is the package %q in another file, and the interpreter has one list of imports for all files: use another name here", name, other)
			}
			imported[name] = path
		}
	}
	return problems
}

// buildProblem returns what is wrong with the build line of a file, or "".
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

func importable(path string) bool {
	return path == symbols.Plugin || isGeneric(path) || slices.ContainsFunc(symbols.Packages, func(p symbols.Package) bool { return p.Path == path })
}

// instead has, for packages that a game cannot import, the reason or a replacement.
var instead = map[string]string{
	"math/rand":    ": draw with m.Rand or b.Rand, so that a match can be replayed",
	"math/rand/v2": ": draw with m.Rand or b.Rand, so that a match can be replayed",
	"time":         ": the host keeps the clock; see m.Pace, m.Elapsed and b.Thinking",
}
