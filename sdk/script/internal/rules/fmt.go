package rules

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"colosseum/sdk/script/internal/source"
)

// fmtCall checks the arguments of package fmt. In the interpreter, package fmt finds
// other names of types and fields in them, and does not always find their methods.
func (c *checker) fmtCall(n *ast.CallExpr) {
	f, ok := c.Object(n.Fun).(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "fmt" {
		return
	}
	scans := strings.Contains(f.Name(), "scan")
	fixed := f.Signature().Params().Len() - 1 // the last parameter is variadic
	for i, arg := range n.Args {
		if i >= fixed {
			c.printed(arg, scans)
		} else if text := c.Info.Types[arg].Value; text != nil && text.Kind() == constant.String {
			c.format(arg, constant.StringVal(text))
		}
	}
}

// format refuses verbs that print names of types and fields.
func (c *checker) format(at ast.Expr, text string) {
	for _, verb := range []string{"%T", "%+v", "%#v"} {
		if strings.Contains(text, verb) {
			c.refuse(at, "%s prints the interpreter's own names of types and fields: print each part with %%v", verb)
		}
	}
}

// printed checks one argument, which is a pointer for functions that scan.
func (c *checker) printed(e ast.Expr, scans bool) {
	t := c.TypeOf(e)
	if pointer, ok := t.Underlying().(*types.Pointer); ok && scans {
		t = pointer.Elem()
	}
	if what := c.unprintable(t); what != "" {
		c.refuse(e, "%s: package fmt treats it differently in the interpreter; use numbers, strings, booleans and errors, or slices and maps of them", what)
	}
}

// unprintable returns the part of a type that package fmt treats differently in the
// interpreter, or "".
func (c *checker) unprintable(t types.Type) string {
	if results, ok := t.(*types.Tuple); ok { // several results of a call
		for v := range results.Variables() {
			if what := c.unprintable(v.Type()); what != "" {
				return what
			}
		}
		return ""
	}
	if !c.ours(t) && isNamed(t) || source.IsError(t) {
		return "" // the library's, with its own methods
	}
	if c.ours(t) {
		methods := types.NewMethodSet(types.NewPointer(t))
		for _, name := range []string{"String", "Format", "GoString"} {
			if methods.Lookup(c.Pkg, name) != nil {
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
		return cmp.Or(c.unprintable(u.Key()), c.unprintable(u.Elem()))
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
