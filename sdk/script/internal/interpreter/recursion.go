package interpreter

import (
	"go/ast"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"colosseum/sdk/script/internal/source"
)

// An endless recursion of a script would end the process with all its matches, and the
// stack has only functions of the interpreter. So each function that can call itself begins
// with a call of Enter, which ends a goroutine whose stack is too deep. Other functions have
// no such call, which takes 0.7 µs.

const (
	maxDepth    = 60_000 // of a stack, in frames; a call of a function is two of them, or more
	depthChecks = 1024   // calls from one look at a stack to the next: the look can take 1 ms
)

// recursion is what a program needs to find endless recursions.
type recursion struct {
	functions []ast.Node // that can call themselves; Enter gets the index
	circles   [][]ast.Node
	calls     atomic.Uint64

	mu    sync.Mutex          // guards the field below
	found map[string]*failure // by goroutine
}

// watchRecursion adds the calls of Enter.
func watchRecursion(s *source.Source) *recursion {
	g := graph{Source: s, declared: map[types.Object]ast.Node{}, edges: map[ast.Node][]ast.Node{}}
	for _, file := range s.Files {
		ast.Inspect(file, g.declare)
	}
	for _, file := range s.Files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				g.visit(f, f.Body)
			} else {
				g.visit(nil, decl)
			}
		}
	}
	g.connect()
	r := &recursion{found: map[string]*failure{}}
	for _, file := range s.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if source.FuncType(n) == nil || source.Body(n) == nil {
				return true
			}
			if circle := g.circle(n); circle != nil {
				body := source.Body(n)
				body.List = append([]ast.Stmt{enter(body.Lbrace, len(r.functions))}, body.List...)
				r.functions, r.circles = append(r.functions, n), append(r.circles, circle)
			}
			return true
		})
	}
	if len(r.functions) > 0 {
		s.Files[0].Decls = append([]ast.Decl{importOf(s.Files[0].Package, helperName, helperPath)}, s.Files[0].Decls...)
	}
	return r
}

// enter returns the call of Enter.
func enter(at token.Pos, n int) ast.Stmt {
	return &ast.ExprStmt{X: &ast.CallExpr{
		Fun:    &ast.SelectorExpr{X: &ast.Ident{NamePos: at, Name: helperName}, Sel: &ast.Ident{NamePos: at, Name: "Enter"}},
		Lparen: at, Args: []ast.Expr{&ast.BasicLit{ValuePos: at, Kind: token.INT, Value: strconv.Itoa(n)}}, Rparen: at,
	}}
}

// isEnter reports whether a statement is a call of Enter.
func isEnter(s ast.Stmt) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := f.X.(*ast.Ident)
	return ok && pkg.Name == helperName
}

// graph has the functions of a script, and which ones each can call.
type graph struct {
	*source.Source
	declared map[types.Object]ast.Node
	edges    map[ast.Node][]ast.Node
	values   []ast.Node              // functions that are used as values
	dynamic  []dynamic               // calls of such
	reach    map[ast.Node][]ast.Node // by function; see reached
}

type dynamic struct {
	caller    ast.Node
	signature types.Type
}

func (g *graph) declare(n ast.Node) bool {
	if f, ok := n.(*ast.FuncDecl); ok {
		g.declared[g.Info.Defs[f.Name]] = f
	}
	return true
}

// visit adds the calls in a node that is a part of a function; nil: of none. A function
// literal counts as called where it is written.
func (g *graph) visit(function, n ast.Node) {
	called := map[ast.Node]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			g.edges[function] = append(g.edges[function], n)
			g.values = append(g.values, n)
			g.visit(n, n.Body)
			return false
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
			signature, ok := g.TypeOf(n.Fun).Underlying().(*types.Signature)
			if _, static := g.Object(n.Fun).(*types.Func); ok && !static {
				g.dynamic = append(g.dynamic, dynamic{function, signature})
			}
		case *ast.SelectorExpr:
			if called[n] {
				called[n.Sel] = true
			}
		case *ast.Ident:
			if f := g.declared[g.Info.Uses[n]]; f != nil {
				g.edges[function] = append(g.edges[function], f)
				if !called[n] {
					g.values = append(g.values, f)
				}
			}
		}
		return true
	})
}

