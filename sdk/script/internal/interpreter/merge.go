package interpreter

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"colosseum/sdk/script/internal/source"
)

// merge combines the files of a script into one. All nodes keep their positions. The
// package variables get the order in which the compiler initialises them: the interpreter
// does not see that an initialiser depends on a variable through a function that
// it calls.
func merge(s *source.Source) *ast.File {
	merged := &ast.File{Name: s.Files[0].Name, Package: s.Files[0].Package}
	imports := []ast.Decl{&ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{&ast.ImportSpec{
		Name: ast.NewIdent(helperName), Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(helperPath)},
	}}}}
	var typesAndConsts, functions []ast.Decl
	initialised := map[types.Object]*ast.ValueSpec{}
	var uninitialised []*ast.ValueSpec
	seen := map[string]bool{}
	for _, file := range s.Files {
		ast.Inspect(file, hideFields)
		ast.Inspect(file, localResults)
		for _, decl := range file.Decls {
			general, ok := decl.(*ast.GenDecl)
			if !ok {
				functions = append(functions, decl)
				continue
			}
			switch general.Tok {
			case token.IMPORT:
				for _, spec := range general.Specs {
					spec := spec.(*ast.ImportSpec)
					if key := spec.Name.String() + spec.Path.Value; !seen[key] {
						seen[key] = true
						imports = append(imports, &ast.GenDecl{TokPos: general.TokPos, Tok: token.IMPORT, Specs: []ast.Spec{spec}})
					}
				}
			case token.VAR:
				for _, spec := range general.Specs {
					spec := spec.(*ast.ValueSpec)
					if len(spec.Values) == 0 {
						uninitialised = append(uninitialised, spec)
						continue
					}
					for _, name := range spec.Names {
						initialised[s.Info.Defs[name]] = spec
					}
				}
			default:
				typesAndConsts = append(typesAndConsts, decl)
			}
		}
	}
	// Functions come first, because the types of variables can depend on their results.
	merged.Decls = append(append(append(merged.Decls, imports...), typesAndConsts...), functions...)
	for _, spec := range uninitialised {
		merged.Decls = append(merged.Decls, variable(spec))
	}
	for _, i := range s.Info.InitOrder {
		merged.Decls = append(merged.Decls, variable(initialiser(i, initialised[i.Lhs[0]])))
	}
	return merged
}

// hideFields gives the fields of a struct that are not exported a tag with which
// encoding/json leaves them out: for the interpreter all fields are exported.
func hideFields(n ast.Node) bool {
	t, ok := n.(*ast.StructType)
	if !ok {
		return true
	}
	var fields []*ast.Field
	for _, f := range t.Fields.List {
		if !slices.ContainsFunc(f.Names, hidden) {
			fields = append(fields, f) // so is each embedded one
			continue
		}
		for _, name := range f.Names {
			one := *f
			if one.Names = []*ast.Ident{name}; hidden(name) {
				one.Tag = &ast.BasicLit{ValuePos: name.Pos(), Kind: token.STRING, Value: "`json:\"-\"`"}
			}
			fields = append(fields, &one)
		}
	}
	t.Fields.List = fields
	return true
}

func hidden(name *ast.Ident) bool { return !name.IsExported() }

func variable(spec *ast.ValueSpec) ast.Decl {
	return &ast.GenDecl{TokPos: spec.Pos(), Tok: token.VAR, Specs: []ast.Spec{spec}}
}

// initialiser returns the part of a declaration for one initialiser.
func initialiser(i *types.Initializer, spec *ast.ValueSpec) *ast.ValueSpec {
	part := &ast.ValueSpec{Type: spec.Type, Values: []ast.Expr{i.Rhs}}
	for _, v := range i.Lhs {
		for _, name := range spec.Names {
			if name.Pos() == v.Pos() {
				part.Names = append(part.Names, name)
			}
		}
	}
	return part
}
