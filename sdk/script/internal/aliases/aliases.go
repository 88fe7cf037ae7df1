// Package aliases refuses changes to the memory of package variables, under their own and
// other names: all matches share that memory.
package aliases

import (
	"go/ast"
	"go/token"
	"go/types"

	"colosseum/sdk/script/internal/source"
)

// Check returns the places where a script might change such memory. It considers
// neither the order of statements nor which call a function returns to, so it also
// refuses some programs that change nothing shared.
func Check(s *source.Source) []source.Problem {
	a := &analysis{
		Source: s, from: map[any]types.Object{}, taken: map[types.Object]bool{}, fresh: map[types.Object]map[types.Object]bool{},
		dynamic: map[string][]ast.Node{}, decls: map[types.Object]*ast.FuncDecl{}, holds: map[types.Type]bool{}, public: map[*ast.FuncLit]bool{}, values: map[types.Object]bool{},
	}
	a.prepare()
	for a.changed = true; a.changed; { // ends, because each round adds to from, and a program has finitely many keys
		a.changed = false
		a.walk(a.flow)
		a.link()
	}
	a.walk(a.writes)
	return a.problems
}

// analysis follows shared values from name to name until it finds no new ones. A
// value is shared if it is or holds a slice, map or pointer that can refer to a part
// of a package variable. All values of one type in memory behind pointers and in
// elements of slices and maps are treated as one, and so is a field in all structs.
//
// A function literal of a function that runs before all matches is public: they can call it,
// and share the variables around it that it uses.
type analysis struct {
	*source.Source
	problems []source.Problem
	stack    []ast.Node           // the nodes around the current one, outermost first
	from     map[any]types.Object // by shared value: a variable that it comes from
	changed  bool                 // whether from has grown in this round

	taken   map[types.Object]bool                  // variables and fields whose address is taken
	fresh   map[types.Object]map[types.Object]bool // by a copied struct: fields that are set right after
	dynamic map[string][]ast.Node                  // functions used as values, by signature
	decls   map[types.Object]*ast.FuncDecl
	holds   map[types.Type]bool   // results of refers
	public  map[*ast.FuncLit]bool // function literals that all matches can call
	values  map[types.Object]bool // functions, and variables, that are not only called and assigned
}

// The keys of from are the objects of variables and fields, and these.
type (
	memory string // by type: values behind pointers and in elements
	result struct {
		function ast.Node
		number   int
	}
)

func (a *analysis) refuse(at ast.Node, format string, args ...any) {
	a.problems = append(a.problems, a.Problem(at, format, args...))
}

// walk calls visit for each node.
func (a *analysis) walk(visit func(ast.Node)) {
	for _, file := range a.Files {
		ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
			a.stack = stack
			visit(n)
			return true
		})
	}
}

// prepare collects the facts about the program that the rounds need.
func (a *analysis) prepare() {
	again := map[types.Object]bool{} // variables that are assigned after their declaration
	called := map[ast.Expr]bool{}    // expressions that are called, not used as values
	a.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			a.decls[a.Info.Defs[n.Name]] = n
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
			if x := a.receiver(n); x != nil && !a.isPointer(x) {
				if _, wants := a.callee(n).Signature().Recv().Type().(*types.Pointer); wants {
					a.take(x)
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				a.take(n.X)
			}
		case *ast.SliceExpr:
			if a.isArray(n.X) {
				a.take(n.X)
			}
		case *ast.BlockStmt:
			a.copies(n.List)
		case *ast.CaseClause:
			a.copies(n.Body)
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				called[left] = true // neither
				if v := a.Object(left); v != nil && !a.IsNew(left) {
					again[v] = true
				}
			}
		}
	})
	for v := range again {
		delete(a.fresh, v)
	}
	a.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FuncLit:
			key := source.SignatureKey(a.TypeOf(n).(*types.Signature))
			a.dynamic[key] = append(a.dynamic[key], n)
		case *ast.Ident:
			o := a.Info.Uses[n]
			if called[n] || o == nil {
				break
			}
			a.values[o] = true
			if f := a.decls[o]; f != nil {
				key := source.SignatureKey(o.(*types.Func).Signature())
				a.dynamic[key] = append(a.dynamic[key], f)
			}
		}
	})
	a.publish()
}

// take records that pointers to a variable, or to a part of it, can exist.
func (a *analysis) take(e ast.Expr) {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := a.Info.ObjectOf(x).(*types.Var); ok {
			a.taken[v] = true
		}
	case *ast.SelectorExpr:
		if v, ok := a.Info.Uses[x.Sel].(*types.Var); ok {
			a.taken[v] = true
		}
	case *ast.IndexExpr:
		if a.isArray(x.X) {
			a.take(x.X)
		}
	}
}

// copies finds copies of structs: b := a, followed by b.field = … for the fields
// that must not refer to the same memory.
func (a *analysis) copies(list []ast.Stmt) {
	for i, statement := range list {
		define, ok := statement.(*ast.AssignStmt)
		if !ok || define.Tok != token.DEFINE || len(define.Lhs) != 1 {
			continue
		}
		v := a.Object(define.Lhs[0])
		if v == nil {
			continue
		}
		for _, next := range list[i+1:] {
			set, ok := next.(*ast.AssignStmt)
			if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != 1 {
				break
			}
			field, ok := ast.Unparen(set.Lhs[0]).(*ast.SelectorExpr)
			if !ok || a.Object(field.X) != v || a.isPointer(field.X) {
				break
			}
			if a.fresh[v] == nil {
				a.fresh[v] = map[types.Object]bool{}
			}
			a.fresh[v][a.Object(field)] = true
		}
	}
}
