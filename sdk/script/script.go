// Package script runs a game from its source: a folder with package main and
// func main() { plugin.Serve(game) }, the same that the Go compiler turns into
// a program. Nothing but the host's own executable is needed, no Go toolchain.
//
// A script is checked before it runs. First by Go's own type checker, so that
// an author reads the compiler's messages; then against what a game may not do
// (see [symbols.Packages] for what it may import), because a referee must be a
// function of settings, seed and answers; then against what the interpreter,
// yaegi, does otherwise than the compiler. What passes plays the same
// interpreted as compiled; docs/scripts.md has the list, and the tests hold it.
//
// A script is not isolated from the process that loads it: an endless recursion
// ends the process. That is why the host loads it in a child.
package script

import (
	"fmt"
	"strings"

	"colosseum/sdk"
)

// Problem is one thing that is wrong with a script.
type Problem struct {
	File         string // as it was found; empty: the folder as a whole
	Line, Column int    // from 1; 0: the whole file
	Text         string // what is wrong, and what to write instead
}

// String has the form file:line:column: text.
func (p Problem) String() string {
	switch {
	case p.File == "":
		return p.Text
	case p.Line == 0:
		return p.File + ": " + p.Text
	default:
		return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
	}
}

// Problems is the error of a folder that is not accepted. There is at least
// one, and they are in the order of files and lines. Its text has the first ten.
type Problems []Problem

// shown is how many problems the text of an error has. Who has mended these
// finds the next.
const shown = 10

func (p Problems) Error() string {
	var lines []string
	for _, problem := range p[:min(len(p), shown)] {
		lines = append(lines, problem.String())
	}
	if more := len(p) - shown; more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// Check tells what is wrong with the script in a folder; nothing: it can be
// loaded. It runs none of the script's code.
func Check(dir string) []Problem {
	_, problems := prepare(dir)
	return problems
}

// Load checks the script in a folder and runs it up to plugin.Serve, which
// hands over the game that Load returns. The game may serve any number of
// matches at once. The error is [Problems] when the script is not accepted.
func Load(dir string) (*sdk.Game, error) {
	i, problems := prepare(dir)
	if len(problems) > 0 {
		return nil, Problems(problems)
	}
	return i.run()
}

func prepare(dir string) (*interpreter, []Problem) {
	s, problems := check(dir)
	if len(problems) > 0 {
		return nil, problems
	}
	return s.compile()
}
