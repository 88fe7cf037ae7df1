package aliases

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"colosseum/sdk/script/internal/source"
)

// writes refuses a node that changes shared memory.
func (a *analysis) writes(n ast.Node) {
	if name, ok := n.(*ast.SelectorExpr); ok {
		a.named(name)
	}
	if source.Enclosing(a.stack) == nil {
		return
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			for _, left := range n.Lhs {
				a.refuseChange(left, a.place(left))
			}
		}
	case *ast.IncDecStmt:
		a.refuseChange(n.X, a.place(n.X))
	case *ast.CallExpr:
		a.changes(n)
	}
}

// named refuses a function of the library that changes an argument, unless it is called
// right there: what another call passes to it is not known.
func (a *analysis) named(n *ast.SelectorExpr) {
	f, ok := a.Object(n).(*types.Func)
	if !ok || a.decls[f] != nil || f.Pkg() == nil {
		return
	}
	for _, outer := range slices.Backward(a.stack) {
		if call, ok := outer.(*ast.CallExpr); ok && ast.Unparen(call.Fun) == n {
			return
		}
		if _, ok := outer.(*ast.ParenExpr); !ok {
			break
		}
	}
	for i := range f.Signature().Params().Len() {
		if writesTo(f, i) {
			a.refuse(n, "%s changes an argument, so it must be called right here, or in a function literal", types.ExprString(n))
			return
		}
	}
}

// refuseChange refuses the change of an expression that shares memory with a variable, if it
// is not nil.
func (a *analysis) refuseChange(e ast.Expr, from types.Object) {
	if from == nil {
		return
	}
	direct := a.Object(e) == from
	if v := a.PackageVar(e); v != nil {
		direct, from = true, v
	}
	what := "a package variable, which all matches share"
	if from.Parent() != a.Pkg.Scope() {
		what = "a variable of a function that runs once before all matches, which share it"
	}
	if direct {
		a.refuse(e, "%s is %s: it must not change; keep what changes in variables of Play or Bot", from.Name(), what)
		return
	}
	a.refuse(e, "%s might be a part of %s, %s: it must not change; change a copy", types.ExprString(e), from.Name(), what)
}

// changes refuses a call that changes a shared argument or receiver.
func (a *analysis) changes(n *ast.CallExpr) {
	if a.IsConversion(n) {
		return
	}
	switch a.Builtin(n) {
	case "copy", "delete":
		a.refuseChange(n.Args[0], a.shared(n.Args[0]))
		return
	case "append":
		if from := a.shared(n.Args[0]); from != nil {
			a.refuse(n, "%s might be a part of %s, which all matches share, and append can write beyond its end: append to a copy, append([]T{}, s...)", types.ExprString(n.Args[0]), from.Name())
		}
		return
	}
	f := a.callee(n)
	if f == nil || a.decls[f] != nil || f.Pkg() == nil {
		return
	}
	if x := a.receiver(n); x != nil {
		if from := a.received(n, x); from != nil && !reads(f) {
			a.refuse(n, "%s can change %s, which might be a part of %s, which all matches share: use one that Play or Bot makes", f.Name(), types.ExprString(x), from.Name())
		}
	}
	for i, arg := range n.Args {
		if writesTo(f, i) {
			a.refuseChange(arg, cmp.Or(a.shared(arg), a.pointed(f, arg)))
		}
	}
}
