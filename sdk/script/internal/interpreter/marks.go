package interpreter

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ast/astutil"

	"colosseum/sdk/script/internal/source"
)

// A marked program is the same script with marks: calls of a compiled function that
// gets the number of the statement that follows and the values of the variables that
// it reads. Marks make a script several times slower, so only second runs have them.

// mark is one mark.
type mark struct {
	node     ast.Node // the statement or condition that follows
	function ast.Node // a *ast.FuncDecl or *ast.FuncLit
	loop     ast.Stmt // the mark begins an iteration of this loop; nil: it does not
	vars     []*types.Var
	shown    []ast.Expr // variables and fields of variables that the node reads
}

// marker adds marks to functions.
type marker struct {
	*Program
	marks     []*mark
	functions []ast.Node // around the current node, outermost first
}

// addMarks adds marks to all functions of the program's files.
func (p *Program) addMarks() []*mark {
	m := &marker{Program: p}
	for _, file := range p.Files {
		astutil.Apply(file, m.enter, m.leave)
	}
	return m.marks
}

func (m *marker) leave(c *astutil.Cursor) bool {
	if n := c.Node(); n != nil && source.FuncType(n) != nil {
		m.functions = m.functions[:len(m.functions)-1]
	}
	return true
}

// enter adds the marks of a node, before those of the nodes in it.
func (m *marker) enter(c *astutil.Cursor) bool {
	n := c.Node()
	if n == nil {
		return true
	}
	if s, ok := n.(ast.Stmt); ok && c.Index() >= 0 {
		if isAdded(s) {
			return false
		}
		switch s.(type) {
		case *ast.BlockStmt, *ast.EmptyStmt, *ast.CaseClause:
		default:
			c.InsertBefore(&ast.ExprStmt{X: m.call("At", &mark{node: s, function: m.function()}, own(s)...)})
		}
	}
	switch n := n.(type) {
	case *ast.FuncDecl, *ast.FuncLit:
		m.functions = append(m.functions, n)
	case *ast.ForStmt:
		m.iteration(n, n.Body, n.Cond)
		m.condition(&n.Cond)
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			m.iteration(n, n.Body, n.Key, n.Value)
		} else {
			m.iteration(n, n.Body)
		}
	case *ast.IfStmt:
		if c.Name() == "Else" && n.Init == nil {
			m.condition(&n.Cond)
		}
	case *ast.SwitchStmt:
		for _, clause := range n.Body.List {
			if list := clause.(*ast.CaseClause).List; n.Tag == nil && len(list) == 1 {
				m.condition(&list[0])
			}
		}
	case *ast.IndexExpr:
		m.index(&n.Index)
	case *ast.SliceExpr:
		m.index(&n.Low)
		m.index(&n.High)
	}
	return true
}

func (m *marker) function() ast.Node { return m.functions[len(m.functions)-1] }

// index marks an index, or a bound of a slice, so that its value is known.
func (m *marker) index(e *ast.Expr) {
	if *e != nil && m.TypeOf(*e) == types.Typ[types.Int] && m.Info.Types[*e].Value == nil {
		call := m.call("Index", &mark{node: *e})
		call.Args = append(call.Args, *e)
		*e = call
	}
}

// iteration marks the beginning of a loop's body.
func (m *marker) iteration(loop ast.Stmt, body *ast.BlockStmt, reads ...ast.Node) {
	call := m.callAt(body.Lbrace, "At", &mark{node: loop, function: m.function(), loop: loop}, reads...)
	body.List = append([]ast.Stmt{&ast.ExprStmt{X: call}}, body.List...)
}

// condition marks a condition: the mark is true, and joined with it.
func (m *marker) condition(e *ast.Expr) {
	t := m.Info.Types[*e]
	if basic, ok := t.Type.(*types.Basic); !ok || t.Value != nil || basic.Info()&types.IsBoolean == 0 {
		return // the condition has a type of the script, or is constant
	}
	call := m.call("On", &mark{node: *e, function: m.function()}, *e)
	*e = &ast.BinaryExpr{X: call, OpPos: (*e).Pos(), Op: token.LAND, Y: &ast.ParenExpr{Lparen: (*e).Pos(), X: *e, Rparen: (*e).End()}}
}

