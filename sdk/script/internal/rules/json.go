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
	elem, ok := t.Underlying().(interface{ Elem() types.Type })
	return ok && types.IsInterface(elem.Elem())
}

// unencodable returns what is wrong with a type, and what to write instead, or "".
func (c *checker) unencodable(t types.Type, decodes bool, outer []types.Type) string {
	if slices.ContainsFunc(outer, func(o types.Type) bool { return types.Identical(o, t) }) {
		return "" // it is being checked
	}
	if isNamed(t) && !c.ours(t) && !source.IsError(t) {
		return "" // the library's
	}
	if name := c.method(t, "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"); name != "" {
		return "it does not find the method " + name + " of " + c.name(t) + "; convert the value before"
	}
	inside := parts(t.Underlying())
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if !decodes {
			return "a value of unknown type can have fields that it treats differently; give it its type, or write it into map[string]any{…} right here"
		}
	case *types.Struct:
		for i := range u.NumFields() {
			f := u.Field(i)
			if reflect.StructTag(u.Tag(i)).Get("json") == "-" {
				continue
			}
			if f.Embedded() {
				return "it does not see that the field " + f.Name() + " is embedded; give the field a name and a tag"
			}
			if f.Exported() { // package interpreter hides the others
				inside = append(inside, f.Type())
			}
		}
	}
	for _, part := range inside {
		if what := c.unencodable(part, decodes, append(outer, t)); what != "" {
			return what
		}
	}
	return ""
}
