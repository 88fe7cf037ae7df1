package script

import (
	"go/ast"
	"go/token"
	"go/types"
)

// sources are where values come from, for those that go back from a value.
type sources struct {
	*sharing
	assigned map[types.Object][]ast.Expr // to variables, parameters and fields, or to parts of them
	returned map[ast.Node][]ast.Expr     // by functions
	seen     map[ast.Expr]bool
}

// publish finds the function literals that variables of the package hold or that
// are handed to plugin.Serve: it goes back from there to where they are written.
func (s *sharing) publish() {
	p := &sources{sharing: s, assigned: map[types.Object][]ast.Expr{}, returned: map[ast.Node][]ast.Expr{}, seen: map[ast.Expr]bool{}}
	s.walk(p.gather)
	s.walk(func(n ast.Node, within []ast.Node) {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if len(within) == 0 {
				p.all(n.Values)
			}
		case *ast.CallExpr:
			if f := s.callee(n); f != nil && packageOf(f) == pluginPath {
				p.all(n.Args)
			}
		}
	})
}

// gather notes what a node puts where.
func (p *sources) gather(n ast.Node, within []ast.Node) {
	put := func(to ast.Expr, e ast.Expr) {
		for {
			if o := p.object(to); o != nil {
				p.assigned[o] = append(p.assigned[o], e)
			}
			switch x := ast.Unparen(to).(type) {
			case *ast.SelectorExpr:
				to = x.X
			case *ast.IndexExpr:
				to = x.X
			case *ast.StarExpr:
				to = x.X
			default:
				return
			}
		}
	}
	several := func(left, right []ast.Expr) {
		for i, l := range left {
			put(l, right[min(i, len(right)-1)])
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		several(n.Lhs, n.Rhs)
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
		if len(within) > 0 {
			f := within[len(within)-1]
			p.returned[f] = append(p.returned[f], n.Results...)
			if results := resultsOf(f); len(n.Results) == 0 && results != nil {
				for _, field := range results.List {
					for _, name := range field.Names {
						p.returned[f] = append(p.returned[f], name)
					}
				}
			}
		}
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				if name, ok := pair.Key.(*ast.Ident); ok && p.info.Uses[name] != nil {
					p.assigned[p.info.Uses[name]] = append(p.assigned[p.info.Uses[name]], pair.Value)
				}
			}
		}
	case *ast.CallExpr:
		if p.isConversion(n) || p.builtin(n) != "" {
			return
		}
		for _, target := range p.targets(n) {
			params := p.params(target)
			for i, arg := range n.Args {
				if len(params) == 0 {
					break
				}
				if v := params[min(i, len(params)-1)]; v != nil {
					p.assigned[v] = append(p.assigned[v], arg)
				}
			}
		}
	}
}

func (p *sources) all(list []ast.Expr) {
	for _, e := range list {
		p.back(e)
	}
}

// back goes from a value to the function literals that it may be or hold.
func (p *sources) back(e ast.Expr) {
	e = ast.Unparen(e)
	if p.seen[e] || !calls(p.typeOf(e), map[types.Type]bool{}) {
		return
	}
	p.seen[e] = true
	switch e := e.(type) {
	case *ast.FuncLit:
		p.public[e] = true
	case *ast.Ident:
		if v, ok := p.info.ObjectOf(e).(*types.Var); ok {
			p.all(p.assigned[v])
		}
	case *ast.CompositeLit:
		for _, element := range e.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				element = pair.Value
			}
			p.back(element)
		}
	case *ast.SelectorExpr:
		if f, ok := p.info.Uses[e.Sel].(*types.Var); ok {
			p.all(p.assigned[f])
			p.back(e.X)
		}
	case *ast.IndexExpr:
		p.back(e.X)
	case *ast.SliceExpr:
		p.back(e.X)
	case *ast.StarExpr:
		p.back(e.X)
	case *ast.TypeAssertExpr:
		p.back(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			p.back(e.X)
		}
	case *ast.CallExpr:
		targets := p.targets(e)
		for _, f := range targets {
			p.all(p.returned[f])
		}
		if len(targets) == 0 {
			p.all(e.Args) // a conversion, append, or a function of the library
		}
	}
}

// calls tells whether a value of a type may be or hold a function.
func calls(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Interface:
		return !isError(t)
	case *types.Slice:
		return calls(u.Elem(), seen)
	case *types.Array:
		return calls(u.Elem(), seen)
	case *types.Pointer:
		return calls(u.Elem(), seen)
	case *types.Map:
		return calls(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if calls(f.Type(), seen) {
				return true
			}
		}
	case *types.Tuple:
		for v := range u.Variables() {
			if calls(v.Type(), seen) {
				return true
			}
		}
	}
	return false
}