func (m *marker) call(name string, k *mark, reads ...ast.Node) *ast.CallExpr {
	return m.callAt(k.node.Pos(), name, k, reads...)
}

// callAt returns the call of a mark, with the variables that nodes read.
func (m *marker) callAt(at token.Pos, name string, k *mark, reads ...ast.Node) *ast.CallExpr {
	for _, n := range reads {
		m.read(n, k)
	}
	call := &ast.CallExpr{
		Fun:    &ast.SelectorExpr{X: &ast.Ident{NamePos: at, Name: helperName}, Sel: &ast.Ident{NamePos: at, Name: name}},
		Lparen: at, Rparen: at,
		Args: []ast.Expr{&ast.BasicLit{ValuePos: at, Kind: token.INT, Value: strconv.Itoa(len(m.marks))}},
	}
	for _, v := range k.vars {
		call.Args = append(call.Args, &ast.Ident{NamePos: at, Name: v.Name()})
	}
	m.marks = append(m.marks, k)
	return call
}

// own returns the parts of a statement that run before any statement inside of it.
func own(s ast.Stmt) []ast.Node {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return own(s.Stmt)
	case *ast.IfStmt:
		return []ast.Node{s.Init, s.Cond}
	case *ast.ForStmt:
		return []ast.Node{s.Init, s.Cond}
	case *ast.RangeStmt:
		return []ast.Node{s.X}
	case *ast.SwitchStmt:
		return []ast.Node{s.Init, s.Tag}
	case *ast.TypeSwitchStmt:
		return []ast.Node{s.Init, s.Assign}
	default:
		return []ast.Node{s}
	}
}

// read adds the variables that a node reads to a mark. Variables that the node itself
// declares do not exist before it.
func (m *marker) read(n ast.Node, k *mark) {
	if n == nil {
		return
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if _, name := left.(*ast.Ident); !name || n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
					ast.Inspect(left, visit)
				}
			}
			for _, right := range n.Rhs {
				ast.Inspect(right, visit)
			}
			return false
		case *ast.KeyValueExpr: // the key can be the name of a field
			if _, name := n.Key.(*ast.Ident); !name {
				ast.Inspect(n.Key, visit)
			}
			ast.Inspect(n.Value, visit)
			return false
		case *ast.SelectorExpr, *ast.Ident:
			root := m.root(n.(ast.Expr))
			if root == nil {
				return true
			}
			if loop := k.loop != nil; !loop && k.node.Pos() <= root.Pos() && root.Pos() < k.node.End() {
				return false
			}
			if !slices.Contains(k.vars, root) {
				k.vars = append(k.vars, root)
			}
			k.shown = append(k.shown, n.(ast.Expr))
			return false
		}
		return true
	}
	ast.Inspect(n, visit)
}

// root returns the variable of which a variable or a chain of fields is a part, if
// its value can be kept; else nil.
func (m *marker) root(e ast.Expr) *types.Var {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if s := m.Info.Selections[e]; s != nil && s.Kind() == types.FieldVal {
			return m.root(e.X)
		}
	case *ast.Ident:
		v, ok := m.Info.ObjectOf(e).(*types.Var)
		if ok && !v.IsField() && v.Name() != "_" && v.Pkg() == m.Pkg && m.keepable(v.Type()) { // not sdk.ErrIllegal
			return v
		}
	}
	return nil
}

// keepable reports whether a mark can get values of a type.
func (m *marker) keepable(t types.Type) bool {
	if source.IsError(t) {
		return true
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != m.Pkg {
		return false // of the library, such as a match
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Slice, *types.Array, *types.Map, *types.Struct:
		return true
	case *types.Pointer:
		_, isStruct := u.Elem().Underlying().(*types.Struct)
		return isStruct && m.keepable(u.Elem())
	default:
		return false
	}
}
