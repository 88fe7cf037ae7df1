// Package script runs a game from its source, without a Go toolchain: a folder
// with package main and func main() { plugin.Serve(game) }, which the Go compiler
// can build too.
//
// A script is checked before it runs: by Go's type checker, which has the
// compiler's messages; for code that no game can contain, because a referee must
// be a function of settings, seed and answers; and for code that the interpreter,
// yaegi, runs differently from the compiler. A script that passes plays the same
// interpreted as compiled; docs/scripts.md has the rules, and the tests verify
// them. Package symbols lists the packages that a script can import.
//
// A script is not isolated from the process that loads it, which ends when the script uses
// up its memory. That is why the host loads it in a child.
package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"colosseum/sdk"
	"colosseum/sdk/script/internal/aliases"
	"colosseum/sdk/script/internal/interpreter"
	"colosseum/sdk/script/internal/rules"
	"colosseum/sdk/script/internal/source"
)

// Problem is one reason why a script is not accepted.
type Problem struct {
	File         string // begins with the path of the folder; empty: the folder as a whole
	Line, Column int    // from 1; 0: the whole file
	Text         string // what is wrong, and what to write instead
}

// String has the form file:line:column: text.
func (p Problem) String() string { return source.Problem(p).Error() }

// Problems is the error of a folder that is not accepted: at least one problem,
// sorted by file and line.
type Problems []Problem

const maxShown = 10 // problems in the text of an error

// Error lists the first ten problems, one per line.
func (p Problems) Error() string {
	var lines []string
	for _, problem := range p[:min(len(p), maxShown)] {
		lines = append(lines, problem.String())
	}
	if more := len(p) - maxShown; more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// Check returns the problems of the script in a folder; a script without problems
// can be loaded. It does not run the script.
func Check(dir string) []Problem {
	_, problems := prepare(dir)
	return problems
}

// Load checks the script in a folder, runs it up to plugin.Serve, and returns
// the game that it serves. The game can run any number of matches at once. The
// error is [Problems] if the script is not accepted.
func Load(dir string) (*sdk.Game, error) {
	program, problems := prepare(dir)
	if len(problems) > 0 {
		return nil, Problems(problems)
	}
	game, err := program.Run()
	var problem source.Problem
	if errors.As(err, &problem) {
		return nil, Problems{Problem(problem)}
	}
	return game, err
}

func prepare(dir string) (*interpreter.Program, []Problem) {
	s, found := source.Read(dir)
	if len(found) == 0 {
		found = append(rules.Check(s), aliases.Check(s)...)
	}
	var program *interpreter.Program
	if len(found) == 0 {
		program, found = interpreter.Compile(s)
	}
	slices.SortStableFunc(found, source.Compare)
	var problems []Problem
	for _, p := range slices.Compact(found) {
		problems = append(problems, Problem(p))
	}
	return program, problems
}
