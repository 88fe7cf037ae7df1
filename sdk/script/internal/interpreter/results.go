package interpreter

import (
	"go/ast"
	"go/token"
	"strconv"
)

// localResults turns the named results of a function into variables of its body, and is a
// function for ast.Inspect. The interpreter keeps a named result where the caller wants it:
// there it still has the value of an earlier call, and a composite literal that is assigned
// to it is lost. A function with defer keeps its named results, which deferred functions
// can change: it sets them at its start, and literals are assigned to them in another way.
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
	deferred := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			deferred = true
		case *ast.ReturnStmt:
			if len(n.Results) == 0 {
				returns = append(returns, n)
			}
		}
		return true
	})
	if deferred {
		keep(t.Results, body)
		return t
	}
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

// keep makes a function with defer set its named results to zero when it begins, and
// replaces each literal that is assigned to one: p = point{1, 2} by p = *&point{1, 2}. It can be
// called again for the same function.
func keep(results *ast.FieldList, body *ast.BlockStmt) {
	at := body.Lbrace
	named := map[string]bool{}
	var first []ast.Stmt
	for _, field := range results.List {
		for _, name := range field.Names {
			if name.Name == "_" {
				continue
			}
			named[name.Name] = true
			zero := "zero\u00b7" + name.Name
			spec := &ast.ValueSpec{Names: []*ast.Ident{{NamePos: at, Name: zero}}, Type: field.Type}
			first = append(first, &ast.BlockStmt{Lbrace: at, Rbrace: at, List: []ast.Stmt{
				&ast.DeclStmt{Decl: &ast.GenDecl{TokPos: at, Tok: token.VAR, Specs: []ast.Spec{spec}}},
				&ast.AssignStmt{
					Lhs: []ast.Expr{&ast.Ident{NamePos: at, Name: name.Name}}, TokPos: at, Tok: token.ASSIGN,
					Rhs: []ast.Expr{&ast.Ident{NamePos: at, Name: zero}},
				},
			}})
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) != len(assign.Rhs) {
			return true
		}
		for i, left := range assign.Lhs {
			name, isName := left.(*ast.Ident)
			literal, isLiteral := ast.Unparen(assign.Rhs[i]).(*ast.CompositeLit)
			if isName && isLiteral && named[name.Name] {
				address := &ast.UnaryExpr{OpPos: literal.Pos(), Op: token.AND, X: literal}
				assign.Rhs[i] = &ast.StarExpr{Star: literal.Pos(), X: address}
			}
		}
		return true
	})
	body.List = append(first, body.List...)
}
