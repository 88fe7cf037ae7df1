package interpreter

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"strings"
)

// failure describes a panic of the script in one line. The interpreter reports only the
// functions that the panic passed through; the recorder of a second run knows the lines.
func (p *Program) failure(value any) *failure {
	p.editing.Lock()
	defer p.editing.Unlock()
	cause := message(value)
	var functions []ast.Node
	for _, line := range p.trace.take() {
		if f := p.functionAt(line); f != nil {
			functions = append(functions, f)
		}
	}
	if len(functions) == 0 {
		return &failure{"panic: " + cause, cause}
	}
	where, what, values := p.place(functions[0]), cause, ""
	if v := p.recorder.in(functions[0]); v != nil {
		where, what = p.recorder.exact(v, cause)
		values = p.recorder.describe(v)
	}
	text := where + ": " + what + " in " + name(functions[0]) + values
	for k, f := range functions[1:] {
		text += []string{", called by ", ", "}[min(k, 1)]
		if k == 4 {
			text += "…"
			break
		}
		text += name(f)
		if v := p.recorder.in(f); v != nil && count(functions, f) == 1 {
			text += " (" + p.place(v.mark.node) + ")"
		}
	}
	return &failure{text, cause}
}

// failure is a panic of the script.
type failure struct {
	text  string
	cause string // the message of the panic
}

func (f *failure) Error() string { return f.text }

func count(list []ast.Node, n ast.Node) int {
	times := 0
	for _, one := range list {
		if one == n {
			times++
		}
	}
	return times
}

// message returns the value of a panic as text, with the compiler's words where
// the interpreter's differ.
func message(value any) string {
	text := fmt.Sprint(value)
	if m := position.FindStringSubmatch(text); m != nil {
		text = m[4]
	}
	switch {
	case strings.HasPrefix(text, "reflect: call of ") && strings.HasSuffix(text, " on zero Value"):
		return "nil pointer dereference"
	case strings.HasSuffix(text, " index out of range") && strings.HasPrefix(text, "reflect: "):
		return strings.TrimPrefix(text, "reflect: ")
	case strings.HasSuffix(text, "index out of bounds"):
		return "slice bounds out of range"
	case text == "reflect.Value.Call: call of nil function":
		return "call of a nil function"
	}
	return strings.TrimPrefix(text, "runtime error: ")
}

// functionAt returns the function that a line of the trace names, or nil.
func (p *Program) functionAt(line string) ast.Node {
	at := placed(line)
	var found ast.Node
	for _, file := range p.Files {
		if p.Position(file.Pos()).Filename != at.File {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				return false
			}
			from, to := p.Position(n.Pos()), p.Position(n.End())
			before := at.Line < from.Line || at.Line == from.Line && at.Column < from.Column
			after := at.Line > to.Line || at.Line == to.Line && at.Column >= to.Column
			if before || after {
				return false
			}
			switch n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				found = n
			}
			return true
		})
	}
	return found
}

// place names the lines of a function, board.go:10 to 14, or the first line of another node.
func (p *Program) place(n ast.Node) string {
	from, to := p.Position(n.Pos()), p.Position(n.Pos()).Line
	switch n := n.(type) {
	case *ast.IndexExpr:
		from = p.Position(n.Lbrack)
		to = from.Line
	case *ast.FuncDecl, *ast.FuncLit:
		to = p.Position(n.End()).Line
	}
	text := fmt.Sprintf("%s:%d", filepath.Base(from.Filename), from.Line)
	if to > from.Line {
		text += fmt.Sprintf(" to %d", to)
	}
	return text
}

func name(function ast.Node) string {
	if f, ok := function.(*ast.FuncDecl); ok {
		name, _, _ := strings.Cut(f.Name.Name, "#") // the number of a function of the library
		return name
	}
	return "a function literal"
}
