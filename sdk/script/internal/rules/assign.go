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

// values checks an assignment of one value to each of several variables: the
// interpreter writes the result of a call, a composite literal or nil to its
// destination at once, and then loses or changes the others. A name that := assigns
// without declaring it becomes a new variable.
func (c *checker) values(tok token.Token, left, right []ast.Expr) {
	for i, r := range right {
		switch r := ast.Unparen(r).(type) {
		case *ast.CompositeLit:
			c.refuse(r, "a composite literal among several values: the interpreter loses the others; write one assignment for each")
		case *ast.CallExpr:
			if tok == token.ASSIGN && !c.IsConversion(r) {
				c.refuse(r, "a call among several values: the interpreter assigns its result before it computes the next; assign it to a new variable first")
			}
		default:
			if c.isNil(r) {
				c.refuse(r, "nil among several values: the interpreter does not support it; write one assignment for each")
			}
		}
		if tok == token.DEFINE && !source.IsBlank(left[i]) && !c.IsNew(left[i]) {
			c.refuse(left[i], "%s already exists, and with several values on the right the interpreter makes a new variable of that name: declare the new variables before, and assign with =", types.ExprString(left[i]))
		}
	}
}

// destinations checks the left side of an assignment to several variables.
func (c *checker) destinations(left, right []ast.Expr) {
	for _, l := range left {
		index, ok := ast.Unparen(l).(*ast.IndexExpr)
		if !ok {
			continue
		}
		if _, isMap := c.TypeOf(index.X).Underlying().(*types.Map); isMap && len(right) == 1 {
			c.refuse(l, "an element of a map among several results: the interpreter does not set it; assign to a variable first")
		}
		for _, other := range left {
			if name, ok := ast.Unparen(other).(*ast.Ident); ok && c.mentions(index, c.Object(name)) {
				c.refuse(l, "%s depends on %s, which the same statement assigns, and the interpreter gets the order wrong: write one assignment for each", types.ExprString(l), name.Name)
			}
		}
	}
}

// variables checks a declaration of variables with values.
func (c *checker) variables(n *ast.ValueSpec) {
	switch {
	case len(n.Values) > 1:
		c.values(token.VAR, nil, n.Values)
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
