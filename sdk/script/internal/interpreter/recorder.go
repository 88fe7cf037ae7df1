package interpreter

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// recorder gets the marks of one second run.
type recorder struct {
	program *Program
	marks   []*mark
	ctx     context.Context
	count   int         // of marks
	latest  []*visit    // by mark; nil: none yet
	indexes map[int]int // the last values of marked indexes, by mark
	half    time.Time   // when rounds begin anew, because a loop that has ended by then is not the one; zero: that was
	stopped bool        // ctx has ended
	running atomic.Bool
}

// record gives the program a recorder for a second run that ends with ctx.
func (p *Program) record(ctx context.Context) *recorder {
	r := &recorder{program: p, marks: p.marks, ctx: ctx, latest: make([]*visit, len(p.marks)), indexes: map[int]int{}}
	if end, ok := ctx.Deadline(); ok {
		r.half = time.Now().Add(time.Until(end) / 2)
	}
	p.recorder = r
	return r
}

// run notes that the script runs until the returned function is called.
func (r *recorder) run() (end func()) {
	if r == nil {
		return func() {}
	}
	r.running.Store(true)
	return func() { r.running.Store(false) }
}

// visit is what is known about one mark.
type visit struct {
	mark   *mark
	at     int   // count of the last visit
	rounds int   // visits since the script last sent or got something, and since half of the time
	args   []any // of the last visit
}

// recordIndex notes the value of an index, and returns it.
func (p *Program) recordIndex(n, index int) int {
	if p.recorder != nil {
		p.recorder.indexes[n] = index
	}
	return index
}

// index returns the last value of an index, if the call is its mark.
func (r *recorder) index(call *ast.CallExpr) (n int, ok bool) {
	if f, selects := call.Fun.(*ast.SelectorExpr); r != nil && selects && f.Sel.Name == "Index" && len(call.Args) == 2 {
		if pkg, named := f.X.(*ast.Ident); named && pkg.Name == helperName {
			number, _ := strconv.Atoi(call.Args[0].(*ast.BasicLit).Value) // written by callAt
			n, ok = r.indexes[number]
		}
	}
	return n, ok
}

// checkEvery is how many marks pass between two looks at the time.
const checkEvery = 64

func (r *recorder) visit(n int, args []any) {
	if r == nil {
		return // main runs
	}
	if r.count++; r.count%checkEvery == 0 {
		r.stopped = r.ctx.Err() != nil
		if !r.half.IsZero() && time.Now().After(r.half) {
			r.half = time.Time{}
			r.progress()
		}
	}
	if r.stopped {
		runtime.Goexit()
	}
	v := r.latest[n]
	if v == nil {
		v = &visit{mark: r.marks[n]}
		r.latest[n] = v
	}
	v.at, v.args = r.count, args
	v.rounds++
}

// progress is called when the script has sent or got something.
func (r *recorder) progress() {
	for _, v := range r.latest {
		if v != nil {
			v.rounds = 0
		}
	}
}

// variables returns the values at a visit.
func (v *visit) variables() variables {
	in := variables{}
	for i, arg := range v.args {
		if i < len(v.mark.vars) {
			in[v.mark.vars[i]] = reflect.ValueOf(arg)
		}
	}
	return in
}

// in returns the last visit of a mark in a function; nil: there is none.
func (r *recorder) in(function ast.Node) *visit {
	if r == nil {
		return nil
	}
	var last *visit
	for _, v := range r.latest {
		if v != nil && v.mark.function == function && (last == nil || v.at > last.at) {
			last = v
		}
	}
	return last
}

// endless returns the last iteration of the loop that does not end: of the loops that
// went round, preferably one that did not begin since, the one that went round the fewest
// times. Nil: there is none.
func (r *recorder) endless() *visit {
	begun := map[ast.Node]bool{}
	for _, v := range r.latest {
		if v != nil && v.mark.loop == nil && v.rounds > 0 {
			n := v.mark.node
			if labeled, ok := n.(*ast.LabeledStmt); ok {
				n = labeled.Stmt
			}
			begun[n] = true
		}
	}
	var found *visit
	for _, v := range r.latest {
		if v == nil || v.mark.loop == nil || v.rounds < 2 {
			continue
		}
		if found == nil || !begun[v.mark.loop] && begun[found.mark.loop] ||
			begun[v.mark.loop] == begun[found.mark.loop] && v.rounds < found.rounds {
			found = v
		}
	}
	return found
}

