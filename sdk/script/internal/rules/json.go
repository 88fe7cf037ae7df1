package rules

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"

	"colosseum/sdk/script/internal/source"
	"colosseum/sdk/script/symbols"
)

// jsonArgument has, for each function that encodes or decodes JSON, the index of the
// value.
var jsonArgument = map[string]int{
	"encoding/json.Marshal": 0, "encoding/json.MarshalIndent": 0, "encoding/json.Unmarshal": 1,
	"encoding/json.Encode": 0, "encoding/json.Decode": 0,
	symbols.SDK + ".JSON": 0, symbols.SDK + ".ParseJSON": 1,
}

// jsonCall checks the values that are encoded as JSON, or decoded. In the interpreter,
// package json does not see that a field is embedded, and finds no methods.
func (c *checker) jsonCall(n *ast.CallExpr) {
	f, ok := c.Object(n.Fun).(*types.Func)
	if !ok || f.Pkg() == nil {
		return
	}
	i, ok := jsonArgument[f.Pkg().Path()+"."+f.Name()]
	if !ok || i >= len(n.Args) {
		return
	}
	c.encoded(n.Args[i], source.DecodesJSON(f))
}

// encoded checks one value, or the values in a literal.
func (c *checker) encoded(e ast.Expr, decodes bool) {
	e = ast.Unparen(e)
	if address, ok := e.(*ast.UnaryExpr); ok {
		e = ast.Unparen(address.X)
	}
	if literal, ok := e.(*ast.CompositeLit); ok && c.holdsAny(c.TypeOf(e)) {
		for _, elt := range literal.Elts {
			if pair, ok := elt.(*ast.KeyValueExpr); ok {
				elt = pair.Value
			}
			c.encoded(elt, decodes)
		}
		return
	}
	if c.isNil(e) {
		return
	}
	if what := c.unencodable(c.TypeOf(e), decodes, nil); what != "" {
		c.refuse(e, "package json treats it differently in the interpreter: %s", what)
	}
}

// holdsAny reports whether a type is a map or list of values of any type.
func (c *checker) holdsAny(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return types.IsInterface(u.Elem())
	case *types.Slice:
		return types.IsInterface(u.Elem())
	default:
		return false
	}
}

// unencodable returns what is wrong with a type, and what to write instead, or "".
func (c *checker) unencodable(t types.Type, decodes bool, outer []types.Type) string {
	if slices.ContainsFunc(outer, func(o types.Type) bool { return types.Identical(o, t) }) {
		return "" // it is being checked
	}
	outer = append(outer, t)
	if c.ours(t) {
		methods := types.NewMethodSet(types.NewPointer(t))
		for _, name := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"} {
			if methods.Lookup(c.Pkg, name) != nil {
				return "it does not find the method " + name + " of " + c.name(t) + "; convert the value before"
			}
		}
	} else if isNamed(t) && !source.IsError(t) {
		return "" // the library's
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return c.unencodable(u.Elem(), decodes, outer)
	case *types.Slice:
		return c.unencodable(u.Elem(), decodes, outer)
	case *types.Array:
		return c.unencodable(u.Elem(), decodes, outer)
	case *types.Map:
		if what := c.unencodable(u.Key(), decodes, outer); what != "" {
			return what
		}
		return c.unencodable(u.Elem(), decodes, outer)
	case *types.Interface:
		if !decodes {
			return "a value of unknown type can have fields that it treats differently; give it its type, or write it into map[string]any{…} right here"
		}
	case *types.Struct:
		return c.fields(u, decodes, outer)
	}
	return ""
}

// fields checks the fields of a struct.
func (c *checker) fields(u *types.Struct, decodes bool, outer []types.Type) string {
	for i := range u.NumFields() {
		f := u.Field(i)
		if reflect.StructTag(u.Tag(i)).Get("json") == "-" {
			continue
		}
		if f.Embedded() {
			return "it does not see that the field " + f.Name() + " is embedded; give the field a name and a tag"
		}
		if !f.Exported() {
			continue // package interpreter hides it
		}
		if what := c.unencodable(f.Type(), decodes, outer); what != "" {
			return what
		}
	}
	return ""
}
