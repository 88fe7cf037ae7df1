package script

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// The dialect of constants.

// constants: a constant that is the result of a comparison is false in an
// expression of && and ||.
func (c *checker) constants(n *ast.ValueSpec) {
	for i, value := range n.Values {
		o, ok := c.info.Defs[n.Names[i]].(*types.Const)
		if !ok || o.Val().Kind() != constant.Bool {
			continue
		}
		if _, ok := ast.Unparen(value).(*ast.Ident); !ok {
			c.refuse(value, "the interpreter forgets the value of a constant that is computed by a comparison: write true or false")
		}
	}
}

// number checks a literal.
func (c *checker) number(n *ast.BasicLit) {
	basic, ok := c.typeOf(n).Underlying().(*types.Basic)
	switch {
	case n.Kind == token.IMAG:
		c.refuse(n, noComplex)
	case ok && n.Kind == token.FLOAT && basic.Info()&types.IsInteger != 0:
		c.refuse(n, "the interpreter computes %s as a floating-point number: write a whole number", n.Value)
	}
}

const noComplex = "the interpreter knows too little of complex numbers"

// complexName refuses the names of complex types and of their builtin.
func (c *checker) complexName(n *ast.Ident) {
	switch o := c.info.Uses[n].(type) {
	case *types.Builtin:
		if o.Name() == "complex" {
			c.refuse(n, noComplex)
		}
	case *types.TypeName:
		if basic, ok := o.Type().(*types.Basic); ok && basic.Info()&types.IsComplex != 0 {
			c.refuse(n, noComplex)
		}
	}
}

// shift: the interpreter takes an untyped constant that is shifted by a
// variable for an int.
func (c *checker) shift(n *ast.BinaryExpr) {
	if n.Op != token.SHL && n.Op != token.SHR || c.info.Types[n].Value != nil || !c.isUntyped(n.X) {
		return
	}
	typ := c.typeOf(n)
	if basic, ok := typ.(*types.Basic); ok && basic.Kind() == types.Int {
		return
	} else if ok && basic.Kind() == types.UntypedInt { // itself the number of places of a shift
		typ = types.Typ[types.Uint]
	}
	switch c.outer(0).(type) {
	case *ast.AssignStmt, *ast.ReturnStmt, *ast.ValueSpec:
		return // there it takes the type of the destination
	}
	c.refuse(n, "the interpreter takes %s for an int here: write %s(%s)", types.ExprString(n.X), c.name(typ), types.ExprString(ast.Unparen(n.X)))
}

// large: the interpreter computes with untyped constants as int64.
func (c *checker) large(n ast.Expr) {
	value := c.info.Types[n].Value
	if value == nil || !c.isUntyped(n) {
		return
	}
	if outer, ok := c.outer(0).(ast.Expr); ok && c.info.Types[outer].Value != nil {
		return // a part of a constant
	}
	if _, direct := c.outer(0).(*ast.ReturnStmt); !direct && !fits(value) {
		c.refuse(n, "the interpreter computes untyped constants as int64: write uint64(%s)", literal(value))
	}
}

// fits tells whether a constant is no whole number beyond int64.
func fits(v constant.Value) bool {
	if v.Kind() != constant.Int {
		return true
	}
	_, exact := constant.Int64Val(v)
	return exact
}

// cases: of several expressions in a case, the interpreter takes some that are
// no constants for false.
func (c *checker) cases(n *ast.CaseClause) {
	for _, e := range n.List {
		if len(n.List) > 1 && c.info.Types[e].Value == nil {
			c.refuse(e, "several expressions in a case: the interpreter takes some of them for false; join conditions with ||, or write a case for each")
			return
		}
	}
}

// isUntyped tells whether an expression is made of untyped constants alone.
func (c *checker) isUntyped(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return true
	case *ast.UnaryExpr:
		return c.isUntyped(e.X)
	case *ast.BinaryExpr:
		return c.isUntyped(e.X) && (e.Op == token.SHL || e.Op == token.SHR || c.isUntyped(e.Y))
	default:
		o, ok := c.object(e).(*types.Const)
		if !ok {
			return false
		}
		basic, ok := o.Type().(*types.Basic)
		return ok && basic.Info()&types.IsUntyped != 0
	}
}

// name is a type as the script writes it.
func (c *checker) name(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == c.pkg {
			return ""
		}
		return p.Name()
	})
}

// literal writes a whole number in hexadecimal.
func literal(v constant.Value) string { return fmt.Sprintf("%#x", constant.Val(v)) }
