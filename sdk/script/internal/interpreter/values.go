package interpreter

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"reflect"
	"strconv"
	"strings"

	"colosseum/sdk/script/internal/source"
)

// Limits of the values in a message.
const (
	maxValues   = 6  // in one message
	maxElements = 12 // of a slice, array or map
	maxString   = 40 // bytes of a string
	maxValue    = 80 // bytes of a value
)

// variables are the values of variables at a mark. Elements of slices and maps, and
// what pointers refer to, are as they are now.
type variables map[*types.Var]reflect.Value

// value evaluates an expression, without calls of functions of the script. For other
// expressions, and those that fail, ok is false.
func (p *Program) value(e ast.Expr, in variables) (v reflect.Value, ok bool) {
	if c := p.Info.Types[e].Value; c != nil {
		if n, exact := constant.Int64Val(constant.ToInt(c)); exact && c.Kind() == constant.Int {
			return reflect.ValueOf(n), true
		}
		return v, false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		variable, _ := p.Info.ObjectOf(e).(*types.Var)
		v, ok = in[variable]
	case *ast.SelectorExpr:
		selection := p.Info.Selections[e]
		if selection == nil || selection.Kind() != types.FieldVal {
			return v, false
		}
		if v, ok = p.value(e.X, in); !ok {
			return v, false
		}
		for _, i := range selection.Index() {
			if v = pointed(v); v.Kind() != reflect.Struct || i >= v.NumField() {
				return v, false
			}
			v = v.Field(i)
		}
	case *ast.IndexExpr:
		x, xOK := p.value(e.X, in)
		i, iOK := p.integer(e.Index, in)
		if x = pointed(x); xOK && iOK && hasElements(x) && i >= 0 && i < x.Len() {
			return x.Index(i), true
		}
	case *ast.CallExpr:
		if index, ok := p.recorder.index(e); ok {
			return reflect.ValueOf(int64(index)), true
		}
	}
	return v, ok && v.IsValid()
}

// integer evaluates an expression with an integer value.
func (p *Program) integer(e ast.Expr, in variables) (n int, ok bool) {
	v, ok := p.value(e, in)
	switch {
	case !ok:
		return 0, false
	case v.CanInt():
		return int(v.Int()), true
	case v.CanUint():
		return int(v.Uint()), true
	default:
		return 0, false
	}
}

func hasElements(v reflect.Value) bool {
	return v.Kind() == reflect.Slice || v.Kind() == reflect.Array || v.Kind() == reflect.String
}

// pointed returns what a pointer refers to, and other values as they are.
func pointed(v reflect.Value) reflect.Value {
	for v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
		v = v.Elem()
	}
	return v
}

// show writes the values of expressions as "name = value"; without those that say
// nothing, in their order, each once. Empty: there are none.
func (p *Program) show(list []ast.Expr, in variables) string {
	var texts []string
	seen := map[string]bool{}
	for _, e := range list {
		e, v := p.nearest(e, in)
		if e == nil {
			continue
		}
		name := types.ExprString(e)
		if seen[name] || len(texts) == maxValues {
			continue
		}
		seen[name] = true
		if text := format(v, p.TypeOf(e)); text != "" {
			texts = append(texts, name+" = "+text)
		}
	}
	return strings.Join(texts, ", ")
}

// nearest returns an expression and its value; if the expression has none because a
// pointer is nil, the expression for the pointer; else nil.
func (p *Program) nearest(e ast.Expr, in variables) (ast.Expr, reflect.Value) {
	if v, ok := p.value(e, in); ok {
		return e, v
	}
	for e = source.Base(e); e != nil; e = source.Base(e) {
		if v, ok := p.value(e, in); ok && v.Kind() == reflect.Pointer && v.IsNil() {
			return e, v
		}
	}
	return nil, reflect.Value{}
}

// format writes a value of a type for people; empty: it can't be written.
func format(v reflect.Value, t types.Type) string {
	parts := maxValue // each writes a byte, unless it can't be written
	text := formatted(v, t, &parts)
	if len(text) > maxValue {
		text = strings.ToValidUTF8(text[:maxValue], "") + "…"
	}
	return text
}

// formatted writes at most the given number of parts of a value, because a value can
// lead back to itself.
func formatted(v reflect.Value, t types.Type, parts *int) string {
	if *parts--; *parts < 0 {
		return "…"
	}
	if source.IsError(t) {
		if err, ok := v.Interface().(error); ok {
			return err.Error()
		}
		return ""
	}
	if v.IsValid() && v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	if !v.IsValid() {
		return ""
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basic(v, u)
	case *types.Pointer:
		if v.Kind() != reflect.Pointer {
			return ""
		}
		if v.IsNil() {
			return "nil"
		}
		if inner := formatted(v.Elem(), u.Elem(), parts); inner != "" {
			return "&" + inner
		}
	case *types.Struct:
		return fields(v, u, parts)
	case *types.Slice:
		if v.Kind() == reflect.Slice {
			return elements(v, u.Elem(), parts)
		}
	case *types.Array:
		if v.Kind() == reflect.Array {
			return elements(v, u.Elem(), parts)
		}
	case *types.Map:
		switch {
		case v.Kind() != reflect.Map:
		case v.IsNil():
			return "nil"
		default:
			return fmt.Sprintf("map of %d", v.Len())
		}
	}
	return ""
}

func basic(v reflect.Value, t *types.Basic) string {
	switch {
	case v.CanInt() && t.Kind() == types.Int32 && t.Name() == "rune":
		return strconv.QuoteRune(rune(v.Int()))
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.Kind() == reflect.String && v.Len() > maxString:
		return strconv.Quote(v.String()[:maxString]) + "…"
	case v.Kind() == reflect.String:
		return strconv.Quote(v.String())
	default:
		return ""
	}
}

func elements(v reflect.Value, t types.Type, parts *int) string {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return "[]"
	}
	var texts []string
	for i := range min(v.Len(), maxElements) {
		text := formatted(v.Index(i), t, parts)
		if text == "" {
			return fmt.Sprintf("a list of %d", v.Len())
		}
		texts = append(texts, text)
	}
	if v.Len() > maxElements {
		texts = append(texts, fmt.Sprintf("… %d in all", v.Len()))
	}
	return "[" + strings.Join(texts, " ") + "]"
}

// fields writes the fields of a struct that can be written.
func fields(v reflect.Value, t *types.Struct, parts *int) string {
	if v.Kind() != reflect.Struct || v.NumField() != t.NumFields() {
		return ""
	}
	var texts []string
	for i := range t.NumFields() {
		if _, pointer := t.Field(i).Type().Underlying().(*types.Pointer); pointer {
			continue // it could lead back here
		}
		if text := formatted(v.Field(i), t.Field(i).Type(), parts); text != "" {
			texts = append(texts, t.Field(i).Name()+": "+text)
		}
	}
	return "{" + strings.Join(texts, ", ") + "}"
}