// connect adds the calls of functions that are values: of any that has the same type.
func (g *graph) connect() {
	for _, d := range g.dynamic {
		for _, f := range g.values {
			var t types.Type
			switch f := f.(type) {
			case *ast.FuncLit:
				t = g.TypeOf(f)
			case *ast.FuncDecl:
				t = g.Info.Defs[f.Name].Type()
			}
			if types.Identical(t, d.signature) {
				g.edges[d.caller] = append(g.edges[d.caller], f)
			}
		}
	}
	g.reach = map[ast.Node][]ast.Node{}
}

// reached returns the functions that a function can call, directly or not.
func (g *graph) reached(from ast.Node) []ast.Node {
	if list, ok := g.reach[from]; ok {
		return list
	}
	var list []ast.Node
	seen := map[ast.Node]bool{}
	for next := slices.Clone(g.edges[from]); len(next) > 0; {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		if !seen[n] {
			seen[n] = true
			list = append(list, n)
			next = append(next, g.edges[n]...)
		}
	}
	g.reach[from] = list
	return list
}

// circle returns the functions that call each other, with the given one; nil: it can't
// call itself.
func (g *graph) circle(f ast.Node) []ast.Node {
	var circle []ast.Node
	for _, n := range g.reached(f) {
		if slices.Contains(g.reached(n), f) {
			circle = append(circle, n)
		}
	}
	return circle
}

// enter is called at the start of each function that can call itself.
func (p *Program) enter(n int) {
	r := p.recursion
	if r.calls.Add(1)%depthChecks != 0 || runtime.Callers(maxDepth, make([]uintptr, 1)) == 0 {
		return
	}
	why := p.endless(r.functions[n], r.circles[n])
	r.mu.Lock()
	defer runtime.Goexit() // a panic would be repeated by each function of the stack, in quadratic time
	defer r.mu.Unlock()
	r.found[goroutine()] = why
}

// endless describes an endless recursion of a function, with others.
func (p *Program) endless(f ast.Node, circle []ast.Node) *failure {
	p.editing.Lock()
	defer p.editing.Unlock()
	calls := within(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || p.Info.Types[call.Fun].IsType() {
			return false
		}
		switch o := p.Info.Uses[callee(call)].(type) {
		case *types.Func:
			return slices.ContainsFunc(circle, func(n ast.Node) bool {
				d, ok := n.(*ast.FuncDecl)
				return ok && p.Info.Defs[d.Name] == o
			})
		case *types.Var:
			return slices.ContainsFunc(circle, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok })
		}
		return false
	})
	const cause = "endless recursion"
	text := p.place(f, calls) + ": " + cause + " in " + name(f)
	var others []string
	for _, n := range circle {
		if n != f && !slices.Contains(others, name(n)) {
			others = append(others, name(n))
		}
	}
	slices.Sort(others)
	if len(others) > 0 {
		text += ", through " + strings.Join(others, ", ")
	}
	if v := p.recorder.in(f); v != nil {
		text += p.recorder.describe(v)
	}
	return &failure{text, cause}
}

// run calls a function of the script in a goroutine that an endless recursion can end, and
// waits for it. If the function ends its goroutine for another reason, run ends this one.
func (p *Program) run(call func() error) (err error) {
	done := make(chan bool, 1)
	go func() { // ends with the function
		returned := false
		defer func() {
			if v := recover(); v != nil {
				pcs := make([]uintptr, 4096) // the panic is repeated by each interpreted function
				err, returned = p.failure(v, pcs[:runtime.Callers(0, pcs)]), true
			}
			if why := p.recursion.take(); !returned && why != nil {
				err, returned = why, true
			}
			done <- returned
		}()
		err = call()
		returned = true
	}()
	if !<-done {
		runtime.Goexit()
	}
	return err
}

// take returns the endless recursion that has ended this goroutine, or nil.
func (r *recursion) take() *failure {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.found) == 0 {
		return nil
	}
	why := r.found[goroutine()]
	delete(r.found, goroutine())
	return why
}
