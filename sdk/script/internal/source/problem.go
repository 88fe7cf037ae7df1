package source

import (
	"cmp"
	"fmt"
	"go/ast"
	"strings"
)

// Problem is one reason why a script is not accepted. It is an error.
type Problem struct {
	File         string // empty: the folder as a whole
	Line, Column int    // from 1; 0: the whole file
	Text         string // what is wrong, and what to write instead
}

// Error has the form file:line:column: text.
func (p Problem) Error() string {
	switch {
	case p.File == "":
		return p.Text
	case p.Line == 0:
		return p.File + ": " + p.Text
	default:
		return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
	}
}

// Compare orders problems by file, line and column.
func Compare(a, b Problem) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// Problem returns a problem at the beginning of a node.
func (s *Source) Problem(at ast.Node, format string, args ...any) Problem {
	text, pos := fmt.Sprintf(format, args...), at.Pos()
	if call, ok := s.library[s.Fset.File(pos)]; ok {
		text, pos = call.name+": "+text, call.at
	}
	p := s.Position(pos)
	return Problem{p.Filename, p.Line, p.Column, text}
}
