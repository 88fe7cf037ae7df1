package script

import (
	"go/ast"
	"go/token"
	"go/types"
)

// dialect refuses what the interpreter (yaegi 0.16.1) does otherwise than the
// compiler, or not at all; most of it would be silent. What each rule is good
// for is shown by an entry in docs/scripts.md, which a test runs.
func (c *checker) dialect(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		c.commaOK(n)
		if len(n.Lhs) > 1 {
			c.destinations(n.Lhs, n.Rhs)
		}
		if len(n.Rhs) > 1 {
			c.values(n.Tok, n.Lhs, n.Rhs)
		}
	case *ast.BasicLit:
		c.number(n)
	case *ast.BinaryExpr:
		c.shift(n)
		c.large(n)
		c.compare(n)
	case *ast.BranchStmt:
		if n.Tok == token.GOTO {
			c.refuse(n, "goto: the other rules could not see its loops; write a loop")
		}
	case *ast.CallExpr:
		c.call(n)
		c.fmtCall(n)
	case *ast.CaseClause:
		if _, ok := c.outer(1).(*ast.TypeSwitchStmt); !ok {
			c.cases(n)
			return
		}
		for _, e := range n.List {
			c.asserted(e, true)
		}
	case *ast.DeferStmt:
		c.deferred(n)
	case *ast.FuncDecl:
		c.signature(n.Type)
		c.method(n)
	case *ast.FuncLit:
		c.signature(n.Type)
	case *ast.Ident:
		c.complexName(n)
	case *ast.InterfaceType:
		if n.Methods.NumFields() > 0 {
			c.refuse(n, "a script declares no interfaces: the interpreter does not copy what is put into one; use a struct with fields of func type")
		}
	case *ast.RangeStmt:
		c.ranges(n)
	case *ast.ReturnStmt:
		c.returns(n)
	case *ast.SelectorExpr:
		c.methodValue(n)
	case *ast.StructType:
		c.embedded(n)
	case *ast.SwitchStmt:
		if n.Tag != nil {
			c.comparable(n.Tag)
		}
	case *ast.TypeAssertExpr:
		if n.Type != nil {
			assign, ok := c.outer(0).(*ast.AssignStmt)
			c.asserted(n.Type, ok && len(assign.Lhs) == 2 && len(assign.Rhs) == 1)
		}
	case *ast.TypeSpec:
		c.declared(n)
	case *ast.ValueSpec:
		c.variables(n)
		c.constants(n)
	}
}

// declared: see the messages.
func (c *checker) declared(n *ast.TypeSpec) {
	if o := c.info.Defs[n.Name]; o.Parent() != c.pkg.Scope() && c.pkg.Scope().Lookup(n.Name.Name) != nil {
		c.refuse(n, "%s is declared twice: the interpreter takes the type of the package for the one of the function; rename it", n.Name.Name)
	}
	if n.TypeParams != nil {
		c.refuse(n, "a script has no type parameters")
	}
}

// embedded: with several ways to a field or a method, the interpreter does not
// take the shortest.
func (c *checker) embedded(n *ast.StructType) {
	count := 0
	for _, field := range n.Fields.List {
		if len(field.Names) == 0 {
			count++
		}
		if count > 1 {
			c.refuse(field, "more than one embedded field: the interpreter may find another's methods; give the fields names")
			return
		}
	}
}

// compare checks == and !=.
func (c *checker) compare(n *ast.BinaryExpr) {
	if n.Op == token.EQL || n.Op == token.NEQ {
		if !c.isNil(n.X) && !c.isNil(n.Y) {
			c.comparable(n.X)
			c.comparable(n.Y)
		}
	}
}

// comparable: the interpreter does not know the types of what interfaces hold.
func (c *checker) comparable(e ast.Expr) {
	if t := c.typeOf(e); types.IsInterface(t) && !isError(t) {
		c.refuse(e, "comparison of interfaces: the interpreter does not see of what type the values are; compare what they hold")
	}
}

// deferred: the interpreter evaluates the arguments and the receiver of a
// deferred call when it is made, and a variable of a loop then has its last
// value.
func (c *checker) deferred(n *ast.DeferStmt) {
	if _, ok := ast.Unparen(n.Call.Fun).(*ast.FuncLit); !ok || len(n.Call.Args) > 0 {
		c.refuse(n, "defer: the interpreter evaluates arguments when the function ends; write defer func() { … }()")
	}
	if c.inLoop() {
		c.refuse(n, "defer in a loop: the deferred functions all see the variables of the last round")
	}
}

// signature: the interpreter has no place for a parameter without a name, and
// gives it that of a local variable.
func (c *checker) signature(n *ast.FuncType) {
	if n.TypeParams != nil {
		c.refuse(n, "a script has no type parameters")
	}
	for _, field := range n.Params.List {
		if len(field.Names) == 0 {
			c.refuse(field, "a parameter without a name: the interpreter confuses it with a variable of the function")
		}
		for _, name := range field.Names {
			if isBlank(name) {
				c.refuse(name, "a parameter without a name: the interpreter confuses it with a variable of the function")
			}
		}
	}
}

// method: package errors does not see that an error is of a script's type.
func (c *checker) method(n *ast.FuncDecl) {
	if n.Recv != nil && n.Name.Name == "Error" {
		c.refuse(n, "an error type: the interpreter cannot tell it from others; make errors with errors.New and fmt.Errorf, and compare with ==")
	}
}

// methodValue: the interpreter has no methods as values.
func (c *checker) methodValue(n *ast.SelectorExpr) {
	selection := c.info.Selections[n]
	if selection == nil || selection.Kind() == types.FieldVal {
		return
	}
	if call, ok := c.outer(0).(*ast.CallExpr); ok && selection.Kind() == types.MethodVal && ast.Unparen(call.Fun) == n {
		return
	}
	c.refuse(n, "a method as a value: the interpreter has none; write a function that calls %s", types.ExprString(n))
}

// asserted: in an interface, the interpreter knows a value by what its type is
// made of, not by its name, and does not know which interfaces it implements.
// An assertion that panics if it is wrong may have a type of the script.
func (c *checker) asserted(e ast.Expr, mayFail bool) {
	t := c.typeOf(e)
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	switch {
	case c.isNil(e):
	case types.IsInterface(t):
		c.refuse(e, "an interface in a type switch or assertion: the interpreter judges wrongly; name the types")
	case mayFail && c.ours(t):
		c.refuse(e, "a type of the script in a type switch, or an assertion that may fail: the interpreter takes types that are made alike for the same; keep the kind in a field")
	}
}

// call checks calls of builtin functions, and conversions.
func (c *checker) call(n *ast.CallExpr) {
	switch name := c.builtin(n); name {
	case "min", "max", "clear":
		c.refuse(n, "%s: the interpreter does not have it; write the function", name)
	case "append":
		if _, cut := ast.Unparen(n.Args[0]).(*ast.SliceExpr); cut && len(n.Args) > 2 {
			c.refuse(n, "append of several elements to a part of a slice: the interpreter writes the first before it reads the others; append one at a time")
		}
	}
	if c.isConversion(n) {
		if _, ok := ast.Unparen(n.Args[0]).(*ast.FuncLit); ok {
			c.refuse(n, "conversion of a function literal: in a loop the interpreter mixes up its variables; assign it without the conversion")
		}
	}
}

func isNamed(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Named)
	return ok
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

func isRune(t types.Type) bool { return t == types.Universe.Lookup("rune").Type() }
