package source

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// call returns the replacement of a call of min, max, clear or slices.Sorted; nil: it is
// another call.
func (x *expander) call(n *ast.CallExpr, in env) ast.Node {
	name := x.Builtin(n)
	var fun *ast.Ident
	switch {
	case name == "min" || name == "max":
		t := x.Info.Types[n]
		if t.Value != nil {
			return x.constant(n, t)
		}
		fun = x.fromLibrary(n.Pos(), "builtin", name, []types.Type{t.Type}, in)
	case name == "clear":
		switch t := x.TypeOf(n.Args[0]).Underlying().(type) {
		case *types.Map:
			fun = x.fromLibrary(n.Pos(), "builtin", "clear map", []types.Type{x.TypeOf(n.Args[0]), t.Key(), t.Elem()}, in)
		case *types.Slice:
			fun = x.fromLibrary(n.Pos(), "builtin", name, []types.Type{x.TypeOf(n.Args[0]), t.Elem()}, in)
		default:
			return nil // of a type parameter
		}
	default:
		sorted, isFunc := x.Object(n.Fun).(*types.Func)
		if !isFunc || sorted.Pkg() == nil || sorted.Pkg().Path() != "slices" || sorted.Name() != "Sorted" {
			return nil
		}
		keys, ok := ast.Unparen(n.Args[0]).(*ast.CallExpr)
		if !ok || x.Object(keys.Fun) == nil || x.Object(keys.Fun).Name() != "Keys" {
			return nil
		}
		t := x.TypeOf(keys.Args[0])
		m, ok := t.Underlying().(*types.Map)
		if !ok {
			return nil
		}
		fun = x.fromLibrary(n.Pos(), "slices", "sorted keys", []types.Type{t, m.Key(), m.Elem()}, in)
		n = keys
	}
	c := &ast.CallExpr{Fun: fun, Lparen: n.Lparen, Ellipsis: n.Ellipsis, Rparen: n.Rparen}
	for _, arg := range n.Args {
		c.Args = append(c.Args, x.copy(arg, in).(ast.Expr))
	}
	return c
}

// constant returns a constant as an expression of its type.
func (x *expander) constant(at ast.Expr, t types.TypeAndValue) ast.Expr {
	lit := &ast.BasicLit{ValuePos: at.Pos(), Value: t.Value.ExactString()}
	basic, isBasic := t.Type.Underlying().(*types.Basic)
	switch {
	case isBasic && basic.Kind() == types.UntypedRune:
		n, _ := constant.Int64Val(t.Value)
		lit.Kind, lit.Value = token.CHAR, strconv.QuoteRune(rune(n))
	case t.Value.Kind() == constant.Int:
		lit.Kind = token.INT
	case t.Value.Kind() == constant.String:
		lit.Kind = token.STRING
	default:
		f, _ := constant.Float64Val(t.Value)
		lit.Kind, lit.Value = token.FLOAT, strconv.FormatFloat(f, 'e', -1, 64)
	}
	if isBasic && basic.Info()&types.IsUntyped != 0 {
		return lit
	}
	arg, ok := x.argument(t.Type, nil, at.Pos())
	if !ok {
		return lit
	}
	return &ast.CallExpr{Fun: arg.expr(at.Pos()), Lparen: at.Pos(), Args: []ast.Expr{lit}, Rparen: at.Pos()}
}

// call is a call of a generic function of the library.
type call struct {
	at   token.Pos
	name string
}

// FromLibrary reports whether a file is not the script's, but has a function of the
// library that was made for one call.
func (s *Source) FromLibrary(file *ast.File) bool {
	_, ok := s.library[s.Fset.File(file.Pos())]
	return ok
}

// columns is where the functions of the library begin in the line of their call: beyond
// all columns of the script.
const columns = 10_000

// fromLibrary returns the name of a new function for one call, made from a text of the
// library. The function has the file and line of the call.
func (x *expander) fromLibrary(at token.Pos, path, name string, list []types.Type, in env) *ast.Ident {
	text, ok := generic[path][name]
	if !ok || name == "Keys" || name == "Sorted" {
		x.refuse(at, "%s.%s is only available in slices.Sorted(maps.Keys(m)): the order of the keys of a map changes from run to run", path, name)
		return ast.NewIdent(name)
	}
	if x.count++; x.count > maxInstances {
		x.refuse(at, "more than %d calls of generic functions", maxInstances)
		return ast.NewIdent(name)
	}
	where := x.Position(at)
	label := strings.NewReplacer("builtin.", "", "clear map", "clear", "sorted keys", "Sorted").Replace(path + "." + name)
	params, body, _ := strings.Cut(text[1:], "](")
	text = strings.Repeat("\n", where.Line-1) + strings.Repeat(" ", columns) + "package main; import ǃsort \"sort\"; func f(" + body
	file, err := parser.ParseFile(x.Fset, where.Filename, text, parser.SkipObjectResolution)
	if err != nil {
		panic(err) // the texts are tested
	}
	args := map[string]argument{}
	for i, param := range strings.Split(params, ",") {
		arg, ok := x.argument(list[i], in, at)
		if !ok {
			return ast.NewIdent(name)
		}
		args[strings.Fields(param)[0]] = arg
	}
	imported := file.Decls[0]
	f := replaceNames(reflect.ValueOf(file.Decls[1]), args).Interface().(*ast.FuncDecl)
	f.Name.Name = fmt.Sprintf("%s#%d", label, x.count)
	file.Decls = []ast.Decl{f}
	if strings.Contains(body, "ǃsort.") {
		file.Decls = []ast.Decl{imported, f}
	} else {
		file.Imports = nil
	}
	x.Files = append(x.Files, file)
	if x.library == nil {
		x.library = map[*token.File]call{}
	}
	x.library[x.Fset.File(file.Pos())] = call{at, label}
	return &ast.Ident{NamePos: at, Name: f.Name.Name}
}

// replaceNames replaces names of types in a node, and returns the node.
func replaceNames(v reflect.Value, args map[string]argument) reflect.Value {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			return replaceNames(v.Elem(), args)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		if name, ok := v.Interface().(*ast.Ident); ok {
			if arg, ok := args[name.Name]; ok {
				return reflect.ValueOf(arg.expr(name.Pos()))
			}
			return v
		}
		if _, node := v.Interface().(ast.Node); node {
			for i := range v.Elem().NumField() {
				if field := v.Elem().Field(i); field.CanSet() {
					if r := replaceNames(field, args); r.IsValid() && r.Type().AssignableTo(field.Type()) {
						field.Set(r)
					}
				}
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if r := replaceNames(v.Index(i), args); r.IsValid() {
				v.Index(i).Set(r)
			}
		}
	}
	return v
}
