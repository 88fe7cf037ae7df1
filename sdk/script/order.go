package script

import (
	"go/ast"
	"go/token"
	"go/types"
)

// merge makes one file of a script, whose parts keep their positions. It puts
// the variables of the package into the order in which the compiler initialises
// them: the interpreter does not see that an initialiser needs a variable
// through a function that it calls.
func (s *source) merge() *ast.File {
	merged := &ast.File{Name: s.files[0].Name, Package: s.files[0].Package}
	var imports, types_, functions []ast.Decl
	initialised := map[types.Object]*ast.ValueSpec{}
	var plain []*ast.ValueSpec // variables without an initialiser
	seen := map[string]bool{}
	for _, file := range s.files {
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
					key := spec.Path.Value
					if spec.Name != nil {
						key = spec.Name.Name + key
					}
					if !seen[key] {
						seen[key] = true
						imports = append(imports, &ast.GenDecl{TokPos: general.TokPos, Tok: token.IMPORT, Specs: []ast.Spec{spec}})
					}
				}
			case token.VAR:
				for _, spec := range general.Specs {
					spec := spec.(*ast.ValueSpec)
					if len(spec.Values) == 0 {
						plain = append(plain, spec)
						continue
					}
					for _, name := range spec.Names {
						initialised[s.info.Defs[name]] = spec
					}
				}
			default:
				types_ = append(types_, decl)
			}
		}
	}
	// Functions come before variables, whose types may be those of their results.
	merged.Decls = append(append(append(merged.Decls, imports...), types_...), functions...)
	for _, spec := range plain {
		merged.Decls = append(merged.Decls, variable(spec))
	}
	for _, i := range s.info.InitOrder {
		merged.Decls = append(merged.Decls, variable(one(i, initialised[i.Lhs[0]])))
	}
	return merged
}

func variable(spec *ast.ValueSpec) ast.Decl {
	return &ast.GenDecl{TokPos: spec.Pos(), Tok: token.VAR, Specs: []ast.Spec{spec}}
}

// one returns the part of a declaration that is one initialiser.
func one(i *types.Initializer, spec *ast.ValueSpec) *ast.ValueSpec {
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
