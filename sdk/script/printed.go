package script

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// fmtCall checks what package fmt is given. It looks into values, and in the
// interpreter finds other names of fields and types, and methods only sometimes.
func (c *checker) fmtCall(n *ast.CallExpr) {
	f, ok := c.object(n.Fun).(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "fmt" {
		return
	}
	scans := strings.Contains(f.Name(), "scan")
	fixed := f.Signature().Params().Len() - 1 // the last stands for any number
	for i, arg := range n.Args {
		if i >= fixed {
			c.printed(arg, scans)
		} else if text := c.info.Types[arg].Value; text != nil && text.Kind() == constant.String {
			c.format(arg, constant.StringVal(text))
		}
	}
}

// format: verbs that show the interpreter's names of types and fields.
func (c *checker) format(at ast.Expr, text string) {
	for _, verb := range []string{"%T", "%+v", "%#v"} {
		if strings.Contains(text, verb) {
			c.refuse(at, "%s shows the interpreter's own names of types and fields", verb)
		}
	}
}

// printed checks one argument; for the functions that scan, a pointer.
func (c *checker) printed(e ast.Expr, scans bool) {
	t := c.typeOf(e)
	if pointer, ok := t.Underlying().(*types.Pointer); ok && scans {
		t = pointer.Elem()
	}
	if what := c.unprintable(t); what != "" {
		c.refuse(e, "%s: package fmt sees it otherwise in the interpreter; give it numbers, strings, booleans and errors, or slices and maps of them", what)
	}
}

// unprintable says what in a type package fmt would show differently, or "".
func (c *checker) unprintable(t types.Type) string {
	if results, ok := t.(*types.Tuple); ok { // of a call that has several
		for v := range results.Variables() {
			if what := c.unprintable(v.Type()); what != "" {
				return what
			}
		}
		return ""
	}
	if !c.ours(t) && isNamed(t) || isError(t) {
		return "" // of the library, with its own methods
	}
	if c.ours(t) {
		methods := types.NewMethodSet(types.NewPointer(t))
		for _, name := range []string{"String", "Format", "GoString"} {
			if methods.Lookup(c.pkg, name) != nil {
				return "a value with a method " + name
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return ""
	case *types.Slice:
		return c.unprintable(u.Elem())
	case *types.Array:
		return c.unprintable(u.Elem())
	case *types.Map:
		if what := c.unprintable(u.Key()); what != "" {
			return what
		}
		return c.unprintable(u.Elem())
	case *types.Pointer:
		if isNamed(u.Elem()) && !c.ours(u.Elem()) {
			return ""
		}
		return "a pointer"
	case *types.Struct:
		return "a struct"
	case *types.Interface:
		return "a value of unknown type"
	default:
		return "a " + t.String()
	}
}
