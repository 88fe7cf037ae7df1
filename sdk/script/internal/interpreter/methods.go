package interpreter

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"colosseum/sdk/script/internal/source"
	"colosseum/sdk/script/symbols"
)

// makeFunctions turns methods into functions: p.moves(list) becomes moves#position(p, list).
// For each call of a method, the interpreter makes a function by reflection, so the call
// of a function takes a fifth of the time. Methods that the library can call stay, and so do
// those that are promoted or get the several results of another call. All nodes keep their
// positions.
func makeFunctions(s *source.Source) {
	declared := map[types.Object]*ast.FuncDecl{}
	for _, file := range s.Files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv == nil || libraryMethods[f.Name.Name] {
				continue
			}
			if names := f.Recv.List[0].Names; len(names) == 1 && names[0].Name != "_" {
				declared[s.Info.Defs[f.Name]] = f
			}
		}
	}
	calls := map[*ast.SelectorExpr]*ast.CallExpr{}
	for _, file := range s.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && !spreads(s, call) {
				if f, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
					calls[f] = call
				}
			}
			return true
		})
	}
	for f, selection := range s.Info.Selections {
		if promoted := len(selection.Index()) > 1; promoted || calls[f] == nil || selection.Kind() != types.MethodVal {
			delete(declared, selection.Obj())
		}
	}
	for f, call := range calls {
		if decl := declared[s.Info.Uses[f.Sel]]; decl != nil {
			call.Fun = f.Sel
			f.Sel.Name = functionName(s.Info.Uses[f.Sel])
			call.Args = append([]ast.Expr{receiver(s, f.X, decl)}, call.Args...)
		}
	}
	for method, decl := range declared {
		decl.Name.Name = functionName(method)
		decl.Type.Params.List = append([]*ast.Field{decl.Recv.List[0]}, decl.Type.Params.List...)
		decl.Recv = nil
	}
}

// functionName returns the name of the function for a method. What follows # is not part of
// the name in messages.
func functionName(method types.Object) string {
	t := types.TypeString(receiverType(method), func(*types.Package) string { return "" })
	return method.Name() + "#" + strings.TrimPrefix(t, "*")
}

// libraryMethods has the names of the methods of all interfaces of the library.
var libraryMethods = interfaceMethods()

func interfaceMethods() map[string]bool {
	names := map[string]bool{"Error": true}
	for _, exported := range symbols.Symbols {
		for name, value := range exported {
			if !strings.HasPrefix(name, "_") {
				continue
			}
			wrapper := value.Type().Elem()
			for i := range wrapper.NumField() {
				if method, ok := strings.CutPrefix(wrapper.Field(i).Name, "W"); ok {
					names[method] = true
				}
			}
		}
	}
	return names
}

// spreads reports whether a call passes the several results of another one.
func spreads(s *source.Source, call *ast.CallExpr) bool {
	if len(call.Args) != 1 {
		return false
	}
	_, several := s.Info.TypeOf(call.Args[0]).(*types.Tuple)
	return several
}

func receiverType(method types.Object) types.Type {
	return method.(*types.Func).Signature().Recv().Type()
}

// receiver returns the argument for the receiver x of a call of a method.
func receiver(s *source.Source, x ast.Expr, method *ast.FuncDecl) ast.Expr {
	wanted := receiverType(s.Info.Defs[method.Name])
	value := s.Info.Types[x]
	_, wantsPointer := wanted.(*types.Pointer)
	_, isPointer := value.Type.Underlying().(*types.Pointer)
	if wantsPointer == isPointer {
		return x
	}
	value.Type = wanted
	var argument ast.Expr
	if wantsPointer {
		argument = &ast.UnaryExpr{OpPos: x.Pos(), Op: token.AND, X: x}
	} else {
		argument = &ast.StarExpr{Star: x.Pos(), X: x}
	}
	s.Info.Types[argument] = value
	return argument
}
