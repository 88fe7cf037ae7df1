package script

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// written refuses a node that changes what is shared.
func (s *sharing) written(n ast.Node, within []ast.Node) {
	if len(within) == 0 {
		return
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			for _, left := range n.Lhs {
				s.change(left, within)
			}
		}
	case *ast.IncDecStmt:
		s.change(n.X, within)
	case *ast.CallExpr:
		s.changes(n, within)
	}
}

// change refuses to assign to a place that is shared. The gate refuses what is a
// part of a variable of the package by its name.
func (s *sharing) change(e ast.Expr, within []ast.Node) {
	if s.global(e) == nil {
		s.refuseChange(e, s.place(e, within))
	}
}

func (s *sharing) refuseChange(e ast.Expr, from types.Object) {
	if from == nil {
		return
	}
	what := "a variable of the package, which all matches share"
	if from.Parent() != s.pkg.Scope() {
		what = "a variable of a function that runs once, before all matches, which share it"
	}
	if name, ok := ast.Unparen(e).(*ast.Ident); ok && s.info.ObjectOf(name) == from {
		s.refuse(e, "%s is %s: it may not change; keep what changes in variables of Play or Bot", from.Name(), what)
		return
	}
	s.refuse(e, "%s may be a part of %s, %s: it may not change; change a copy", types.ExprString(e), from.Name(), what)
}

// changes refuses a call that changes what it is given.
func (s *sharing) changes(n *ast.CallExpr, within []ast.Node) {
	if s.isConversion(n) {
		return
	}
	switch s.builtin(n) {
	case "copy", "delete":
		if s.global(n.Args[0]) == nil {
			s.refuseChange(n.Args[0], s.shared(n.Args[0], within))
		}
		return
	case "append":
		if from := s.shared(n.Args[0], within); from != nil {
			s.refuse(n, "%s may be a part of %s, which all matches share, and append may write behind its end: append to a copy, append([]T{}, s...)", types.ExprString(n.Args[0]), from.Name())
		}
		return
	}
	f := s.callee(n)
	if f == nil || s.decls[f] != nil || f.Pkg() == nil {
		return
	}
	if x := s.receiver(n); x != nil {
		if from := s.received(n, x, within); from != nil && !reads(f) {
			s.refuse(n, "%s may change %s, which may be a part of %s, which all matches share: use one that is made in Play or Bot", f.Name(), types.ExprString(x), from.Name())
		}
	}
	for i, arg := range n.Args {
		if writesTo(f, i) {
			s.refuseChange(arg, s.shared(arg, within))
		}
	}
}

// reads tells whether a method of the library leaves its receiver as it is.
func reads(f *types.Func) bool {
	recv := f.Signature().Recv().Type()
	if p, ok := recv.Underlying().(*types.Pointer); ok {
		recv = p.Elem()
	}
	named, ok := types.Unalias(recv).(*types.Named)
	if !ok {
		return false
	}
	switch path := packageOf(named.Obj()); path {
	case "": // error
		return true
	case "regexp":
		return f.Name() != "Longest" && !strings.HasPrefix(f.Name(), "Unmarshal")
	case "strings":
		return named.Obj().Name() == "Replacer" || !isPointerTo(f, named)
	case "container/list", "container/ring":
		return slices.Contains([]string{"Len", "Front", "Back", "Next", "Prev", "Move", "Do"}, f.Name())
	case "math/big":
		return slices.Contains(bigReads, f.Name())
	case "sort":
		return f.Name() != "Sort" && f.Name() != "Swap"
	default:
		return path != "" && !isPointerTo(f, named) && !types.IsInterface(named)
	}
}

func isPointerTo(f *types.Func, named *types.Named) bool {
	p, ok := f.Signature().Recv().Type().(*types.Pointer)
	return ok && types.Identical(p.Elem(), named)
}

// bigReads are the methods of package big that only read their receiver.
var bigReads = []string{
	"Acc", "Append", "Bit", "BitLen", "Bits", "Bytes", "Cmp", "CmpAbs", "Denom", "FillBytes", "Float32", "Float64", "Format",
	"Int64", "IsInf", "IsInt", "IsInt64", "IsUint64", "MinPrec", "Mode", "Num", "Prec", "ProbablyPrime", "Sign", "Signbit", "String",
	"Text", "TrailingZeroBits", "Uint64",
}

// writesTo tells whether a function of the library changes an argument.
func writesTo(f *types.Func, i int) bool {
	if f.Signature().Recv() != nil {
		switch f.Name() {
		case "Read", "FillBytes", "WriteTo":
			return i == 0
		case "DivMod", "QuoRem":
			return i == 2
		case "GCD":
			return i < 2
		}
		return false
	}
	name := f.Name()
	switch packageOf(f) {
	case "sort":
		return i == 0 && slices.Contains([]string{"Sort", "Stable", "Slice", "SliceStable", "Ints", "Strings", "Float64s"}, name)
	case "container/heap":
		return i == 0
	case "strconv", "unicode/utf8", "encoding/hex":
		return i == 0 && (strings.HasPrefix(name, "Append") || strings.HasPrefix(name, "Encode") && name != "EncodeToString" || name == "Decode")
	case "fmt":
		return i == 0 && (strings.HasPrefix(name, "Append") || strings.HasPrefix(name, "Fprint") || strings.HasPrefix(name, "Fscan")) ||
			i > 0 && strings.Contains(strings.ToLower(name), "scan")
	case "io":
		return i <= 1 && slices.Contains([]string{"Copy", "CopyN", "CopyBuffer", "ReadAll", "ReadAtLeast", "ReadFull", "WriteString"}, name)
	}
	return false
}
