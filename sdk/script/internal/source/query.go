package source

import (
	"go/ast"
	"go/token"
	"go/types"

	"colosseum/sdk/script/symbols"
)

// Position returns a position in the script's files.
func (s *Source) Position(p token.Pos) token.Position { return s.Fset.PositionFor(p, false) }

// TypeOf returns the type of an expression, never nil.
func (s *Source) TypeOf(e ast.Expr) types.Type {
	if t := s.Info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// Object returns the object that a name denotes, or nil.
func (s *Source) Object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return s.Info.ObjectOf(e)
	case *ast.SelectorExpr:
		return s.Info.Uses[e.Sel]
	default:
		return nil
	}
}

// DecodesJSON reports whether a function of the library or of the SDK decodes JSON.
func DecodesJSON(f *types.Func) bool {
	if f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() {
	case "encoding/json":
		return f.Name() == "Unmarshal" || f.Name() == "Decode"
	case symbols.SDK:
		return f.Name() == "ParseJSON"
	}
	return false
}

// Builtin returns the name of the builtin function that is called, or "".
func (s *Source) Builtin(call *ast.CallExpr) string {
	if b, ok := s.Object(call.Fun).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// IsConversion reports whether a call is a conversion.
func (s *Source) IsConversion(call *ast.CallExpr) bool { return s.Info.Types[call.Fun].IsType() }

// IsNew reports whether a name on the left of := is declared there.
func (s *Source) IsNew(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && s.Info.Defs[name] != nil
}

// PackageVar returns the package variable of which an expression such as
// table[i].field is a part, or nil.
func (s *Source) PackageVar(e ast.Expr) *types.Var {
	for ; e != nil; e = Base(e) {
		if x, ok := ast.Unparen(e).(*ast.Ident); ok {
			if v, ok := s.Info.ObjectOf(x).(*types.Var); ok && v.Parent() == s.Pkg.Scope() {
				return v
			}
		}
	}
	return nil
}

// Base returns x for x.f, x[i], x[i:j] and *x, and nil for other expressions.
func Base(e ast.Expr) ast.Expr {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return e.X
	case *ast.IndexExpr:
		return e.X
	case *ast.SliceExpr:
		return e.X
	case *ast.StarExpr:
		return e.X
	default:
		return nil
	}
}

// IsBlank reports whether an expression is _.
func IsBlank(e ast.Expr) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	return ok && name.Name == "_"
}

// IsError reports whether a type is error.
func IsError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// Enclosing returns the innermost function in a stack of nodes, which has the
// outermost first: an [*ast.FuncDecl] or [*ast.FuncLit], or nil.
func Enclosing(stack []ast.Node) ast.Node {
	for i := len(stack) - 1; i >= 0; i-- {
		if FuncType(stack[i]) != nil {
			return stack[i]
		}
	}
	return nil
}

// FuncType returns the type of an [*ast.FuncDecl] or [*ast.FuncLit]; nil for other
// nodes.
func FuncType(f ast.Node) *ast.FuncType {
	switch f := f.(type) {
	case *ast.FuncDecl:
		return f.Type
	case *ast.FuncLit:
		return f.Type
	default:
		return nil
	}
}

// SignatureKey is equal for functions that differ only in the names of parameters.
func SignatureKey(f *types.Signature) string {
	key := ""
	for _, list := range []*types.Tuple{f.Params(), f.Results()} {
		for v := range list.Variables() {
			key += types.TypeString(v.Type(), nil) + ","
		}
		key += ";"
	}
	if f.Variadic() {
		key += "..."
	}
	return key
}

// Names returns the names of parameters or results, in their order.
func Names(list *ast.FieldList) []*ast.Ident {
	var names []*ast.Ident
	if list != nil {
		for _, field := range list.List {
			names = append(names, field.Names...)
		}
	}
	return names
}

// Body returns the body of an [*ast.FuncDecl] or [*ast.FuncLit].
func Body(f ast.Node) *ast.BlockStmt {
	if f, ok := f.(*ast.FuncLit); ok {
		return f.Body
	}
	return f.(*ast.FuncDecl).Body
}
