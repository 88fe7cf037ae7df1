package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// maxCalls limits the functions that are made for calls of generic ones.
const maxCalls = 2000

// expander gives each call of a generic function of the library a function of its own, for
// the types of that call, so that neither the rules nor the interpreter see type
// parameters. All nodes keep their positions.
type expander struct {
	*Source
	changed  bool
	problems []Problem
}

// expand replaces everything generic. If it reports true, the types must be checked
// again.
func (s *Source) expand() (changed bool, problems []Problem) {
	x := &expander{Source: s}
	for _, file := range s.Files[:len(s.Files):len(s.Files)] { // those of the library are added
		astutil.Apply(file, x.replace, nil)
	}
	return x.changed, x.problems
}

const declares = "a script cannot declare generic functions and types: the interpreter does not support all of them; write it for the types that you need"

// replace replaces a node; false: it has done so for the nodes in it too.
func (x *expander) replace(c *astutil.Cursor) bool {
	switch n := c.Node().(type) {
	case *ast.FuncDecl:
		t := x.Info.Defs[n.Name].Type().(*types.Signature)
		if t.TypeParams().Len() > 0 {
			x.refuse(n.Name.Pos(), declares)
		}
		return t.TypeParams().Len()+t.RecvTypeParams().Len() == 0
	case *ast.TypeSpec:
		if n.TypeParams != nil {
			x.refuse(n.Name.Pos(), declares)
			return false
		}
	case *ast.ImportSpec:
		if isGeneric(strings.Trim(n.Path.Value, "`\"")) {
			x.changed = true
			c.Delete()
			return false
		}
	case *ast.CallExpr:
		if value := x.Info.Types[n]; value.Value != nil && (x.Builtin(n) == "min" || x.Builtin(n) == "max") {
			x.changed = true
			c.Replace(x.constant(n, value))
			return false
		}
		x.call(n)
	case *ast.IndexExpr:
		return x.instance(c, n.X)
	case *ast.IndexListExpr:
		return x.instance(c, n.X)
	case *ast.SelectorExpr:
		return x.instance(c, n)
	}
	return true
}

// instance replaces the name of a generic function of the library.
func (x *expander) instance(c *astutil.Cursor, e ast.Expr) bool {
	selector, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return true
	}
	instance, ok := x.Info.Instances[selector.Sel]
	if !ok {
		return true
	}
	var args []types.Type
	for t := range instance.TypeArgs.Types() {
		args = append(args, t)
	}
	o := x.Info.Uses[selector.Sel]
	c.Replace(x.fromLibrary(c.Node().Pos(), o.Pkg().Path(), o.Name(), args))
	return false
}

func (x *expander) refuse(at token.Pos, format string, args ...any) {
	x.problems = append(x.problems, x.Problem(&ast.Ident{NamePos: at}, format, args...))
}

// expr writes a type as an expression at a position. If it has no name outside of a
// function, expr refuses it.
func (x *expander) expr(t types.Type, at token.Pos) ast.Expr {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return &ast.Ident{NamePos: at, Name: types.Default(t).(*types.Basic).Name()}
	case *types.Named:
		if o := t.Obj(); o.Pkg() == nil || o.Pkg() == x.Pkg && o.Parent() == x.Pkg.Scope() {
			return &ast.Ident{NamePos: at, Name: o.Name()}
		}
	case *types.Pointer:
		return &ast.ParenExpr{Lparen: at, X: &ast.StarExpr{Star: at, X: x.expr(t.Elem(), at)}, Rparen: at}
	case *types.Slice:
		return &ast.ArrayType{Lbrack: at, Elt: x.expr(t.Elem(), at)}
	case *types.Array:
		length := &ast.BasicLit{ValuePos: at, Kind: token.INT, Value: strconv.FormatInt(t.Len(), 10)}
		return &ast.ArrayType{Lbrack: at, Len: length, Elt: x.expr(t.Elem(), at)}
	case *types.Map:
		return &ast.MapType{Map: at, Key: x.expr(t.Key(), at), Value: x.expr(t.Elem(), at)}
	case *types.Interface:
		if t.Empty() {
			return &ast.Ident{NamePos: at, Name: "any"}
		}
	}
	x.refuse(at, "a generic function cannot be used with the type %s in a script: declare a type with a name, outside of functions", types.TypeString(t, types.RelativeTo(x.Pkg)))
	return &ast.Ident{NamePos: at, Name: "any"}
}
