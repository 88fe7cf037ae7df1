// Package interpreter runs a script with yaegi.
package interpreter

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/traefik/yaegi/interp"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/script/internal/source"
	"colosseum/sdk/script/symbols"
)

// Program is one script, ready to run.
type Program struct {
	*source.Source
	yaegi   *interp.Interpreter
	program *interp.Program
	trace   *trace
	served  []sdk.Game

	recursion *recursion

	editing  *sync.Mutex // held while the syntax trees are read or get marks
	marks    []*mark     // nil: this is the program without marks
	recorder *recorder   // of the second run of a program with marks; nil: main runs
	second   second
}

// fileMark ends the names of all files for the interpreter, which looks up imports
// by the last part of a file's name. So all files share their imports.
const fileMark = "/script"

// Compile prepares a script to run, or returns the problems that the interpreter
// finds. It changes the file names of the source, and can be called once for each.
func Compile(s *source.Source) (p *Program, problems []source.Problem) {
	p = &Program{Source: s, editing: &sync.Mutex{}}
	s.Fset.Iterate(func(f *token.File) bool {
		f.AddLineColumnInfo(0, f.Name()+fileMark, 1, 1)
		return true
	})
	p.second.turn = make(chan struct{}, 1)
	p.recursion = watchRecursion(s)
	makeLoops(s)
	makeFunctions(s)
	return p, p.compile(merge(s))
}

// compile prepares the merged syntax tree.
func (p *Program) compile(merged *ast.File) (problems []source.Problem) {
	p.trace = &trace{lines: map[string][]string{}}
	p.yaegi = interp.New(interp.Options{
		Stdin: strings.NewReader(""), Stdout: os.Stderr, Stderr: p.trace, // println writes to Stdout
		Args: []string{}, Env: []string{},
	})
	p.Fset.Iterate(func(f *token.File) bool {
		p.yaegi.FileSet().AddExistingFiles(f)
		return true
	})
	serve := interp.Exports{symbols.Plugin + "/plugin": {
		"Serve": reflect.ValueOf(func(game sdk.Game) { p.served = append(p.served, game) }),
	}}
	if err := errors.Join(p.yaegi.Use(library()), p.yaegi.Use(serve), p.yaegi.Use(p.helpers())); err != nil {
		return []source.Problem{{Text: "interpreter: " + err.Error()}}
	}
	defer func() {
		if v := recover(); v != nil { // yaegi panics at code that it does not support
			problems = []source.Problem{placed(fmt.Sprint(v))}
		}
	}()
	var err error
	if p.program, err = p.yaegi.CompileAST(merged); err != nil {
		return []source.Problem{placed(err.Error())}
	}
	return nil
}

// library returns the symbols of the packages that a script can import. For a package
// "fmt/fmt" yaegi compiles its own sources of generic packages, which no script can import
// and which take longer than a small script. It cleans the path, so "./fmt/fmt" is the same
// package without them.
func library() interp.Exports {
	all := maps.Clone(symbols.Symbols)
	all["./fmt/fmt"] = all["fmt/fmt"]
	delete(all, "fmt/fmt")
	return all
}

var position = regexp.MustCompile(`(?s)^(.+)` + fileMark + `:(\d+):(\d+): (?:CFG post-order panic: )?(.*)$`)

// placed converts a message of the interpreter to a problem.
func placed(text string) source.Problem {
	m := position.FindStringSubmatch(text)
	if m == nil {
		return source.Problem{Text: "the interpreter cannot run this script: " + text}
	}
	line, _ := strconv.Atoi(m[2]) // digits
	column, _ := strconv.Atoi(m[3])
	return source.Problem{File: m[1], Line: line, Column: column, Text: "the interpreter cannot do this: " + m[4]}
}

// Run executes the initialisers and main, and returns the game that main gives to
// plugin.Serve. It can be called once; any number of goroutines can call the
// functions of the game. The error can be a [source.Problem].
func (p *Program) Run() (*sdk.Game, error) {
	err := p.run(func() error {
		_, err := p.yaegi.Execute(p.program)
		var e interp.Panic
		switch {
		case errors.As(err, &e):
			return p.failure(e.Value)
		case err != nil:
			return placed(err.Error())
		}
		return nil
	})
	if err != nil {
		return nil, p.mainAgain(err)
	}
	if len(p.served) != 1 {
		return nil, source.Problem{Text: "main must call plugin.Serve exactly once"}
	}
	game := p.served[0]
	game.Play, game.Bot, game.Check = guarded(p, game.Play), guarded(p, game.Bot), p.checked(guarded(p, game.Check))
	if p.second.turn != nil {
		driver.Of(&game).OnFailure(p.explain)
	}
	return &game, nil
}

// guarded wraps a function of the script so that it returns a panic as an error with
// file and line. For nil it returns nil.
func guarded[T any](p *Program, call func(T) error) func(T) error {
	if call == nil {
		return nil
	}
	return func(arg T) error {
		defer p.recorder.run()()
		return p.run(func() error { return call(arg) })
	}
}
