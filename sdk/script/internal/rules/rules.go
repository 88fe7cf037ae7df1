// Package rules refuses code that no game can contain, and code that the interpreter
// runs differently from the compiler. It looks at one place of a script at a time;
// package aliases looks at the whole script.
package rules

import (
	"go/ast"
	"go/types"

	"colosseum/sdk/script/internal/source"
)

// Check returns the problems of a script.
func Check(s *source.Source) []source.Problem {
	c := &checker{Source: s}
	for _, file := range s.Files {
		if s.FromLibrary(file) {
			continue
		}
		ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
			c.stack = stack
			c.forbidden(n)
			c.dialect(n)
			return true
		})
	}
	return c.problems
}

// checker visits every node of a script.
type checker struct {
	*source.Source
	problems []source.Problem
	stack    []ast.Node // the nodes around the current one, outermost first
}

func (c *checker) refuse(at ast.Node, format string, args ...any) {
	c.problems = append(c.problems, c.Problem(at, format, args...))
}

// outer returns the i-th node around the current one, without parentheses; 0 is
// the innermost.
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

// inLoop reports whether the current node is in a loop of its function.
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

// isNil reports whether an expression is the predeclared nil.
func (c *checker) isNil(e ast.Expr) bool { return c.Info.Types[ast.Unparen(e)].IsNil() }

// ours reports whether the script declares a type.
func (c *checker) ours(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() == c.Pkg
}
