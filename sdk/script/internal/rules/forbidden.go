package rules

import (
	"go/ast"
	"go/types"

	"colosseum/sdk/script/symbols"
)

// forbidden refuses code that no game can contain: a referee must be a function of
// settings, seed and answers, for any number of matches at once.
func (c *checker) forbidden(n ast.Node) {
	switch n := n.(type) {
	case *ast.GoStmt:
		c.refuse(n, "goroutines are not allowed in a game: use m.AskAll to ask all seats at once")
	case *ast.ChanType, *ast.SelectStmt, *ast.SendStmt:
		c.refuse(n, "channels are not allowed in a game: use m.AskAll to ask all seats at once")
	case *ast.RangeStmt:
		if _, ok := c.TypeOf(n.X).Underlying().(*types.Map); ok {
			c.refuse(n, "range over a map is not allowed, because its order changes from run to run: range over slices.Sorted(maps.Keys(m)), or keep the keys in a slice and range over that")
		}
	case *ast.FuncDecl:
		if n.Recv == nil && n.Name.Name == "init" {
			c.refuse(n, "func init is not allowed: give package variables their values where they are declared, var table = makeTable()")
		}
	case *ast.CallExpr:
		if c.Builtin(n) == "recover" {
			c.refuse(n, "recover is not allowed, because a panic is a fault of the game and ends the match: check before, or return an error")
		}
		c.character(n)
	case *ast.SelectorExpr:
		c.foreign(n)
	}
}

// character refuses string(n) of an integer, which go vet reports: few mean it.
func (c *checker) character(n *ast.CallExpr) {
	if !c.IsConversion(n) || len(n.Args) != 1 || c.Info.Types[n].Value != nil {
		return
	}
	to, ok := c.TypeOf(n).Underlying().(*types.Basic)
	from, number := c.TypeOf(n.Args[0]).Underlying().(*types.Basic)
	if !ok || !number || to.Info()&types.IsString == 0 || from.Info()&types.IsInteger == 0 {
		return
	}
	if kind := from.Kind(); kind != types.Int32 && kind != types.Uint8 && kind != types.UntypedRune {
		c.refuse(n, "%s is the character with that number, not its digits: write strconv.Itoa(%s), or for the character string(rune(%[2]s))", types.ExprString(n), types.ExprString(n.Args[0]))
	}
}

// foreign refuses names of other packages that are not available in scripts.
func (c *checker) foreign(n *ast.SelectorExpr) {
	o := c.Info.Uses[n.Sel]
	if o == nil || o.Pkg() == nil || o.Pkg() == c.Pkg || o.Parent() != o.Pkg().Scope() || available(o) {
		return
	}
	name := o.Pkg().Name() + "." + o.Name()
	switch {
	case o.Pkg().Path() == "fmt":
		c.refuse(n, "%s: a game has no terminal; use m.Tell or m.Show, or println to write to the host's log", name)
	case name == "errors.As":
		c.refuse(n, "errors.As: the interpreter does not support it, and a script has no error types; compare errors with ==, use errors.Is, or for an error of the library write e, ok := err.(*strconv.NumError)")
	default:
		c.refuse(n, "%s is not available in scripts: it is newer than Go 1.21, generic, or not deterministic", name)
	}
}

// available reports whether a script can use a name of another package.
func available(o types.Object) bool {
	path := o.Pkg().Path()
	if path == symbols.Plugin {
		return true
	}
	_, ok := symbols.Symbols[path+"/"+o.Pkg().Name()][o.Name()]
	return ok
}
