package script

import (
	"go/ast"
	"go/types"

	"colosseum/sdk/script/symbols"
)

// checker looks at every node of a type-checked script. What it refuses comes
// in two kinds: what no referee may do is in gate.go, what the interpreter does
// otherwise than the compiler in dialect.go.
type checker struct {
	*source
	complaints
	stack []ast.Node // the nodes around the present one, outermost first
}

func (s *source) checkUse() []Problem {
	c := &checker{source: s}
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				c.stack = c.stack[:len(c.stack)-1]
				return true
			}
			c.gate(n)
			c.dialect(n)
			c.stack = append(c.stack, n)
			return true
		})
	}
	c.sharedWrites()
	return c.complaints
}

// refuse notes a problem.
func (c *checker) refuse(at ast.Node, format string, args ...any) {
	c.add(c.fset, at, format, args...)
}

// outer returns the i-th node around the present one, 0 being the next, without
// parentheses.
func (c *checker) outer(i int) ast.Node {
	for n := len(c.stack) - 1; n >= 0; n-- {
		if _, ok := c.stack[n].(*ast.ParenExpr); ok {
			continue
		}
		if i == 0 {
			return c.stack[n]
		}
		i--
	}
	return nil
}

// inLoop tells whether the present node is in a loop of its function.
func (c *checker) inLoop() bool {
	for n := len(c.stack) - 1; n >= 0; n-- {
		switch c.stack[n].(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		}
	}
	return false
}

// function is the type of the function around the present node, and whether
// there is one.
func (c *checker) function() (*ast.FuncType, bool) {
	for n := len(c.stack) - 1; n >= 0; n-- {
		switch f := c.stack[n].(type) {
		case *ast.FuncLit:
			return f.Type, true
		case *ast.FuncDecl:
			return f.Type, true
		}
	}
	return nil, false
}

// typeOf returns the type of an expression, never nil.
func (c *checker) typeOf(e ast.Expr) types.Type {
	if t := c.info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// object returns what a name stands for, or nil.
func (c *checker) object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return c.info.ObjectOf(e)
	case *ast.SelectorExpr:
		return c.info.Uses[e.Sel]
	default:
		return nil
	}
}

// builtin returns the name of the builtin function that is called, or "".
func (c *checker) builtin(call *ast.CallExpr) string {
	if b, ok := c.object(call.Fun).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// isConversion tells whether a call is a conversion.
func (c *checker) isConversion(call *ast.CallExpr) bool { return c.info.Types[call.Fun].IsType() }

// isNil tells whether an expression is the predeclared nil.
func (c *checker) isNil(e ast.Expr) bool { return c.info.Types[ast.Unparen(e)].IsNil() }

// ours tells whether a type is declared by the script.
func (c *checker) ours(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() == c.pkg
}

// global returns the variable of the package that an expression such as
// table[i].field is a part of, or nil. Behind a pointer it is another variable,
// but for a pointer that is itself one of the package.
func (c *checker) global(e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			if v, ok := c.info.ObjectOf(x).(*types.Var); ok && v.Parent() == c.pkg.Scope() {
				return v
			}
			return nil
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// available tells whether a script may use a name of another package.
func available(o types.Object) bool {
	path := o.Pkg().Path()
	if path == pluginPath {
		return true
	}
	_, ok := symbols.Symbols[path+"/"+o.Pkg().Name()][o.Name()]
	return ok
}
