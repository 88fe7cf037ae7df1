package aliases

import (
	"go/ast"
	"slices"

	"colosseum/sdk/script/internal/source"
)

// publish finds the public function literals: those in functions that run before all
// matches. Literals that are only called there are not public.
func (a *analysis) publish() {
	before := map[ast.Node]bool{} // functions
	var visit func(ast.Node)
	visit = func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && !a.IsConversion(call) {
				for _, f := range a.targets(call) {
					if !before[f] {
						before[f] = true
						visit(source.Body(f))
					}
				}
			}
			_, literal := n.(*ast.FuncLit)
			return !literal
		})
	}
	for _, file := range a.Files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok:
				visit(decl)
			case f.Recv == nil && f.Name.Name == "main":
				before[f] = true
				visit(f.Body)
			}
		}
	}
	a.walk(func(n ast.Node) {
		if f, ok := n.(*ast.FuncLit); ok && before[source.Enclosing(a.stack)] && !a.onlyCalled(f) {
			a.public[f] = true
		}
	})
}

// onlyCalled reports whether the function literal at the current place is called right there,
// by a function of package sort or strings, or under the name of a variable that is used for
// nothing else.
func (a *analysis) onlyCalled(f *ast.FuncLit) bool {
	switch outer := a.stack[len(a.stack)-1].(type) {
	case *ast.CallExpr:
		callee := a.callee(outer)
		return outer.Fun == f || callee != nil && slices.Contains([]string{"sort", "strings"}, packageOf(callee))
	case *ast.AssignStmt:
		name, ok := outer.Lhs[0].(*ast.Ident)
		return ok && len(outer.Lhs) == 1 && !a.values[a.Info.ObjectOf(name)]
	}
	return false
}
