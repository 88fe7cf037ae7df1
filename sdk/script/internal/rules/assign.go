package rules

import (
	"go/ast"
	"go/token"
	"go/types"

	"colosseum/sdk/script/internal/source"
)

// This file has the dialect of assignments, results and range. The interpreter
// stores values in slots, and sometimes uses one slot for two values.

// commaOK checks v, ok := m[key] and v, ok := x.(T). Without a value, the compiler
// sets v to zero and the interpreter leaves it unchanged. The results differ if v
// had another value before: in a loop, or if v is not new.
func (c *checker) commaOK(n *ast.AssignStmt) {
	if len(n.Lhs) != 2 || len(n.Rhs) != 1 || source.IsBlank(n.Lhs[0]) {
		return
	}
	switch right := ast.Unparen(n.Rhs[0]).(type) {
	case *ast.IndexExpr:
	case *ast.TypeAssertExpr:
		if right.Type == nil {
			return
		}
	default:
		return
	}
	if n.Tok == token.DEFINE && c.IsNew(n.Lhs[0]) && (!c.inLoop() || c.onlyWhenOK(n)) {
		return
	}
	c.refuse(n, "v, ok = …: the interpreter leaves v unchanged when there is no value; write v := m[key] and _, ok := m[key], or if v, ok := …; ok { … }")
}

// onlyWhenOK reports whether an assignment of v, ok is in an if that uses v only
// where ok is true.
func (c *checker) onlyWhenOK(n *ast.AssignStmt) bool {
	in, ok := c.outer(0).(*ast.IfStmt)
	if !ok || in.Init != n {
		return false
	}
	isOK := func(e ast.Expr) bool {
		return !source.IsBlank(n.Lhs[1]) && c.Object(e) != nil && c.Object(e) == c.Object(n.Lhs[1])
	}
	first := ast.Unparen(in.Cond) // then the operand that is evaluated first
	for {
		and, ok := first.(*ast.BinaryExpr)
		if !ok || and.Op != token.LAND {
			break
		}
		first = ast.Unparen(and.X)
	}
	if !isOK(first) {
		return false
	}
	return in.Else == nil || !c.mentions(in.Else, c.Object(n.Lhs[0]))
}

// several checks an assignment to several variables: the interpreter writes a call, a
// composite literal or nil to its destination at once, does not set an element of a map to one
// of several results, gets the order of i, m[i] wrong, and makes a new variable of a name that
// := only assigns.
func (c *checker) several(tok token.Token, left, right []ast.Expr) {
	refuse := func(e ast.Expr) {
		c.refuse(e, "%s among several values: the interpreter sets it too early or not at all; write one assignment for each, and keep old values in new variables", types.ExprString(e))
	}
	for i, r := range right {
		call, isCall := ast.Unparen(r).(*ast.CallExpr)
		_, isLiteral := ast.Unparen(r).(*ast.CompositeLit)
		switch {
		case len(right) == 1:
		case isLiteral, c.isNil(r), isCall && tok == token.ASSIGN && !c.IsConversion(call):
			refuse(r)
		case tok == token.DEFINE && !source.IsBlank(left[i]) && !c.IsNew(left[i]):
			refuse(left[i])
		}
	}
	for _, l := range left {
		index, ok := ast.Unparen(l).(*ast.IndexExpr)
		if !ok {
			continue
		}
		_, isMap := c.TypeOf(index.X).Underlying().(*types.Map)
		wrong := isMap && len(right) == 1
		for _, other := range left {
			name, ok := ast.Unparen(other).(*ast.Ident)
			wrong = wrong || ok && c.mentions(index, c.Object(name))
		}
		if wrong {
			refuse(l)
		}
	}
}

// variables checks a declaration of variables with values.
func (c *checker) variables(n *ast.ValueSpec) {
	switch {
	case len(n.Values) > 1:
		c.several(token.VAR, nil, n.Values)
	case len(n.Values) == 1 && len(n.Names) > 1:
		_, call := ast.Unparen(n.Values[0]).(*ast.CallExpr)
		if !call || source.Enclosing(c.stack) == nil {
			c.refuse(n.Values[0], "several variables from one value: the interpreter mixes them up with others; declare each by itself, or write a, b := … in a function")
		}
	}
	if len(n.Values) != len(n.Names) {
		return
	}
	for i, value := range n.Values {
		v, ok := c.Info.Defs[n.Names[i]].(*types.Var)
		if ok && v.Parent() == c.Pkg.Scope() && n.Type == nil && isRune(v.Type()) && c.isUntyped(value) {
			c.refuse(value, "the interpreter makes this an int: write var %s rune = …", v.Name())
		}
	}
}

// returns checks results.
func (c *checker) returns(n *ast.ReturnStmt) {
	for _, e := range n.Results {
		c.large(e)
		if f, ok := c.Object(e).(*types.Func); ok {
			c.refuse(e, "the name of a function as a result: the interpreter cannot return it; write return func(…) { … } and call %s there", f.Name())
		}
	}
}

func (c *checker) ranges(n *ast.RangeStmt) {
	if n.Tok == token.ASSIGN {
		c.refuse(n, "range with =: the interpreter does not set the variable outside the loop; use := and assign inside the loop")
	}
	if _, pointer := c.TypeOf(n.X).Underlying().(*types.Pointer); pointer {
		c.refuse(n, "range over a pointer to an array: the interpreter does not support it; write for i := 0; i < len(%[1]s); i++, or range over *%[1]s", types.ExprString(n.X))
	}
}

// mentions reports whether a node uses an object.
func (c *checker) mentions(n ast.Node, o types.Object) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && o != nil && c.Info.Uses[name] == o {
			found = true
		}
		return !found
	})
	return found
}
