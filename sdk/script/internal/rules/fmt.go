package rules

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
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
			t := c.TypeOf(arg)
			if pointer, ok := t.Underlying().(*types.Pointer); ok && scans {
				t = pointer.Elem()
			}
			if what := c.unprintable(t); what != "" {
				c.refuse(arg, "%s: package fmt treats it differently in the interpreter; use numbers, strings, booleans and errors, or slices and maps of them", what)
			}
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

// unprintable returns the part of a type that package fmt treats differently in the
// interpreter, or "".
func (c *checker) unprintable(t types.Type) string {
	if isNamed(t) && !c.ours(t) {
		return "" // the library's, with its own methods
	}
	if name := c.method(t, "String", "Format", "GoString"); name != "" {
		return "a value with a method " + name
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
	case *types.Slice, *types.Array, *types.Map, *types.Tuple:
		for _, part := range parts(u) {
			if what := c.unprintable(part); what != "" {
				return what
			}
		}
	case *types.Pointer:
		if !isNamed(u.Elem()) || c.ours(u.Elem()) {
			return "a pointer"
		}
	case *types.Struct:
		return "a struct"
	case *types.Interface:
		return "a value of unknown type"
	default:
		return "a " + t.String()
	}
	return ""
}

// parts returns the types of the elements of a list or map, of what a pointer refers to, or of
// several results.
func parts(t types.Type) []types.Type {
	switch u := t.(type) {
	case *types.Map:
		return []types.Type{u.Key(), u.Elem()}
	case interface{ Elem() types.Type }:
		return []types.Type{u.Elem()}
	case *types.Tuple:
		var all []types.Type
		for v := range u.Variables() {
			all = append(all, v.Type())
		}
		return all
	}
	return nil
}

// method returns the first of these methods that a type of the script has, or "".
func (c *checker) method(t types.Type, names ...string) string {
	if !c.ours(t) {
		return ""
	}
	methods := types.NewMethodSet(types.NewPointer(t))
	for _, name := range names {
		if methods.Lookup(c.Pkg, name) != nil {
			return name
		}
	}
	return ""
}
