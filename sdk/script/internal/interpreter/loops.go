package interpreter

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/traefik/yaegi/interp"

	"colosseum/sdk/script/internal/source"
)

// Names of the package of compiled functions that changed code calls, and of variables
// that makeLoops adds. No script can use them.
const (
	helperPath = "colosseum/helpers"
	helperName = "·helpers"
	rangeOver  = "·over"
	rangeKey   = "·key"
)

// makeLoops writes loops, cases and shifts as the interpreter runs them correctly. All nodes keep
// their positions. The interpreter
//   - takes an invalid byte of a string for three bytes, so a range over a string with its
//     indexes becomes one over a list of its characters;
//   - counts with the key of a range, so a key that the body changes becomes a variable of
//     its own;
//   - finds a label only in a block, and takes it for a variable of the same name;
//   - takes a constant in a case, or before || and &&, such as !debug, for another value;
//   - swaps a default that is not the last case with the last one, and so changes the order
//     of the cases;
//   - computes the count of a shift in the type of the variable that gets the result.
func makeLoops(s *source.Source) {
	l := loops{s}
	for _, file := range s.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				l.list(n.List, true)
			case *ast.CaseClause:
				l.list(n.Body, false)
				for i, e := range n.List {
					n.List[i] = l.constant(e)
				}
			case *ast.SwitchStmt:
				defaultLast(n.Body)
			case *ast.TypeSwitchStmt:
				defaultLast(n.Body)
			case *ast.Ident:
				if label, ok := s.Info.ObjectOf(n).(*types.Label); ok {
					n.Name = label.Name() + "·" + strconv.Itoa(int(label.Pos()))
				}
			case *ast.BinaryExpr:
				switch n.Op {
				case token.SHL, token.SHR:
					n.Y = l.count(n.Y)
				case token.LAND, token.LOR:
					n.X, n.Y = l.constant(n.X), l.constant(n.Y)
				}
			case *ast.AssignStmt:
				if n.Tok == token.SHL_ASSIGN || n.Tok == token.SHR_ASSIGN {
					n.Rhs[0] = l.count(n.Rhs[0])
				}
			}
			return true
		})
	}
}

type loops struct{ *source.Source }

// list replaces the statements of a list.
func (l loops) list(list []ast.Stmt, block bool) {
	for i, stmt := range list {
		labeled, _ := stmt.(*ast.LabeledStmt)
		if labeled != nil {
			stmt = labeled.Stmt
		}
		var before []ast.Stmt
		if loop, ok := stmt.(*ast.RangeStmt); ok {
			before = l.ranges(loop)
		}
		if before == nil && (labeled == nil || block) {
			continue
		}
		list[i] = &ast.BlockStmt{Lbrace: list[i].Pos(), List: append(before, list[i]), Rbrace: list[i].End()}
	}
}

