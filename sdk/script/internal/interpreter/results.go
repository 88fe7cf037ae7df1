package interpreter

import (
	"go/ast"
	"go/token"
	"strconv"
)

// localResults turns the named results of a function into variables of its body, and is a
// function for ast.Inspect. The interpreter keeps a named result where the caller wants it:
// there it still has the value of an earlier call, and a composite literal that is assigned
// to it is lost.
func localResults(n ast.Node) bool {
	switch f := n.(type) {
	case *ast.FuncDecl:
		f.Type = local(f.Type, f.Body)
	case *ast.FuncLit:
		f.Type = local(f.Type, f.Body)
	}
	return true
}

func local(t *ast.FuncType, body *ast.BlockStmt) *ast.FuncType {
	if body == nil || t.Results == nil || len(t.Results.List) == 0 || len(t.Results.List[0].Names) == 0 {
		return t
	}
	var returns []*ast.ReturnStmt
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) == 0 {
				returns = append(returns, n)
			}
		}
		return true
	})
	at := body.Lbrace
	results := &ast.FieldList{Opening: t.Results.Opening, Closing: t.Results.Closing}
	var names []string
	var first []ast.Stmt
	for _, field := range t.Results.List {
		for _, name := range field.Names {
			results.List = append(results.List, &ast.Field{Type: field.Type})
			variable := name.Name
			if variable == "_" {
				if len(returns) == 0 {
					continue
				}
				variable = "result\u00b7" + strconv.Itoa(len(names))
			}
			names = append(names, variable)
			spec := &ast.ValueSpec{Names: []*ast.Ident{{NamePos: at, Name: variable}}, Type: field.Type}
			first = append(first, &ast.DeclStmt{Decl: &ast.GenDecl{TokPos: at, Tok: token.VAR, Specs: []ast.Spec{spec}}})
		}
	}
	for _, r := range returns {
		for _, name := range names {
			r.Results = append(r.Results, &ast.Ident{NamePos: r.Return, Name: name})
		}
	}
	body.List = append(first, body.List...)
	return &ast.FuncType{Func: t.Func, TypeParams: t.TypeParams, Params: t.Params, Results: results}
}
