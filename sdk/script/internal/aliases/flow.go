package aliases

import (
	"go/ast"
	"go/types"

	"colosseum/sdk/script/internal/source"
)

// flow follows the values that a node assigns, passes or returns.
func (a *analysis) flow(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		a.assign(n.Lhs, n.Rhs)
	case *ast.ValueSpec:
		if len(n.Values) > 0 {
			left := make([]ast.Expr, len(n.Names))
			for i := range n.Names {
				left[i] = n.Names[i]
			}
			a.assign(left, n.Values)
		}
	case *ast.RangeStmt:
		if n.Value != nil && a.refers(a.TypeOf(n.Value)) {
			from := a.shared(n.X)
			if from == nil && !a.isArray(n.X) {
				from = a.from[a.memoryOf(a.TypeOf(n.Value))]
			}
			a.store(n.Value, from)
		}
	case *ast.ReturnStmt:
		a.returned(n)
	case *ast.TypeSwitchStmt:
		a.typeSwitch(n)
	case *ast.CompositeLit:
		a.literal(n)
	case *ast.CallExpr:
		a.arguments(n)
	}
}

// link adds shared values of variables whose address is taken to the memory behind
// pointers of their type.
func (a *analysis) link() {
	for o := range a.taken {
		v := o.(*types.Var)
		if from := a.from[v]; from != nil && !a.whollyFresh(v) && a.refers(v.Type()) {
			a.add(a.memoryOf(v.Type()), from)
			if array, ok := v.Type().Underlying().(*types.Array); ok {
				a.add(a.memoryOf(array.Elem()), from)
			}
		}
	}
}

// assign follows the values of an assignment.
func (a *analysis) assign(left, right []ast.Expr) {
	if len(left) == len(right) {
		for i := range left {
			a.store(left[i], a.shared(right[i]))
		}
		return
	}
	// v, ok := …, or the results of a call
	for i := range left {
		if call, ok := ast.Unparen(right[0]).(*ast.CallExpr); ok {
			if source.IsBlank(left[i]) || a.refers(a.TypeOf(left[i])) {
				a.store(left[i], a.called(call, i))
			}
		} else if i == 0 {
			a.store(left[i], a.shared(right[0]))
		}
	}
}

// store records that a place holds a shared value, unless from is nil.
func (a *analysis) store(to ast.Expr, from types.Object) {
	if from == nil {
		return
	}
	switch to := ast.Unparen(to).(type) {
	case *ast.Ident:
		if v, ok := a.Info.ObjectOf(to).(*types.Var); ok && !source.IsBlank(to) && a.refers(v.Type()) {
			a.add(v, from)
		}
	case *ast.SelectorExpr:
		if f, ok := a.Info.Uses[to.Sel].(*types.Var); ok {
			a.add(f, from)
		}
	case *ast.IndexExpr:
		if a.isArray(to.X) {
			a.store(to.X, from)
			return
		}
		a.add(a.memoryOf(a.TypeOf(to)), from)
	case *ast.StarExpr:
		a.add(a.memoryOf(a.TypeOf(to)), from)
	}
}

func (a *analysis) returned(n *ast.ReturnStmt) {
	f := source.Enclosing(a.stack)
	results := source.FuncType(f).Results
	switch {
	case len(n.Results) == 0:
		for i, name := range source.Names(results) {
			a.add(result{f, i}, a.shared(name))
		}
	case len(n.Results) == 1 && results.NumFields() > 1:
		if call, ok := ast.Unparen(n.Results[0]).(*ast.CallExpr); ok {
			for i := range results.NumFields() {
				a.add(result{f, i}, a.called(call, i))
			}
		}
	default:
		for i, e := range n.Results {
			a.add(result{f, i}, a.shared(e))
		}
	}
}

func (a *analysis) typeSwitch(n *ast.TypeSwitchStmt) {
	assign, ok := n.Assign.(*ast.AssignStmt)
	if !ok {
		return
	}
	from := a.shared(ast.Unparen(assign.Rhs[0]).(*ast.TypeAssertExpr).X)
	for _, clause := range n.Body.List {
		if v := a.Info.Implicits[clause]; v != nil && from != nil && a.refers(v.Type()) {
			a.add(v, from)
		}
	}
}

// literal follows the values in a composite literal. Method shared looks into
// literals of arrays.
func (a *analysis) literal(n *ast.CompositeLit) {
	t := a.TypeOf(n).Underlying()
	if p, ok := t.(*types.Pointer); ok { // an element of []*T without &T
		t = p.Elem().Underlying()
	}
	for i, e := range n.Elts {
		var key ast.Expr
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			key, e = pair.Key, pair.Value
		}
		from := a.shared(e)
		switch t := t.(type) {
		case *types.Struct:
			field := t.Field(min(i, t.NumFields()-1))
			if name, ok := key.(*ast.Ident); ok {
				field, _ = a.Info.Uses[name].(*types.Var)
			}
			if from != nil && field != nil {
				a.add(field, from)
			}
		case *types.Slice:
			a.add(a.memoryOf(t.Elem()), from)
		case *types.Map:
			a.add(a.memoryOf(t.Elem()), from)
			if key != nil {
				a.add(a.memoryOf(t.Key()), a.shared(key))
			}
		}
	}
}

// arguments follows the arguments of a call.
func (a *analysis) arguments(n *ast.CallExpr) {
	if a.IsConversion(n) {
		return
	}
	switch a.Builtin(n) {
	case "append", "copy":
		slice, ok := a.TypeOf(n.Args[0]).Underlying().(*types.Slice)
		if !ok || !a.refers(slice.Elem()) {
			return
		}
		for _, arg := range n.Args[1:] {
			a.add(a.memoryOf(slice.Elem()), a.shared(arg))
		}
		return
	case "":
	default:
		return
	}
	f := a.callee(n)
	if f != nil && a.decls[f] == nil {
		return
	}
	for _, target := range a.targets(n) {
		if d, ok := target.(*ast.FuncDecl); ok && d.Recv != nil && len(d.Recv.List[0].Names) == 1 {
			if x := a.receiver(n); x != nil {
				if v := a.Info.Defs[d.Recv.List[0].Names[0]]; v != nil && a.refers(v.Type()) {
					a.add(v, a.received(n, x))
				}
			}
		}
		a.passed(n, target)
	}
}

// passed follows arguments to the parameters of a function.
func (a *analysis) passed(n *ast.CallExpr, target ast.Node) {
	params := a.params(target)
	spread := len(n.Args) == 1 && len(params) > 1 // the results of a call
	for i, p := range params {
		if !a.refers(p.Type()) {
			continue
		}
		last := i == len(params)-1 && a.variadic(target)
		switch {
		case spread:
			if call, ok := ast.Unparen(n.Args[0]).(*ast.CallExpr); ok {
				a.add(p, a.called(call, i))
			}
		case last && !n.Ellipsis.IsValid():
			elem := p.Type().Underlying().(*types.Slice).Elem()
			for _, arg := range n.Args[min(i, len(n.Args)):] {
				a.add(a.memoryOf(elem), a.shared(arg))
			}
		case i < len(n.Args):
			a.add(p, a.shared(n.Args[i]))
		}
	}
}