// ranges changes a range with a key that the interpreter gets wrong: the key becomes a
// variable that exists before the loop and that each iteration sets. It returns the
// statements before the loop.
func (l loops) ranges(loop *ast.RangeStmt) (before []ast.Stmt) {
	key, ok := loop.Key.(*ast.Ident)
	if !ok || loop.Tok != token.DEFINE || source.IsBlank(key) || l.Info.Defs[key] == nil { // nil: it was changed already
		return nil
	}
	basic, isBasic := l.TypeOf(loop.X).Underlying().(*types.Basic)
	isText := isBasic && basic.Info()&types.IsString != 0
	if !isText && !l.changes(loop.Body, l.Info.Defs[key]) {
		return nil
	}
	at := loop.For
	name := func(text string) ast.Expr { return &ast.Ident{NamePos: at, Name: text} }
	define := func(left *ast.Ident, right ast.Expr) ast.Stmt {
		return &ast.AssignStmt{Lhs: []ast.Expr{left}, TokPos: at, Tok: token.DEFINE, Rhs: []ast.Expr{right}}
	}
	zero := func(variable ast.Expr, typ string) ast.Stmt { // the declaration ends behind the name
		spec := &ast.ValueSpec{Names: []*ast.Ident{variable.(*ast.Ident)}, Type: &ast.Ident{NamePos: variable.Pos(), Name: typ}}
		return &ast.DeclStmt{Decl: &ast.GenDecl{TokPos: at, Tok: token.VAR, Specs: []ast.Spec{spec}}}
	}
	set := func(variable ast.Expr, value ast.Expr) ast.Stmt {
		left := &ast.Ident{NamePos: at, Name: variable.(*ast.Ident).Name}
		return &ast.AssignStmt{Lhs: []ast.Expr{left}, TokPos: at, Tok: token.ASSIGN, Rhs: []ast.Expr{value}}
	}
	part := func(field string) ast.Expr {
		return &ast.SelectorExpr{X: name(rangeKey), Sel: &ast.Ident{NamePos: at, Name: field}}
	}
	call := func(f ast.Expr, arg ast.Expr) ast.Expr {
		return &ast.CallExpr{Fun: f, Lparen: at, Args: []ast.Expr{arg}, Rparen: at}
	}
	over := loop.X
	loop.X = name(rangeOver)
	before = []ast.Stmt{zero(key, "int")}
	if !isText {
		loop.Key = name(rangeKey)
		loop.Body.List = append([]ast.Stmt{set(key, name(rangeKey))}, loop.Body.List...)
		return append([]ast.Stmt{define(name(rangeOver).(*ast.Ident), over)}, before...)
	}
	first := []ast.Stmt{set(key, part("At"))}
	if loop.Value != nil && !source.IsBlank(loop.Value) {
		before = append(before, zero(loop.Value, "rune"))
		first = append(first, set(loop.Value, part("Character")))
	}
	loop.Key, loop.Value = name("_"), name(rangeKey)
	loop.Body.List = append(first, loop.Body.List...)
	decode := &ast.SelectorExpr{X: name(helperName), Sel: &ast.Ident{NamePos: at, Name: "Decode"}}
	return append([]ast.Stmt{define(name(rangeOver).(*ast.Ident), call(decode, call(name("string"), over)))}, before...)
}

// changes reports whether a body assigns to a variable or takes its address.
func (l loops) changes(body ast.Node, v types.Object) bool {
	found := false
	is := func(e ast.Expr) {
		if name, ok := ast.Unparen(e).(*ast.Ident); ok && l.Info.Uses[name] == v {
			found = true
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				is(left)
			}
		case *ast.IncDecStmt:
			is(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				is(n.X)
			}
		}
		return !found
	})
	return found
}

// defaultLast moves the default of a switch behind the other cases.
func defaultLast(body *ast.BlockStmt) {
	for i, clause := range body.List {
		if c := clause.(*ast.CaseClause); c.List == nil {
			body.List = append(append(body.List[:i:i], body.List[i+1:]...), c)
			return
		}
	}
}

// constant returns the value of a bool constant, and other expressions as they are.
func (l loops) constant(e ast.Expr) ast.Expr {
	if value := l.Info.Types[e].Value; value != nil && value.Kind() == constant.Bool {
		return &ast.Ident{NamePos: e.Pos(), Name: value.String()}
	}
	return e
}

// count returns the count of a shift. A conversion to the type that it has anyway keeps the
// interpreter from computing it in another one.
func (l loops) count(e ast.Expr) ast.Expr {
	switch ast.Unparen(e).(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr:
	default:
		return e
	}
	basic, ok := l.TypeOf(e).(*types.Basic)
	if value := l.Info.Types[e]; !ok || value.Value != nil || basic.Info()&types.IsUntyped != 0 {
		return e
	}
	typed := &ast.CallExpr{Fun: &ast.Ident{NamePos: e.Pos(), Name: basic.Name()}, Lparen: e.Pos(), Args: []ast.Expr{e}, Rparen: e.End()}
	l.Info.Types[typed] = types.TypeAndValue{Type: basic}
	return typed
}

// character is a character of a string.
type character struct {
	At        int // index of its first byte
	Character rune
}

// helpers gives the interpreter the functions that changed code and marks call.
func (p *Program) helpers() interp.Exports {
	return interp.Exports{helperPath + "/" + helperName: {
		"Decode": reflect.ValueOf(decode),
		"Enter":  reflect.ValueOf(p.enter),
		"At":     reflect.ValueOf(func(n int, args ...any) { p.recorder.visit(n, args) }),
		"On":     reflect.ValueOf(func(n int, args ...any) bool { p.recorder.visit(n, args); return true }),
		"Index":  reflect.ValueOf(p.recordIndex),
	}}
}

// decode returns what a range over a string returns.
func decode(text string) []character {
	list := make([]character, 0, utf8.RuneCountInString(text))
	for i, r := range text {
		list = append(list, character{i, r})
	}
	return list
}
