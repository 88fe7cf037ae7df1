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
	if v.IsValid() && v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	if !v.IsValid() {
		return ""
	}
	if source.IsError(t) {
		err, _ := v.Interface().(error)
		return fmt.Sprint(err)
	}
	u := t.Underlying()
	list, isList := u.(interface{ Elem() types.Type })
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); len(text) > maxString {
			return strconv.Quote(text[:maxString]) + "…"
		}
		return strconv.Quote(v.String())
	case reflect.Int32:
		if t == types.Universe.Lookup("rune").Type() {
			return strconv.QuoteRune(rune(v.Int()))
		}
		return fmt.Sprint(v)
	case reflect.Pointer:
		if v.IsNil() || !isList {
			return "nil"
		}
		if inner := formatted(v.Elem(), list.Elem(), parts); inner != "" {
			return "&" + inner
		}
		return ""
	case reflect.Map:
		if v.IsNil() {
			return "nil"
		}
		return fmt.Sprintf("map of %d", v.Len())
	case reflect.Slice, reflect.Array:
		if !isList {
			return ""
		}
		var texts []string
		for i := range min(v.Len(), maxElements) {
			text := formatted(v.Index(i), list.Elem(), parts)
			if text == "" {
				return fmt.Sprintf("a list of %d", v.Len())
			}
			texts = append(texts, text)
		}
		if v.Len() > maxElements {
			texts = append(texts, fmt.Sprintf("… %d in all", v.Len()))
		}
		return "[" + strings.Join(texts, " ") + "]"
	case reflect.Struct:
		var texts []string
		fields, ok := u.(*types.Struct)
		for i := 0; ok && i < min(v.NumField(), fields.NumFields()); i++ {
			if _, pointer := fields.Field(i).Type().Underlying().(*types.Pointer); pointer {
				continue // it could lead back here
			}
			if text := formatted(v.Field(i), fields.Field(i).Type(), parts); text != "" {
				texts = append(texts, fields.Field(i).Name()+": "+text)
			}
		}
		return "{" + strings.Join(texts, ", ") + "}"
	case reflect.Func, reflect.Interface:
		return ""
	default:
		return fmt.Sprint(v)
	}
}
