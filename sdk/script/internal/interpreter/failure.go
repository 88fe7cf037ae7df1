package interpreter

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// failure describes a panic of the script in one line. The interpreter reports
// only the functions that the panic passed through. The line is deduced: Go's
// stack has the interpreter's operation that failed, and usually only one line of
// the innermost function has such an operation. If several do, all are named.
func (p *Program) failure(value any, pcs []uintptr) *failure {
	p.editing.Lock()
	defer p.editing.Unlock()
	text := message(value)
	cause := text
	var functions []ast.Node
	for _, line := range p.trace.take() {
		if f := p.functionAt(line); f != nil {
			functions = append(functions, f)
		}
	}
	if len(functions) == 0 {
		return &failure{"panic: " + text, cause}
	}
	operation, called := failed(pcs)
	where, values := p.place(functions[0], p.suspects(functions[0], operation, called)), ""
	if v := p.recorder.in(functions[0]); v != nil {
		where, text = p.recorder.exact(v, operation, called, text)
		values = p.recorder.describe(v)
	}
	var callers []string
	for k, f := range functions[1:] {
		if k == 4 {
			callers = append(callers, "…")
			break
		}
		calls := p.calls(f, functions[k])
		if v := p.recorder.in(f); v != nil && count(functions, f) == 1 {
			calls = []ast.Node{v.mark.node}
		}
		callers = append(callers, name(f)+" ("+p.place(f, calls)+")")
	}
	text = where + ": " + text + " in " + name(functions[0]) + values
	if len(callers) > 0 {
		text += ", called by " + strings.Join(callers, ", ")
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

// failed returns the operation of the interpreter that panicked, from Go's stack;
// if that operation called compiled code, also the name of the called function.
func failed(pcs []uintptr) (operation, called string) {
	var names []string
	for frames := runtime.CallersFrames(pcs); ; {
		frame, more := frames.Next()
		names = append(names, frame.Function)
		if !more {
			break
		}
	}
	// Each interpreted function panics again; the first panic is last on the stack.
	first := 0
	for k, name := range names {
		if strings.HasPrefix(name, "runtime.") && strings.Contains(strings.ToLower(name), "panic") {
			first = k
		}
	}
	const interpreter = "github.com/traefik/yaegi/interp."
	for k := first + 1; k < len(names) && names[k] != interpreter+"runCfg"; k++ {
		if name, ok := strings.CutPrefix(names[k], interpreter); ok {
			operation, _, _ = strings.Cut(name, ".")
		}
		if names[k] == "reflect.Value.call" && called == "" {
			called = names[k-1][strings.LastIndexByte(names[k-1], '.')+1:]
		}
	}
	if called == "gopanic" { // reflect itself: the function is nil
		return "call", ""
	}
	return operation, called
}

// suspects returns the nodes of a function that an operation of the interpreter
// might have come from.
func (p *Program) suspects(function ast.Node, operation, called string) []ast.Node {
	typeOf := func(e ast.Expr) types.Type { return p.TypeOf(e).Underlying() }
	isPointer := func(e ast.Expr) bool { _, ok := typeOf(e).(*types.Pointer); return ok }
	return within(function, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			_, isMap := typeOf(n.X).(*types.Map)
			switch operation {
			case "getIndexArray":
				return !isMap
			case "assign", "inc", "dec", "addAssign", "subAssign", "orAssign":
				return isMap
			}
		case *ast.SliceExpr:
			return strings.HasPrefix(operation, "slice")
		case *ast.SelectorExpr:
			return strings.HasPrefix(operation, "getPtrIndexSeq") && isPointer(n.X)
		case *ast.StarExpr:
			return p.Info.Types[n].IsValue() && (operation == "deref" || called == "" && operation == "callBin")
		case *ast.BinaryExpr:
			return operation == "quo" && n.Op == token.QUO || operation == "rem" && n.Op == token.REM
		case *ast.AssignStmt:
			return operation == "quoAssign" && n.Tok == token.QUO_ASSIGN || operation == "remAssign" && n.Tok == token.REM_ASSIGN
		case *ast.TypeAssertExpr:
			return operation == "typeAssert"
		case *ast.CallExpr:
			name := callee(n)
			switch operation {
			case "_panic":
				return name.Name == "panic"
			case "_make":
				return name.Name == "make"
			case "callBin":
				return name.Name == called
			case "call": // of a nil function: a variable or a field
				_, ok := p.Info.Uses[name].(*types.Var)
				return ok
			}
		}
		return false
	})
}

// calls returns the calls in a function that might have called another one.
func (p *Program) calls(function, called ast.Node) []ast.Node {
	declared, ok := called.(*ast.FuncDecl)
	return within(function, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if !ok || !isCall {
			return !ok && n == called // a function literal: where it is defined
		}
		return p.Info.Uses[callee(call)] == p.Info.Defs[declared.Name]
	})
}

// within returns the wanted nodes of a function, without those of function literals
// in it.
func within(function ast.Node, wanted func(ast.Node) bool) []ast.Node {
	var list []ast.Node
	ast.Inspect(function, func(n ast.Node) bool {
		if n != nil && wanted(n) {
			list = append(list, n)
		}
		_, inner := n.(*ast.FuncLit)
		return !inner || n == function
	})
	return list
}

// callee returns the name of the called function; "" if it has none.
func callee(call *ast.CallExpr) *ast.Ident {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	default:
		return ast.NewIdent("")
	}
}

// place names the lines of nodes of a function, board.go:12 or 17. Without nodes,
// or with more than three lines, it names the lines of the function.
func (p *Program) place(function ast.Node, nodes []ast.Node) string {
	var lines []int
	for _, n := range nodes {
		position := n.Pos()
		switch n := n.(type) {
		case *ast.IndexExpr:
			position = n.Lbrack
		case *ast.SelectorExpr:
			position = n.Sel.Pos()
		case *ast.BinaryExpr:
			position = n.OpPos
		}
		lines = append(lines, p.Position(position).Line)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	file := filepath.Base(p.Position(function.Pos()).Filename)
	from, to := p.Position(function.Pos()).Line, p.Position(function.End()).Line
	switch {
	case len(lines) > 0 && len(lines) <= 3:
		var texts []string
		for _, l := range lines {
			texts = append(texts, strconv.Itoa(l))
		}
		return file + ":" + strings.Join(texts, " or ")
	case from == to:
		return fmt.Sprintf("%s:%d", file, from)
	default:
		return fmt.Sprintf("%s:%d to %d", file, from, to)
	}
}

func name(function ast.Node) string {
	if f, ok := function.(*ast.FuncDecl); ok {
		name, _, _ := strings.Cut(f.Name.Name, "#") // the number of a function of the library
		return name
	}
	return "a function literal"
}