// loop describes the loop that does not end. Empty: there is none.
func (r *recorder) loop() string {
	endless := r.endless()
	if endless == nil {
		return ""
	}
	p, loop := r.program, endless.mark.loop
	from := p.Position(loop.Pos())
	to := from.Line
	var inside []*visit // in the order of the source
	for _, v := range r.latest {
		if v != nil && v.rounds > 0 && v.mark.node.Pos() >= loop.Pos() && v.mark.node.Pos() < loop.End() {
			inside = append(inside, v)
			to = max(to, p.Position(v.mark.node.Pos()).Line)
		}
	}
	slices.SortStableFunc(inside, func(a, b *visit) int { return cmp.Compare(a.mark.node.Pos(), b.mark.node.Pos()) })
	var shown []ast.Expr
	for _, v := range inside {
		shown = append(shown, v.mark.shown...)
	}
	slices.SortFunc(inside, func(a, b *visit) int { return cmp.Compare(a.at, b.at) })
	in := variables{}
	for _, v := range inside {
		maps.Copy(in, v.variables())
	}
	where := fmt.Sprintf("%s:%d", filepath.Base(from.Filename), from.Line)
	if to > from.Line {
		where += fmt.Sprintf(" to %d", to)
	}
	text := where + ": the loop in " + name(endless.mark.function) + " does not end"
	if values := p.show(shown, in); values != "" {
		text += "; at the last look: " + values
	}
	return text
}

// exact returns the place of the operation that failed after a visit, and what happened, with
// the index if it was one.
func (r *recorder) exact(v *visit, cause string) (where, what string) {
	where, what = r.program.place(v.mark.node), cause
	if !strings.Contains(cause, " out of range") {
		return where, what
	}
	in := v.variables()
	parts := []ast.Node{v.mark.node}
	if s, ok := v.mark.node.(ast.Stmt); ok {
		parts = own(s)
	}
	for _, part := range parts {
		if part == nil {
			continue
		}
		ast.Inspect(part, func(n ast.Node) bool {
			if detail := r.program.wrong(n, in); detail != "" && what == cause {
				where, what = r.program.place(n), detail
			}
			_, literal := n.(*ast.FuncLit)
			return !literal
		})
	}
	return where, what
}

// wrong returns what is wrong with an index, or with the bounds of a slice; empty: nothing, or
// it is not known.
func (p *Program) wrong(n ast.Node, in variables) string {
	switch n := n.(type) {
	case *ast.IndexExpr:
		x, known := p.value(n.X, in)
		i, iKnown := p.integer(n.Index, in)
		if x = pointed(x); known && iKnown && hasElements(x) && (i < 0 || i >= x.Len()) {
			return fmt.Sprintf("index out of range [%d] with length %d", i, x.Len())
		}
	case *ast.SliceExpr:
		x, known := p.value(n.X, in)
		if x = pointed(x); !known || !hasElements(x) {
			return ""
		}
		low, high, most := 0, x.Len(), x.Len()
		if x.Kind() == reflect.Slice {
			most = x.Cap()
		}
		if n.Low != nil {
			low, known = p.integer(n.Low, in)
		}
		if n.High != nil && known {
			high, known = p.integer(n.High, in)
		}
		if known && (low < 0 || low > high || high > most) {
			return fmt.Sprintf("slice bounds out of range [%d:%d] with length %d", low, high, x.Len())
		}
	}
	return ""
}

// describe writes the values at a visit, in parentheses after a space.
func (r *recorder) describe(v *visit) string {
	if values := r.program.show(v.mark.shown, v.variables()); values != "" {
		return " (" + values + ")"
	}
	return ""
}
