package script

import (
	"go/ast"
	"go/token"
	"go/types"
)

// gate refuses what a referee may not do: it must be a function of the
// settings, the seed and the answers, for any number of matches at once.
func (c *checker) gate(n ast.Node) {
	switch n := n.(type) {
	case *ast.GoStmt:
		c.refuse(n, "go: a game has no goroutines of its own; m.AskAll asks all seats at once")
	case *ast.ChanType, *ast.SelectStmt, *ast.SendStmt:
		c.refuse(n, "a game has no channels")
	case *ast.RangeStmt:
		if _, ok := c.typeOf(n.X).Underlying().(*types.Map); ok {
			c.refuse(n, "range over a map: its order differs from run to run; keep the keys in a slice")
		}
	case *ast.FuncDecl:
		if n.Recv == nil && n.Name.Name == "init" {
			c.refuse(n, "func init: give the variables of the package their values where they are declared, var table = makeTable()")
		}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			for _, left := range n.Lhs {
				c.change(left)
			}
		}
	case *ast.IncDecStmt:
		c.change(n.X)
	case *ast.CallExpr:
		switch c.builtin(n) {
		case "copy", "delete":
			c.change(n.Args[0])
		case "recover":
			c.refuse(n, "recover: a panic is a fault of the game and ends the match; return an error, or check before")
		}
	case *ast.SelectorExpr:
		c.foreign(n)
	}
}

// change refuses to change a variable of the package: matches run at once, and
// the next match must not depend on the last.
func (c *checker) change(e ast.Expr) {
	if _, inFunction := c.function(); !inFunction {
		return
	}
	if v := c.global(e); v != nil {
		c.refuse(e, "%s is a variable of the package, which all matches share: it may not change; keep what changes in variables of Play or Bot", v.Name())
	}
}

// foreign refuses names of other packages that are not for scripts.
func (c *checker) foreign(n *ast.SelectorExpr) {
	o := c.info.Uses[n.Sel]
	if o == nil || o.Pkg() == nil || o.Pkg() == c.pkg || o.Parent() != o.Pkg().Scope() || available(o) {
		return
	}
	name := o.Pkg().Name() + "." + o.Name()
	switch {
	case o.Pkg().Path() == "fmt":
		c.refuse(n, "%s: a game has no terminal; use m.Tell and m.Show, and println for the host's log", name)
	case name == "errors.As":
		c.refuse(n, "errors.As: the interpreter cannot do it; compare errors with ==, or use errors.Is")
	default:
		c.refuse(n, "%s is not for scripts: it is newer than Go 1.21, or generic, or not deterministic", name)
	}
}
