package script

import (
	"go/ast"
	"go/token"
	"go/types"
)

// The dialect of assignments, results and range: the interpreter keeps values
// in places, and is not careful enough about which of them are the same.

// commaOK: of v, ok := m[key] and v, ok := x.(T), the interpreter leaves v as
// it was when there is no value, where the compiler sets it to zero. It is
// noticed when v had another value before: in a loop, or when v is not new.
func (c *checker) commaOK(n *ast.AssignStmt) {
	if len(n.Lhs) != 2 || len(n.Rhs) != 1 || isBlank(n.Lhs[0]) {
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
	if n.Tok == token.DEFINE && c.isNew(n.Lhs[0]) && (!c.inLoop() || c.onlyWhenOK(n)) {
		return
	}
	c.refuse(n, "v, ok = …: when there is no value the interpreter leaves v as it was; write v := m[key] and _, ok := m[key], or if v, ok := …; ok { … }")
}

// onlyWhenOK tells whether a two-valued assignment stands in an if that uses
// the value only where it is known to be there.
func (c *checker) onlyWhenOK(n *ast.AssignStmt) bool {
	in, ok := c.outer(0).(*ast.IfStmt)
	if !ok || in.Init != n {
		return false
	}
	isOK := func(e ast.Expr) bool {
		return !isBlank(n.Lhs[1]) && c.object(e) != nil && c.object(e) == c.object(n.Lhs[1])
	}
	first := ast.Unparen(in.Cond) // what is evaluated before all else
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
	return in.Else == nil || !c.mentions(in.Else, c.object(n.Lhs[0]))
}

// values checks one value for each of several variables: the interpreter writes
// the result of a call, a composite literal or nil straight to its destination,
// and then forgets or misjudges the others. A name that := only assigns becomes
// a new variable.
func (c *checker) values(tok token.Token, left, right []ast.Expr) {
	for i, r := range right {
		switch r := ast.Unparen(r).(type) {
		case *ast.CompositeLit:
			c.refuse(r, "a composite literal among several values: the interpreter loses the others; write one assignment for each")
		case *ast.CallExpr:
			if tok == token.ASSIGN && !c.isConversion(r) {
				c.refuse(r, "a call among several values: the interpreter assigns its result at once; write one assignment for each")
			}
		default:
			if c.isNil(r) {
				c.refuse(r, "nil among several values: the interpreter cannot do it; write one assignment for each")
			}
		}
		if tok == token.DEFINE && !isBlank(left[i]) && !c.isNew(left[i]) {
			c.refuse(left[i], "%s exists already: with several values on the right, the interpreter makes a new variable of that name; assign to it with =", types.ExprString(left[i]))
		}
	}
}

// destinations checks several variables that are assigned at once.
func (c *checker) destinations(left, right []ast.Expr) {
	for _, l := range left {
		index, ok := ast.Unparen(l).(*ast.IndexExpr)
		if !ok {
			continue
		}
		if _, isMap := c.typeOf(index.X).Underlying().(*types.Map); isMap && len(right) == 1 {
			c.refuse(l, "an element of a map among several results: it stays unset in the interpreter; assign to a variable first")
		}
		for _, other := range left {
			if name, ok := ast.Unparen(other).(*ast.Ident); ok && c.mentions(index, c.object(name)) {
				c.refuse(l, "%s is assigned beside %s, which it depends on: the interpreter does not keep them apart; write one assignment for each", types.ExprString(l), name.Name)
			}
		}
	}
}

// variables checks a declaration of variables with their values.
func (c *checker) variables(n *ast.ValueSpec) {
	switch {
	case len(n.Values) > 1:
		c.values(token.VAR, nil, n.Values)
	case len(n.Values) == 1 && len(n.Names) > 1:
		_, call := ast.Unparen(n.Values[0]).(*ast.CallExpr)
		if _, inFunction := c.function(); !call || !inFunction {
			c.refuse(n.Values[0], "several variables from one value: the interpreter mixes them up with others; declare each with a function of its own, or write a, b := … in a function")
		}
	}
	if len(n.Values) != len(n.Names) {
		return
	}
	for i, value := range n.Values {
		v, ok := c.info.Defs[n.Names[i]].(*types.Var)
		if ok && v.Parent() == c.pkg.Scope() && n.Type == nil && isRune(v.Type()) && c.isUntyped(value) {
			c.refuse(value, "the interpreter takes this for an int: write var %s rune = …", v.Name())
		}
	}
}

// returns: the interpreter sets results one after the other, so that one
// expression must not read a result that another one has set.
func (c *checker) returns(n *ast.ReturnStmt) {
	for _, e := range n.Results {
		if value := c.info.Types[e].Value; value != nil {
			if _, conversion := ast.Unparen(e).(*ast.CallExpr); !conversion && !fits(value) {
				c.refuse(e, "the interpreter returns constants as int64: write uint64(%s)", literal(value))
			}
		}
		if f, ok := c.object(e).(*types.Func); ok {
			c.refuse(e, "a function's name as a result: the interpreter cannot return it; write return func(…) { … } and call %s there", f.Name())
		}
	}
	f, ok := c.function()
	if !ok || f.Results == nil || len(n.Results) < 2 {
		return
	}
	var results []types.Object
	for _, field := range f.Results.List {
		for _, name := range field.Names {
			results = append(results, c.info.Defs[name])
		}
	}
	for i := range results {
		for _, e := range n.Results[min(i+1, len(n.Results)):] {
			if c.mentions(e, results[i]) {
				c.refuse(e, "the interpreter has already set the result %s here; assign to the results and return without values", results[i].Name())
			}
		}
	}
}

// ranges: see the messages.
func (c *checker) ranges(n *ast.RangeStmt) {
	if n.Tok == token.ASSIGN {
		c.refuse(n, "range with =: the interpreter does not set the variable outside the loop; use := and assign inside")
	}
	switch t := c.typeOf(n.X).Underlying().(type) {
	case *types.Pointer:
		c.refuse(n, "range over a pointer to an array: the interpreter confuses the two; write for i := 0; i < len(%[1]s); i++, or range over *%[1]s", types.ExprString(n.X))
	case *types.Basic:
		if t.Info()&types.IsString != 0 && n.Key != nil && (n.Value == nil || isBlank(n.Value)) {
			c.refuse(n, "range over a string: without the value the interpreter counts bytes, not characters; write for i := 0; i < len(s); i++")
		}
	}
}

// isNew tells whether a := declares the name.
func (c *checker) isNew(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && c.info.Defs[name] != nil
}

// mentions tells whether a node uses an object.
func (c *checker) mentions(n ast.Node, o types.Object) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && o != nil && c.info.Uses[name] == o {
			found = true
		}
		return !found
	})
	return found
}

func isBlank(e ast.Expr) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	return ok && name.Name == "_"
}
