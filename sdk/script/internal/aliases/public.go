package aliases

import (
	"go/ast"
	"go/token"
	"go/types"

	"colosseum/sdk/script/internal/source"
	"colosseum/sdk/script/symbols"
)

// origins records where values come from.
type origins struct {
	*analysis
	assigned map[types.Object][]ast.Expr // by variable, parameter or field: values assigned to it or to its parts
	returned map[ast.Node][]ast.Expr     // by function
	seen     map[ast.Expr]bool
}

// publish finds the public function literals: those that package variables hold or
// that plugin.Serve gets.
func (a *analysis) publish() {
	p := &origins{analysis: a, assigned: map[types.Object][]ast.Expr{}, returned: map[ast.Node][]ast.Expr{}, seen: map[ast.Expr]bool{}}
	a.walk(p.gather)
	a.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if source.Enclosing(a.stack) == nil {
				p.markAll(n.Values)
			}
		case *ast.CallExpr:
			if f := a.callee(n); f != nil && packageOf(f) == symbols.Plugin {
				p.markAll(n.Args)
			}
		}
	})
}

// gather records the values that a node assigns, passes or returns.
func (p *origins) gather(n ast.Node) {
	put := func(to ast.Expr, e ast.Expr) {
		for ; to != nil; to = source.Base(to) {
			if o := p.Object(to); o != nil {
				p.assigned[o] = append(p.assigned[o], e)
			}
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			put(left, n.Rhs[min(i, len(n.Rhs)-1)])
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if len(n.Values) > 0 {
				put(name, n.Values[min(i, len(n.Values)-1)])
			}
		}
	case *ast.RangeStmt:
		if n.Value != nil {
			put(n.Value, n.X)
		}
	case *ast.ReturnStmt:
		f := source.Enclosing(p.stack)
		p.returned[f] = append(p.returned[f], n.Results...)
		if len(n.Results) == 0 {
			for _, name := range source.Names(source.FuncType(f).Results) {
				p.returned[f] = append(p.returned[f], name)
			}
		}
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				if name, ok := pair.Key.(*ast.Ident); ok && p.Info.Uses[name] != nil {
					p.assigned[p.Info.Uses[name]] = append(p.assigned[p.Info.Uses[name]], pair.Value)
				}
			}
		}
	case *ast.CallExpr:
		if p.IsConversion(n) || p.Builtin(n) != "" {
			return
		}
		for _, target := range p.targets(n) {
			params := p.params(target)
			for i, arg := range n.Args {
				if len(params) == 0 {
					break
				}
				v := params[min(i, len(params)-1)]
				p.assigned[v] = append(p.assigned[v], arg)
			}
		}
	}
}

func (p *origins) markAll(list []ast.Expr) {
	for _, e := range list {
		p.mark(e)
	}
}

// mark makes the function literals that a value can be or hold public.
func (p *origins) mark(e ast.Expr) {
	e = ast.Unparen(e)
	if p.seen[e] || !holdsFunc(p.TypeOf(e), map[types.Type]bool{}) {
		return
	}
	p.seen[e] = true
	switch e := e.(type) {
	case *ast.FuncLit:
		p.public[e] = true
	case *ast.Ident:
		if v, ok := p.Info.ObjectOf(e).(*types.Var); ok {
			p.markAll(p.assigned[v])
		}
	case *ast.CompositeLit:
		for _, element := range e.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				element = pair.Value
			}
			p.mark(element)
		}
	case *ast.SelectorExpr:
		if f, ok := p.Info.Uses[e.Sel].(*types.Var); ok {
			p.markAll(p.assigned[f])
			p.mark(e.X)
		}
	case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr:
		p.mark(source.Base(e))
	case *ast.TypeAssertExpr:
		p.mark(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			p.mark(e.X)
		}
	case *ast.CallExpr:
		targets := p.targets(e)
		for _, f := range targets {
			p.markAll(p.returned[f])
		}
		if len(targets) == 0 {
			p.markAll(e.Args) // a conversion, append, or a function of the library
		}
	}
}

// holdsFunc reports whether a value of a type can be or hold a function.
func holdsFunc(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Interface:
		return !source.IsError(t)
	case interface{ Elem() types.Type }: // of a slice, array, pointer or map
		return holdsFunc(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if holdsFunc(f.Type(), seen) {
				return true
			}
		}
	case *types.Tuple:
		for v := range u.Variables() {
			if holdsFunc(v.Type(), seen) {
				return true
			}
		}
	}
	return false
}
