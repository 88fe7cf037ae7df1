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
	"sync/atomic"

	"github.com/traefik/yaegi/interp"
)

// recorder gets the marks of one second run.
type recorder struct {
	program *Program
	marks   []*mark
	ctx     context.Context
	count   int         // of marks
	latest  []*visit    // by mark; nil: none yet
	indexes map[int]int // the last values of marked indexes, by mark
	sent    int         // the count when the script last sent or got something
	windows [2]int      // the counts when the last two windows began; each window is as long as all before it since sent
	window  int         // number of the last one
	stopped bool        // ctx has ended
	running atomic.Bool
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
	at     int    // count of the last visit
	window int    // number of the window with the last visit
	times  [2]int // in the window before that, and in that
	args   []any  // of the last visit
}

// visits gives the interpreter the functions of marks.
func (p *Program) visits() interp.Exports {
	return interp.Exports{marksPath + "/" + marksName: {
		"At": reflect.ValueOf(func(n int, args ...any) { p.recorder.visit(n, args) }),
		"Index": reflect.ValueOf(func(n, index int) int {
			if p.recorder != nil {
				p.recorder.indexes[n] = index
			}
			return index
		}),
		"On": reflect.ValueOf(func(n int, args ...any) bool { p.recorder.visit(n, args); return true }),
	}}
}

// index returns the last value of an index, if the call is its mark.
func (r *recorder) index(call *ast.CallExpr) (n int, ok bool) {
	if f, selects := call.Fun.(*ast.SelectorExpr); r != nil && selects && f.Sel.Name == "Index" && len(call.Args) == 2 {
		if pkg, named := f.X.(*ast.Ident); named && pkg.Name == marksName {
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
	if r.count++; r.count%checkEvery == 0 && r.ctx.Err() != nil {
		r.stopped = true
	}
	if r.stopped {
		runtime.Goexit()
	}
	if r.count-r.windows[1] > r.windows[1]-r.sent {
		r.windows[0], r.windows[1] = r.windows[1], r.count
		r.window++
	}
	v := r.latest[n]
	if v == nil {
		v = &visit{mark: r.marks[n]}
		r.latest[n] = v
	}
	switch r.window - v.window {
	case 0:
	case 1:
		v.times = [2]int{v.times[1], 0}
	default:
		v.times = [2]int{}
	}
	v.at, v.args, v.window = r.count, args, r.window
	v.times[1]++
}

// progress begins a new window: the script has sent or got something.
func (r *recorder) progress() {
	r.sent, r.windows = r.count, [2]int{r.count, r.count}
	r.window += 2
}

// recent returns the times of a visit in the last two windows.
func (r *recorder) recent(v *visit) int {
	switch r.window - v.window {
	case 0:
		return v.times[0] + v.times[1]
	case 1:
		return v.times[1]
	default:
		return 0
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
// went round in the last windows, preferably one that did not begin in them, the one
// that went round the fewest times. Nil: there is none.
func (r *recorder) endless() *visit {
	begun := map[ast.Node]bool{}
	for _, v := range r.latest {
		if v != nil && v.mark.loop == nil && r.recent(v) > 0 {
			n := v.mark.node
			if labeled, ok := n.(*ast.LabeledStmt); ok {
				n = labeled.Stmt
			}
			begun[n] = true
		}
	}
	var found *visit
	for _, v := range r.latest {
		if v == nil || v.mark.loop == nil || r.recent(v) < 2 {
			continue
		}
		if found == nil || !begun[v.mark.loop] && begun[found.mark.loop] ||
			begun[v.mark.loop] == begun[found.mark.loop] && r.recent(v) < r.recent(found) {
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
		if v != nil && r.recent(v) > 0 && v.mark.node.Pos() >= loop.Pos() && v.mark.node.Pos() < loop.End() {
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

// exact returns the place of the operation that failed after a visit, and text, or a
// better text with the index and the like.
func (r *recorder) exact(v *visit, operation, called, text string) (where, better string) {
	p := r.program
	var suspects []ast.Node
	for _, n := range p.suspects(v.mark.function, operation, called) {
		if part(v.mark, n) {
			suspects = append(suspects, n)
		}
	}
	in := v.variables()
	for _, n := range suspects {
		if detail := p.wrong(n, in); detail != "" {
			return p.place(v.mark.function, []ast.Node{n}), detail
		}
	}
	if len(suspects) == 0 {
		suspects = append(suspects, v.mark.node)
	}
	return p.place(v.mark.function, suspects), text
}

// part reports whether a node belongs to what runs right after a mark.
func part(k *mark, n ast.Node) bool {
	s, ok := k.node.(ast.Stmt)
	if !ok {
		return k.node.Pos() <= n.Pos() && n.Pos() < k.node.End()
	}
	for _, own := range own(s) {
		if own != nil && own.Pos() <= n.Pos() && n.Pos() < own.End() {
			return true
		}
	}
	return false
}

// wrong returns what is wrong with the values of an operation; empty: nothing, or it
// is not known.
func (p *Program) wrong(n ast.Node, in variables) string {
	switch n := n.(type) {
	case *ast.IndexExpr:
		x, xOK := p.value(n.X, in)
		i, iOK := p.integer(n.Index, in)
		if x = pointed(x); xOK && iOK && hasElements(x) && (i < 0 || i >= x.Len()) {
			return fmt.Sprintf("index out of range [%d] with length %d", i, x.Len())
		}
	case *ast.SliceExpr:
		x, ok := p.value(n.X, in)
		if x = pointed(x); !ok || !hasElements(x) {
			return ""
		}
		most := x.Len()
		if x.Kind() == reflect.Slice {
			most = x.Cap()
		}
		low, lowOK := 0, true
		if n.Low != nil {
			low, lowOK = p.integer(n.Low, in)
		}
		high, highOK := x.Len(), true
		if n.High != nil {
			high, highOK = p.integer(n.High, in)
		}
		if lowOK && highOK && (low < 0 || low > high || high > most) {
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
