package source

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// call replaces the function of a call of min, max, clear or slices.Sorted.
func (x *expander) call(n *ast.CallExpr) {
	switch name := x.Builtin(n); name {
	case "min", "max":
		n.Fun = x.fromLibrary(n.Pos(), "builtin", name, []types.Type{x.TypeOf(n)})
	case "clear":
		list := x.TypeOf(n.Args[0])
		if t, ok := list.Underlying().(*types.Map); ok {
			n.Fun = x.fromLibrary(n.Pos(), "builtin", "clear map", []types.Type{list, t.Key(), t.Elem()})
		} else if t, ok := list.Underlying().(*types.Slice); ok {
			n.Fun = x.fromLibrary(n.Pos(), "builtin", name, []types.Type{list, t.Elem()})
		}
	case "":
		if !x.calls(n, "slices", "Sorted") {
			return
		}
		if keys, ok := ast.Unparen(n.Args[0]).(*ast.CallExpr); ok && x.calls(keys, "maps", "Keys") {
			t := x.TypeOf(keys.Args[0])
			m := t.Underlying().(*types.Map)
			n.Fun, n.Args = x.fromLibrary(n.Pos(), "slices", "sorted keys", []types.Type{t, m.Key(), m.Elem()}), keys.Args
		}
	}
}

// calls reports whether a call is one of a function of the library.
func (x *expander) calls(n *ast.CallExpr, path, name string) bool {
	f, ok := x.Object(n.Fun).(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg().Path() == path && f.Name() == name
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
	return &ast.CallExpr{Fun: x.expr(t.Type, at.Pos()), Lparen: at.Pos(), Args: []ast.Expr{lit}, Rparen: at.Pos()}
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
func (x *expander) fromLibrary(at token.Pos, path, name string, args []types.Type) *ast.Ident {
	x.changed = true
	text, ok := generic[path][name]
	if !ok || name == "Keys" || name == "Sorted" {
		x.refuse(at, "%s.%s is only available in slices.Sorted(maps.Keys(m)): the order of the keys of a map changes from run to run", path, name)
		return ast.NewIdent(name)
	}
	if len(x.library) == maxCalls {
		x.refuse(at, "more than %d calls of generic functions", maxCalls)
	}
	if len(x.problems) > 0 {
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
	if x.library == nil {
		x.library = map[*token.File]call{}
	}
	x.library[x.Fset.File(file.Pos())] = call{at, label}
	types := map[string]types.Type{}
	for i, param := range strings.Split(params, ",") {
		types[strings.Fields(param)[0]] = args[i]
	}
	astutil.Apply(file, func(c *astutil.Cursor) bool {
		if name, ok := c.Node().(*ast.Ident); ok && types[name.Name] != nil {
			c.Replace(x.expr(types[name.Name], name.Pos()))
		}
		return true
	}, nil)
	if !strings.Contains(body, "ǃsort.") {
		file.Decls = file.Decls[1:]
	}
	f := file.Decls[len(file.Decls)-1].(*ast.FuncDecl)
	f.Name.Name = fmt.Sprintf("%s#%d", label, len(x.library))
	x.Files = append(x.Files, file)
	return &ast.Ident{NamePos: at, Name: f.Name.Name}
}
