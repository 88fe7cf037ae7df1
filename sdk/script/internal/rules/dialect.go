package rules

import (
	"go/ast"
	"go/token"
	"go/types"

	"colosseum/sdk/script/internal/source"
)

// dialect refuses code that the interpreter (yaegi 0.16.1) does not support, or runs
// differently from the compiler, mostly without an error. docs/scripts.md lists the
// rules; each has an example in testdata/dialect.md of package script, which a test runs.
func (c *checker) dialect(n ast.Node) {
	c.complex(n)
	switch n := n.(type) {
	case *ast.AssignStmt:
		c.commaOK(n)
		if len(n.Lhs) > 1 {
			c.several(n.Tok, n.Lhs, n.Rhs)
		}
	case *ast.BasicLit:
		c.number(n)
	case *ast.BinaryExpr:
		c.shift(n)
		c.large(n)
		c.compare(n)
	case *ast.BranchStmt:
		switch n.Tok {
		case token.GOTO:
			c.refuse(n, "goto is not allowed: write a loop")
		case token.FALLTHROUGH:
			c.refuse(n, "fallthrough: the interpreter can fall into another case; write the case with both values, or repeat the statements")
		}
	case *ast.CallExpr:
		c.call(n)
		c.fmtCall(n)
		c.jsonCall(n)
	case *ast.CaseClause:
		if _, ok := c.outer(1).(*ast.TypeSwitchStmt); !ok {
			c.cases(n)
			return
		}
		for _, e := range n.List {
			c.asserted(e, true)
		}
	case *ast.DeferStmt:
		c.refuse(n, "defer is not allowed: the interpreter evaluates arguments and variables too late, and a game has nothing to clean up; write the statements before each return")
	case *ast.FuncDecl:
		c.signature(n.Type)
		c.errorType(n)
	case *ast.FuncLit:
		c.signature(n.Type)
	case *ast.InterfaceType:
		if n.Methods.NumFields() > 0 {
			c.refuse(n, "a script cannot declare interfaces, because the interpreter does not copy values that are put into one: use a struct with fields of func type")
		}
	case *ast.RangeStmt:
		c.ranges(n)
	case *ast.ReturnStmt:
		c.returns(n)
	case *ast.SelectorExpr:
		c.methodValue(n)
		c.uncalled(n)
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

func (c *checker) declared(n *ast.TypeSpec) {
	if o := c.Info.Defs[n.Name]; o.Parent() != c.Pkg.Scope() && c.Pkg.Scope().Lookup(n.Name.Name) != nil {
		c.refuse(n, "the package declares %s too, and the interpreter confuses the two: rename this type", n.Name.Name)
	}
}

// embedded refuses several embedded fields: the interpreter does not always find
// the field or method of the least depth.
func (c *checker) embedded(n *ast.StructType) {
	count := 0
	for _, field := range n.Fields.List {
		if len(field.Names) == 0 {
			count++
		}
		if count > 1 {
			c.refuse(field, "more than one embedded field: the interpreter can find the wrong field or method; give this field a name")
			return
		}
	}
}

func (c *checker) compare(n *ast.BinaryExpr) {
	if n.Op == token.EQL || n.Op == token.NEQ {
		if !c.isNil(n.X) && !c.isNil(n.Y) {
			c.comparable(n.X)
			c.comparable(n.Y)
		}
	}
}

// comparable refuses interfaces: the interpreter does not know the types of the
// values in them.
func (c *checker) comparable(e ast.Expr) {
	if t := c.TypeOf(e); types.IsInterface(t) && !source.IsError(t) {
		c.refuse(e, "comparison of interfaces: the interpreter does not see the types of the values; assert them to a type and compare that")
	}
}

// signature refuses parameters without names, which the interpreter stores in the same
// slot as a local variable.
func (c *checker) signature(n *ast.FuncType) {
	const unnamed = "a parameter without a name: the interpreter confuses it with a local variable; give it a name"
	for _, field := range n.Params.List {
		if len(field.Names) == 0 {
			c.refuse(field, unnamed)
		}
		for _, name := range field.Names {
			if source.IsBlank(name) {
				c.refuse(name, unnamed)
			}
		}
	}
}

// errorType refuses error types: package errors does not see in the interpreter that
// an error has a type of the script.
func (c *checker) errorType(n *ast.FuncDecl) {
	if n.Recv != nil && n.Name.Name == "Error" {
		c.refuse(n, "a type with a method Error: the interpreter cannot distinguish error types; make errors with errors.New and fmt.Errorf, and compare them with ==")
	}
}

// methodValue refuses methods that are not called.
func (c *checker) methodValue(n *ast.SelectorExpr) {
	selection := c.Info.Selections[n]
	if selection == nil || selection.Kind() == types.FieldVal {
		return
	}
	if call, ok := c.outer(0).(*ast.CallExpr); ok && selection.Kind() == types.MethodVal && ast.Unparen(call.Fun) == n {
		return
	}
	c.refuse(n, "a method as a value: the interpreter does not copy the receiver; write func(…) { … } that calls %s", types.ExprString(n))
}

// uncalled refuses functions of the packages json and fmt that are not called: only a
// call shows their values, which jsonCall and fmtCall check. Package aliases refuses those
// that decode.
func (c *checker) uncalled(n *ast.SelectorExpr) {
	f, ok := c.Info.Uses[n.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Signature().Recv() != nil {
		return
	}
	if _, ok := jsonArgument[f.Pkg().Path()+"."+f.Name()]; !ok && f.Pkg().Path() != "fmt" || source.DecodesJSON(f) {
		return
	}
	if call, ok := c.outer(0).(*ast.CallExpr); !ok || ast.Unparen(call.Fun) != n {
		c.refuse(n, "%s as a value: it treats some types differently in the interpreter, and only a call shows which; write func(…) { … } that calls it", types.ExprString(n))
	}
}

// asserted checks the type of an assertion or of a case. For a value in an
// interface, the interpreter knows the underlying type, not its name, and not the
// interfaces that it implements. An assertion that panics if it is wrong can name
// a type of the script.
func (c *checker) asserted(e ast.Expr, mayFail bool) {
	t := c.TypeOf(e)
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	switch {
	case c.isNil(e):
	case types.IsInterface(t):
		c.refuse(e, "an interface in a type switch or assertion: the interpreter cannot check it; name the concrete types")
	case mayFail && c.ours(t):
		c.refuse(e, "a type of the script in a type switch or an assertion with ok: the interpreter cannot distinguish types with the same underlying type; keep the kind of a value in a field")
	}
}

// call checks calls of builtin functions, and conversions.
func (c *checker) call(n *ast.CallExpr) {
	if c.Builtin(n) == "append" {
		if _, cut := ast.Unparen(n.Args[0]).(*ast.SliceExpr); cut && len(n.Args) > 2 {
			c.refuse(n, "append of several elements to a part of a slice: the interpreter writes the first before it reads the others; append them one at a time")
		}
	}
	if c.IsConversion(n) {
		if _, ok := ast.Unparen(n.Args[0]).(*ast.FuncLit); ok {
			c.refuse(n, "conversion of a function literal: the interpreter mixes up its variables in a loop; use the literal without the conversion")
		}
	}
}

func isNamed(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Named)
	return ok
}

func isRune(t types.Type) bool { return t == types.Universe.Lookup("rune").Type() }
