package aliases

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"

	"colosseum/sdk/script/internal/source"
)

// add records that key is shared, unless from is nil.
func (a *analysis) add(key any, from types.Object) {
	if from != nil && key != nil && a.from[key] == nil {
		a.from[key] = from
		a.changed = true
	}
}

// refers reports whether values of a type can refer to mutable memory.
func (a *analysis) refers(t types.Type) bool {
	known, ok := a.holds[t]
	if ok {
		return known
	}
	a.holds[t] = false // ends the recursion: a type contains itself only through a pointer, slice or map
	yes := false
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Pointer:
		yes = true
	case *types.Interface:
		yes = !source.IsError(t) // a script cannot declare error types
	case *types.Array:
		yes = a.refers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			yes = yes || a.refers(f.Type())
		}
	case *types.Tuple:
		for v := range u.Variables() {
			yes = yes || a.refers(v.Type())
		}
	}
	a.holds[t] = yes
	return yes
}

func (a *analysis) memoryOf(t types.Type) memory { return memory(types.TypeString(t, nil)) }

func (a *analysis) isArray(e ast.Expr) bool {
	_, ok := a.TypeOf(e).Underlying().(*types.Array)
	return ok
}

func (a *analysis) isPointer(e ast.Expr) bool {
	_, ok := a.TypeOf(e).Underlying().(*types.Pointer)
	return ok
}

// shared returns a variable that the value of an expression might share memory
// with, or nil.
func (a *analysis) shared(e ast.Expr) types.Object {
	e = ast.Unparen(e)
	if !a.refers(a.TypeOf(e)) {
		return nil
	}
	switch e := e.(type) {
	case *ast.Ident:
		return a.variable(a.Info.ObjectOf(e))
	case *ast.SelectorExpr:
		return a.selected(e)
	case *ast.IndexExpr:
		if a.isArray(e.X) {
			return a.shared(e.X)
		}
		return cmp.Or(a.shared(e.X), a.from[a.memoryOf(a.TypeOf(e))])
	case *ast.SliceExpr:
		if a.isArray(e.X) {
			return a.place(e.X)
		}
		return a.shared(e.X)
	case *ast.StarExpr:
		return cmp.Or(a.shared(e.X), a.from[a.memoryOf(a.TypeOf(e))])
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return a.place(e.X)
		}
	case *ast.TypeAssertExpr:
		return a.shared(e.X)
	case *ast.CompositeLit:
		if !a.isArray(e) {
			return nil
		}
		for _, element := range e.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				element = pair.Value
			}
			if from := a.shared(element); from != nil {
				return from
			}
		}
	case *ast.CallExpr:
		return a.called(e, 0)
	}
	return nil
}

// pointed is like shared, for all that a function of the library which decodes can reach
// from a pointer: it fills the slices and maps that are already there.
func (a *analysis) pointed(f *types.Func, e ast.Expr) types.Object {
	if !source.DecodesJSON(f) {
		return nil
	}
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		if from := a.shared(u.X); from != nil {
			return from
		}
	}
	return a.within(a.TypeOf(e), map[types.Type]bool{})
}

// within returns a variable with which values inside of those of a type might share
// memory, or nil.
func (a *analysis) within(t types.Type, seen map[types.Type]bool) types.Object {
	if seen[t] || !a.refers(t) {
		return nil
	}
	seen[t] = true
	inner := func(t types.Type) types.Object { return cmp.Or(a.from[a.memoryOf(t)], a.within(t, seen)) }
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return inner(u.Elem())
	case *types.Slice:
		return inner(u.Elem())
	case *types.Array:
		return inner(u.Elem())
	case *types.Map:
		return inner(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if from := cmp.Or(a.from[f], a.within(f.Type(), seen)); from != nil {
				return from
			}
		}
	}
	return nil
}

// variable is like shared, for the value of a variable.
func (a *analysis) variable(o types.Object) types.Object {
	v, ok := o.(*types.Var)
	if !ok {
		return nil
	}
	if a.common(v) {
		return v
	}
	if from := a.from[v]; from != nil && !a.whollyFresh(v) {
		return from
	}
	return a.behind(v)
}

// behind is like shared, for values that might be set through pointers to a variable.
func (a *analysis) behind(v *types.Var) types.Object {
	if !a.taken[v] {
		return nil
	}
	if from := a.from[a.memoryOf(v.Type())]; from != nil {
		return from
	}
	if array, ok := v.Type().Underlying().(*types.Array); ok {
		return a.from[a.memoryOf(array.Elem())]
	}
	return nil
}

// common reports whether all matches share a variable.
func (a *analysis) common(v *types.Var) bool {
	if v.Parent() == a.Pkg.Scope() {
		return true
	}
	for _, f := range a.stack {
		if f, ok := f.(*ast.FuncLit); ok && a.public[f] && (v.Pos() < f.Pos() || v.Pos() >= f.End()) && !v.IsField() {
			return true
		}
	}
	return false
}

// whollyFresh reports whether a struct was copied and all of its fields that refer
// to memory were then set.
func (a *analysis) whollyFresh(v *types.Var) bool {
	u, ok := v.Type().Underlying().(*types.Struct)
	if !ok || a.fresh[v] == nil {
		return false
	}
	for f := range u.Fields() {
		if a.refers(f.Type()) && !a.fresh[v][f] {
			return false
		}
	}
	return true
}

// selected is like shared, for a field.
func (a *analysis) selected(e *ast.SelectorExpr) types.Object {
	field, ok := a.Info.Uses[e.Sel].(*types.Var)
	if !ok || !field.IsField() {
		return nil
	}
	for _, f := range a.path(e) {
		if from := cmp.Or(a.from[f], a.behind(f)); from != nil {
			return from
		}
	}
	if own, ok := a.Object(e.X).(*types.Var); ok && a.fresh[own][field] && !a.common(own) {
		return a.behind(own)
	}
	if from := a.shared(e.X); from != nil {
		return from
	}
	if p, ok := a.TypeOf(e.X).Underlying().(*types.Pointer); ok {
		return a.from[a.memoryOf(p.Elem())]
	}
	return nil
}

// path returns the fields from an expression to the one that is selected: more
// than one when structs are embedded.
func (a *analysis) path(e *ast.SelectorExpr) []*types.Var {
	var list []*types.Var
	selection := a.Info.Selections[e]
	if selection == nil {
		return nil
	}
	t := selection.Recv()
	for _, i := range selection.Index() {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		u, ok := t.Underlying().(*types.Struct)
		if !ok {
			break
		}
		list = append(list, u.Field(i))
		t = u.Field(i).Type()
	}
	return list
}

// place is like shared, for the memory of an expression itself: for a pointer to it,
// and for assignments.
func (a *analysis) place(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := a.Info.ObjectOf(e).(*types.Var); ok && a.common(v) {
			return v
		}
	case *ast.SelectorExpr:
		if a.isPointer(e.X) {
			return a.shared(e.X)
		}
		return a.place(e.X)
	case *ast.IndexExpr:
		if a.isArray(e.X) {
			return a.place(e.X)
		}
		return a.shared(e.X)
	case *ast.StarExpr:
		return a.shared(e.X)
	}
	return nil
}
