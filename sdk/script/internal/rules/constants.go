package rules

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// constants refuses bool constants that are computed: the interpreter takes them for
// false.
func (c *checker) constants(n *ast.ValueSpec) {
	for i, value := range n.Values {
		o, ok := c.Info.Defs[n.Names[i]].(*types.Const)
		if !ok || o.Val().Kind() != constant.Bool {
			continue
		}
		if _, ok := ast.Unparen(value).(*ast.Ident); !ok {
			c.refuse(value, "the interpreter loses the value of a computed bool constant: write true or false")
		}
	}
}

func (c *checker) number(n *ast.BasicLit) {
	if basic, ok := c.TypeOf(n).Underlying().(*types.Basic); ok && n.Kind == token.FLOAT && basic.Info()&types.IsInteger != 0 {
		c.refuse(n, "the interpreter computes with %s as a floating-point number: write it as an integer", n.Value)
	}
}

// complex refuses expressions and types of complex numbers.
func (c *checker) complex(n ast.Node) {
	e, ok := n.(ast.Expr)
	if !ok {
		return
	}
	if basic, ok := c.TypeOf(e).Underlying().(*types.Basic); ok && basic.Info()&types.IsComplex != 0 {
		c.refuse(n, "a script cannot have complex numbers: the interpreter does not support all of them; use two floats")
	}
}

// shift checks an untyped constant that is shifted by a variable: the interpreter
// takes it for an int.
func (c *checker) shift(n *ast.BinaryExpr) {
	if n.Op != token.SHL && n.Op != token.SHR || c.Info.Types[n].Value != nil || !c.isUntyped(n.X) {
		return
	}
	typ := c.TypeOf(n)
	if basic, ok := typ.(*types.Basic); ok && basic.Kind() == types.Int {
		return
	} else if ok && basic.Kind() == types.UntypedInt { // the count of another shift
		typ = types.Typ[types.Uint]
	}
	switch c.outer(0).(type) {
	case *ast.AssignStmt, *ast.ReturnStmt, *ast.ValueSpec:
		return // here the interpreter uses the type of the destination
	}
	c.refuse(n, "the interpreter takes %s for an int here: write %s(%s)", types.ExprString(n.X), c.name(typ), types.ExprString(ast.Unparen(n.X)))
}

// large refuses computed and returned constants beyond int64 that have no type: the
// interpreter cannot hold them.
func (c *checker) large(n ast.Expr) {
	value := c.Info.Types[n].Value
	if value == nil || value.Kind() != constant.Int || !c.isUntyped(n) {
		return
	}
	if outer, ok := c.outer(0).(ast.Expr); ok && c.Info.Types[outer].Value != nil {
		return // a part of a constant
	}
	if _, exact := constant.Int64Val(value); !exact {
		c.refuse(n, "the interpreter computes untyped constants as int64: write uint64(%#x)", constant.Val(value))
	}
}

// cases checks several expressions in a case: the interpreter takes some that are
// not constant for false.
func (c *checker) cases(n *ast.CaseClause) {
	for _, e := range n.List {
		if len(n.List) > 1 && c.Info.Types[e].Value == nil {
			c.refuse(e, "several expressions in a case: the interpreter takes some of them for false; join conditions with ||, or write a case for each")
			return
		}
	}
}

// isUntyped reports whether an expression has only untyped constants.
func (c *checker) isUntyped(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return true
	case *ast.UnaryExpr:
		return c.isUntyped(e.X)
	case *ast.BinaryExpr:
		return c.isUntyped(e.X) && (e.Op == token.SHL || e.Op == token.SHR || c.isUntyped(e.Y))
	default:
		if o, ok := c.Object(e).(*types.Const); ok {
			basic, ok := o.Type().(*types.Basic)
			return ok && basic.Info()&types.IsUntyped != 0
		}
		return false
	}
}

// name returns a type as the script writes it.
func (c *checker) name(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == c.Pkg {
			return ""
		}
		return p.Name()
	})
}
