package script

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

// failure describes a panic of the script in one line. The interpreter tells
// only which functions the panic passed through. The line within the innermost
// one is concluded: Go's own stack has the interpreter's operation that failed,
// and usually one line alone of the function has such an operation. If several
// have, all are named.
func (i *interpreter) failure(value any, pcs []uintptr) error {
	text := message(value)
	var functions []ast.Node
	for _, line := range i.trace.take() {
		if f := i.functionAt(line); f != nil {
			functions = append(functions, f)
		}
	}
	if len(functions) == 0 {
		return fmt.Errorf("panic: %s", text)
	}
	operation, callee := failed(pcs)
	where := i.place(functions[0], i.suspects(functions[0], operation, callee))
	var callers []string
	for k, f := range functions[1:] {
		if k == 4 {
			callers = append(callers, "…")
			break
		}
		callers = append(callers, i.name(f)+" ("+i.place(f, i.calls(f, functions[k]))+")")
	}
	text = where + ": " + text + " in " + i.name(functions[0])
	if len(callers) > 0 {
		text += ", called by " + strings.Join(callers, ", ")
	}
	return fmt.Errorf("%s", text)
}

// message is the value of a panic, in the words of compiled code where the
// interpreter has others.
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

// functionAt returns the function in which the interpreter says that a panic
// was, or nil.
func (s *source) functionAt(line string) ast.Node {
	p := placed(line)
	var found ast.Node
	for _, file := range s.files {
		if s.fset.PositionFor(file.Pos(), false).Filename != p.File {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				return false
			}
			from, to := s.fset.PositionFor(n.Pos(), false), s.fset.PositionFor(n.End(), false)
			before := p.Line < from.Line || p.Line == from.Line && p.Column < from.Column
			after := p.Line > to.Line || p.Line == to.Line && p.Column >= to.Column
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

// failed finds in Go's stack the operation of the interpreter that panicked,
// and when that was to call compiled code, the name of the function called.
func failed(pcs []uintptr) (operation, callee string) {
	var names []string
	for frames := runtime.CallersFrames(pcs); ; {
		frame, more := frames.Next()
		names = append(names, frame.Function)
		if !more {
			break
		}
	}
	// Each interpreted function panics again; the first panic is the last here.
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
		if names[k] == "reflect.Value.call" && callee == "" {
			callee = names[k-1][strings.LastIndexByte(names[k-1], '.')+1:]
		}
	}
	if callee == "gopanic" { // reflect itself: the function is nil
		return "call", ""
	}
	return operation, callee
}

// suspects returns the nodes of a function that an operation of the interpreter
// may have come from.
func (s *source) suspects(function ast.Node, operation, callee string) []ast.Node {
	typeOf := func(e ast.Expr) types.Type {
		if t := s.info.TypeOf(e); t != nil {
			return t.Underlying()
		}
		return types.Typ[types.Invalid]
	}
	isPointer := func(e ast.Expr) bool { _, ok := typeOf(e).(*types.Pointer); return ok }
	return s.within(function, func(n ast.Node) bool {
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
			return s.info.Types[n].IsValue() && (operation == "deref" || callee == "" && operation == "callBin")
		case *ast.BinaryExpr:
			return operation == "quo" && n.Op == token.QUO || operation == "rem" && n.Op == token.REM
		case *ast.AssignStmt:
			return operation == "quoAssign" && n.Tok == token.QUO_ASSIGN || operation == "remAssign" && n.Tok == token.REM_ASSIGN
		case *ast.TypeAssertExpr:
			return operation == "typeAssert"
		case *ast.CallExpr:
			name := calleeName(n)
			switch operation {
			case "_panic":
				return name == "panic"
			case "_make":
				return name == "make"
			case "callBin":
				return name == callee
			case "call": // of a nil function: a variable or a field
				o, _ := s.info.Uses[calleeIdent(n)].(*types.Var)
				return o != nil
			}
		}
		return false
	})
}

// calls returns the calls in a function that may have called another one.
func (s *source) calls(function, called ast.Node) []ast.Node {
	declared, ok := called.(*ast.FuncDecl)
	return s.within(function, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if !ok || !isCall {
			return !ok && n == called // a function literal: where it stands
		}
		return s.info.Uses[calleeIdent(call)] == s.info.Defs[declared.Name]
	})
}

// within returns the nodes of a function that are as wanted, without those of
// the functions in it.
func (s *source) within(function ast.Node, wanted func(ast.Node) bool) []ast.Node {
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

func calleeIdent(call *ast.CallExpr) *ast.Ident {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	default:
		return nil
	}
}

func calleeName(call *ast.CallExpr) string {
	if name := calleeIdent(call); name != nil {
		return name.Name
	}
	return ""
}

// place names the lines of some nodes of a function, board.go:12 or 17; when
// there are none, or too many, the lines of the function.
func (s *source) place(function ast.Node, nodes []ast.Node) string {
	at := func(p token.Pos) token.Position { return s.fset.PositionFor(p, false) }
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
		lines = append(lines, at(position).Line)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	file := filepath.Base(at(function.Pos()).Filename)
	from, to := at(function.Pos()).Line, at(function.End()).Line
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

// name is what people call a function.
func (s *source) name(function ast.Node) string {
	switch f := function.(type) {
	case *ast.FuncDecl:
		return f.Name.Name
	default:
		return "a function literal"
	}
}
