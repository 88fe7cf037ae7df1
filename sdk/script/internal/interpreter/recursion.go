package interpreter

import (
	"go/ast"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strconv"
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
	calls     atomic.Uint64

	mu    sync.Mutex          // guards the field below
	found map[string]*failure // by goroutine
}

// watchRecursion adds the calls of Enter.
func watchRecursion(s *source.Source) *recursion {
	g := graph{Source: s, declared: map[types.Object]ast.Node{}, calls: map[any][]any{}}
	for _, file := range s.Files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				g.declared[s.Info.Defs[f.Name]] = f
			}
		}
	}
	for _, file := range s.Files {
		for _, decl := range file.Decls {
			g.visit(decl, decl)
		}
	}
	r := &recursion{found: map[string]*failure{}}
	for _, file := range s.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil && source.FuncType(n) != nil && g.recursive(n) {
				body := source.Body(n)
				body.List = append([]ast.Stmt{enter(body.Lbrace, len(r.functions))}, body.List...)
				r.functions = append(r.functions, n)
			}
			return true
		})
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

// isAdded reports whether a statement is a call of Enter, or of a mark.
func isAdded(s ast.Stmt) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	pkg, ok := source.Base(call.Fun).(*ast.Ident)
	return ok && pkg.Name == helperName
}

// graph has what each function can call: functions and signatures, which can call all
// functions of that type that are used as values.
type graph struct {
	*source.Source
	declared map[types.Object]ast.Node
	calls    map[any][]any
}

// visit adds the calls in a node that is a part of a function. A function literal counts as
// called where it is written.
func (g *graph) visit(function, n ast.Node) {
	call := func(from, to any) { g.calls[from] = append(g.calls[from], to) }
	called := map[ast.Node]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			call(function, n)
			call(source.SignatureKey(g.TypeOf(n).(*types.Signature)), n)
			g.visit(n, n.Body)
			return false
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
			signature, ok := g.TypeOf(n.Fun).Underlying().(*types.Signature)
			if _, static := g.Object(n.Fun).(*types.Func); ok && !static {
				call(function, source.SignatureKey(signature))
			}
		case *ast.SelectorExpr:
			if called[n] {
				called[n.Sel] = true
			}
		case *ast.Ident:
			if f := g.declared[g.Info.Uses[n]]; f != nil {
				call(function, f)
				if !called[n] {
					call(source.SignatureKey(g.TypeOf(n).(*types.Signature)), f)
				}
			}
		}
		return true
	})
}

// recursive reports whether a function can call itself, directly or not.
func (g *graph) recursive(f ast.Node) bool {
	seen := map[any]bool{}
	for next := slices.Clone(g.calls[f]); len(next) > 0; {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		if n == f {
			return true
		}
		if !seen[n] {
			seen[n] = true
			next = append(next, g.calls[n]...)
		}
	}
	return false
}

// enter is called at the start of each function that can call itself.
func (p *Program) enter(n int) {
	r := p.recursion
	if r.calls.Add(1)%depthChecks != 0 || runtime.Callers(maxDepth, make([]uintptr, 1)) == 0 {
		return
	}
	why := p.endless(r.functions[n])
	r.mu.Lock()
	defer runtime.Goexit() // a panic would be repeated by each function of the stack, in quadratic time
	defer r.mu.Unlock()
	r.found[goroutine()] = why
}

// endless describes an endless recursion of a function.
func (p *Program) endless(f ast.Node) *failure {
	p.editing.Lock()
	defer p.editing.Unlock()
	const cause = "endless recursion"
	where, values := p.place(f), ""
	if v := p.recorder.in(f); v != nil {
		where, values = p.place(v.mark.node), p.recorder.describe(v)
	}
	return &failure{where + ": " + cause + " in " + name(f) + values, cause}
}

// run calls a function of the script in a goroutine that an endless recursion can end, and
// waits for it. If the function ends its goroutine for another reason, run ends this one.
func (p *Program) run(call func() error) (err error) {
	done := make(chan bool, 1)
	go func() { // ends with the function
		returned := false
		defer func() {
			if v := recover(); v != nil {
				err, returned = p.failure(v), true
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
