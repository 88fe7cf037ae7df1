package interpreter

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"colosseum/sdk/script/internal/source"
)

// A marked program is the same script with marks: calls of a compiled function that
// gets the number of the statement that follows and the values of the variables that
// it reads. Marks make a script several times slower, so only second runs have them.

// Names of the package of marks for the interpreter. No script can use them.
const (
	marksPath = "colosseum/marks"
	marksName = "·marks"
)

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
	marks []*mark
}

// addMarks adds marks to all functions of the program's files.
func (p *Program) addMarks() []*mark {
	m := &marker{Program: p}
	for _, file := range p.Files {
		m.indexes(file)
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				m.block(f.Body, f)
			} else {
				m.literals(decl)
			}
		}
	}
	return m.marks
}

// indexes marks indexes and the bounds of slices, so that their values are known.
func (m *marker) indexes(file *ast.File) {
	add := func(e *ast.Expr) {
		if *e != nil && m.TypeOf(*e) == types.Typ[types.Int] && m.Info.Types[*e].Value == nil {
			call := m.call("Index", &mark{node: *e})
			call.Args = append(call.Args, *e)
			*e = call
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			add(&n.Index)
		case *ast.SliceExpr:
			add(&n.Low)
			add(&n.High)
		}
		return true
	})
}

// literals marks the function literals in a node.
func (m *marker) literals(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok {
			m.block(f.Body, f)
			return false
		}
		return true
	})
}

func (m *marker) block(b *ast.BlockStmt, function ast.Node) {
	if b != nil {
		b.List = m.list(b.List, function)
	}
}

// list marks the statements of a list.
func (m *marker) list(list []ast.Stmt, function ast.Node) []ast.Stmt {
	var marked []ast.Stmt
	for _, s := range list {
		switch s.(type) {
		case *ast.BlockStmt, *ast.EmptyStmt, *ast.CaseClause:
		default:
			if isEnter(s) {
				break
			}
			marked = append(marked, &ast.ExprStmt{X: m.call("At", &mark{node: s, function: function}, own(s)...)})
		}
		m.statement(s, function)
		marked = append(marked, s)
	}
	return marked
}

// statement marks the statements inside of a statement.
func (m *marker) statement(s ast.Stmt, function ast.Node) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		m.block(s, function)
	case *ast.LabeledStmt:
		m.statement(s.Stmt, function)
	case *ast.IfStmt:
		m.literals(s.Init)
		m.literals(s.Cond)
		m.block(s.Body, function)
		if other, ok := s.Else.(*ast.IfStmt); ok {
			if other.Init == nil {
				m.condition(&other.Cond, &mark{node: other.Cond, function: function})
			}
			m.statement(other, function)
		} else if s.Else != nil {
			m.statement(s.Else, function)
		}
	case *ast.ForStmt:
		m.literals(s.Init)
		m.literals(s.Cond)
		m.literals(s.Post)
		m.block(s.Body, function)
		if s.Cond != nil {
			m.condition(&s.Cond, &mark{node: s.Cond, function: function})
		}
		m.iteration(s, s.Body, function)
	case *ast.RangeStmt:
		m.literals(s.X)
		m.block(s.Body, function)
		m.iteration(s, s.Body, function)
	case *ast.SwitchStmt:
		m.literals(s.Init)
		m.literals(s.Tag)
		m.clauses(s.Body, function, s.Tag == nil)
	case *ast.TypeSwitchStmt:
		m.literals(s.Init)
		m.literals(s.Assign)
		m.clauses(s.Body, function, false)
	default:
		m.literals(s)
	}
}

func (m *marker) clauses(body *ast.BlockStmt, function ast.Node, conditions bool) {
	for _, c := range body.List {
		c := c.(*ast.CaseClause) // of every switch
		for i, e := range c.List {
			m.literals(e)
			if conditions && len(c.List) == 1 {
				m.condition(&c.List[i], &mark{node: e, function: function})
			}
		}
		c.Body = m.list(c.Body, function)
	}
}

// iteration marks the beginning of a loop's body.
func (m *marker) iteration(loop ast.Stmt, body *ast.BlockStmt, function ast.Node) {
	var reads []ast.Node
	switch loop := loop.(type) {
	case *ast.ForStmt:
		reads = append(reads, loop.Cond)
	case *ast.RangeStmt:
		if loop.Tok == token.DEFINE {
			reads = append(reads, loop.Key, loop.Value)
		}
	}
	k := &mark{node: loop, function: function, loop: loop}
	call := m.callAt(body.Lbrace, "At", k, reads...)
	body.List = append([]ast.Stmt{&ast.ExprStmt{X: call}}, body.List...)
}

// condition marks a condition: the mark is true, and joined with it.
func (m *marker) condition(e *ast.Expr, k *mark) {
	t := m.Info.Types[*e]
	if basic, ok := t.Type.(*types.Basic); !ok || t.Value != nil || basic.Info()&types.IsBoolean == 0 {
		return // the condition has a type of the script, or is constant
	}
	*e = &ast.BinaryExpr{X: m.call("On", k, *e), OpPos: (*e).Pos(), Op: token.LAND, Y: &ast.ParenExpr{Lparen: (*e).Pos(), X: *e, Rparen: (*e).End()}}
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
		Fun:    &ast.SelectorExpr{X: &ast.Ident{NamePos: at, Name: marksName}, Sel: &ast.Ident{NamePos: at, Name: name}},
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
