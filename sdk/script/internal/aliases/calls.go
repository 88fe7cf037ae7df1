package aliases

import (
	"go/ast"
	"go/types"

	"colosseum/sdk/script/internal/source"
)

// callee returns the function that a call names, or nil if it calls a value.
func (a *analysis) callee(n *ast.CallExpr) *types.Func {
	f, _ := a.Object(n.Fun).(*types.Func)
	return f
}

// receiver returns the receiver of a method call, or nil.
func (a *analysis) receiver(n *ast.CallExpr) ast.Expr {
	x, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	if !ok || a.Info.Selections[x] == nil || a.Info.Selections[x].Kind() != types.MethodVal {
		return nil
	}
	return x.X
}

// received is like shared, for the receiver as the method gets it.
func (a *analysis) received(n *ast.CallExpr, x ast.Expr) types.Object {
	if _, pointer := a.callee(n).Signature().Recv().Type().Underlying().(*types.Pointer); pointer && !a.isPointer(x) {
		return a.place(x)
	}
	return a.shared(x)
}

// targets returns the functions of the script that a call can reach.
func (a *analysis) targets(n *ast.CallExpr) []ast.Node {
	if f := a.callee(n); f != nil {
		if d := a.decls[f]; d != nil {
			return []ast.Node{d}
		}
		return nil
	}
	if f, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
		return []ast.Node{f}
	}
	if f, ok := a.TypeOf(n.Fun).Underlying().(*types.Signature); ok {
		return a.dynamic[source.SignatureKey(f)]
	}
	return nil
}

// called is like shared, for a result of a call.
func (a *analysis) called(n *ast.CallExpr, number int) types.Object {
	if a.IsConversion(n) {
		return a.shared(n.Args[0])
	}
	if name := a.Builtin(n); name != "" {
		if name == "append" {
			return a.shared(n.Args[0])
		}
		return nil
	}
	for _, f := range a.targets(n) {
		if from := a.from[result{f, number}]; from != nil {
			return from
		}
	}
	f := a.callee(n)
	if f == nil || a.decls[f] != nil {
		return nil
	}
	// A function of the library can return its arguments.
	for _, arg := range n.Args {
		if from := a.shared(arg); from != nil {
			return from
		}
	}
	if x := a.receiver(n); x != nil {
		if from := a.received(n, x); from != nil {
			return from
		}
	}
	return nil
}

// params returns the parameters of a function that have names, _ included.
func (a *analysis) params(f ast.Node) []*types.Var {
	var list []*types.Var
	for _, name := range source.Names(source.FuncType(f).Params) {
		list = append(list, a.Info.Defs[name].(*types.Var))
	}
	return list
}

func (a *analysis) variadic(f ast.Node) bool {
	list := source.FuncType(f).Params.List
	if len(list) == 0 {
		return false
	}
	_, ok := list[len(list)-1].Type.(*ast.Ellipsis)
	return ok
}

func packageOf(o types.Object) string {
	if o.Pkg() == nil {
		return ""
	}
	return o.Pkg().Path()
}
