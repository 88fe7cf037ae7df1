package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// env has the type for each type parameter of an instance.
type env map[*types.TypeParam]argument

// argument is a type of an instance.
type argument struct {
	text string
	expr func(at token.Pos) ast.Expr
}

// argument returns a type as the argument of an instance. If it has no name outside of a
// function, argument refuses it.
func (x *expander) argument(t types.Type, in env, at token.Pos) (argument, bool) {
	e := x.expr(t, in, at, at)
	if e == nil {
		return argument{}, false
	}
	return argument{types.ExprString(e), func(pos token.Pos) ast.Expr { return x.expr(t, in, pos, at) }}, true
}

// expr writes a type as an expression at a position; nil: it was refused.
func (x *expander) expr(t types.Type, in env, pos, at token.Pos) ast.Expr {
	name := func(text string) ast.Expr { return &ast.Ident{NamePos: pos, Name: text} }
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return name(types.Default(t).(*types.Basic).Name())
	case *types.TypeParam:
		if arg, ok := in[t]; ok {
			return arg.expr(pos)
		}
	case *types.Named:
		o := t.Obj()
		switch {
		case o.Pkg() == nil:
			return name(o.Name())
		case o.Pkg() == x.Pkg && o.Parent() != x.Pkg.Scope():
			x.refuse(at, "%s is a type in a function: a generic function can only be used with types that are declared outside of functions", o.Name())
			return nil
		case o.Pkg() == x.Pkg && t.TypeArgs().Len() > 0:
			var args []argument
			var texts []string
			for part := range t.TypeArgs().Types() {
				arg, ok := x.argument(part, in, at)
				if !ok {
					return nil
				}
				args, texts = append(args, arg), append(texts, arg.text)
			}
			text := o.Name() + "[" + strings.Join(texts, ",") + "]"
			x.make(t.Origin().Obj(), text, args, at)
			return name(text)
		case o.Pkg() == x.Pkg:
			return name(o.Name())
		}
	case *types.Pointer:
		if elem := x.expr(t.Elem(), in, pos, at); elem != nil {
			return &ast.StarExpr{Star: pos, X: elem}
		}
		return nil
	case *types.Slice:
		if elem := x.expr(t.Elem(), in, pos, at); elem != nil {
			return &ast.ArrayType{Lbrack: pos, Elt: elem}
		}
		return nil
	case *types.Array:
		if elem := x.expr(t.Elem(), in, pos, at); elem != nil {
			return &ast.ArrayType{Lbrack: pos, Len: &ast.BasicLit{ValuePos: pos, Kind: token.INT, Value: strconv.FormatInt(t.Len(), 10)}, Elt: elem}
		}
		return nil
	case *types.Map:
		key, elem := x.expr(t.Key(), in, pos, at), x.expr(t.Elem(), in, pos, at)
		if key == nil || elem == nil {
			return nil
		}
		return &ast.MapType{Map: pos, Key: key, Value: elem}
	case *types.Interface:
		if t.Empty() {
			return name("any")
		}
	}
	x.refuse(at, "a generic function cannot be used with the type %s in a script: declare a type with a name", types.TypeString(t, types.RelativeTo(x.Pkg)))
	return nil
}
