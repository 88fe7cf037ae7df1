package script

import (
	"go/ast"
	"go/token"
	"go/types"
)

// sharing finds where the memory of the package's variables may be changed by
// another name: a variable, a parameter, a result, a field or an element that
// refers to it. It asks neither in which order statements run nor which call a
// function returns to, so it refuses some programs that do no harm; what it
// accepts does none.
//
// A value is shared when what it refers to may be a part of a variable of the
// package: a slice, map or pointer, or an array, struct or interface that holds
// one. Values are followed from name to name until nothing new is found. In
// memory behind pointers and in elements of slices and maps, all values of one
// type are taken for one, and so is a field in all structs.
//
// What the functions keep that main and the initialisers make is shared as well:
// a function literal that reaches a variable of the package or plugin.Serve is
// called by all matches, and the variables of the functions around it are theirs.
type sharing struct {
	*checker
	from    map[any]types.Object // what is shared, and a variable that it comes from
	changed bool                 // in this round
	taken   map[types.Object]bool
	fresh   map[types.Object]map[types.Object]bool // of a copied struct: fields that are set at once
	dynamic map[string][]ast.Node                  // functions used as values, by signature
	decls   map[types.Object]*ast.FuncDecl
	holds   map[types.Type]bool
	public  map[*ast.FuncLit]bool // called by all matches
}

// The keys of from, beside the objects of variables and fields.
type (
	memory  string // values of a type behind pointers and in elements
	outcome struct {
		function ast.Node
		number   int
	}
	contained string // what containers of a package hold
)

// sharedWrites refuses what may change the memory of a variable of the package
// under another name.
func (c *checker) sharedWrites() {
	s := &sharing{
		checker: c, from: map[any]types.Object{}, taken: map[types.Object]bool{}, fresh: map[types.Object]map[types.Object]bool{},
		dynamic: map[string][]ast.Node{}, decls: map[types.Object]*ast.FuncDecl{}, holds: map[types.Type]bool{}, public: map[*ast.FuncLit]bool{},
	}
	s.prepare()
	for s.changed = true; s.changed; { // each round adds to from, whose keys are those of the program
		s.changed = false
		s.walk(s.flow)
		s.link()
	}
	s.walk(s.written)
}

// walk calls visit for each node, with the functions around it, outermost first.
func (s *sharing) walk(visit func(n ast.Node, within []ast.Node)) {
	for _, file := range s.files {
		var stack, functions []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if len(functions) > 0 && functions[len(functions)-1] == last {
					functions = functions[:len(functions)-1]
				}
				return true
			}
			visit(n, functions)
			stack = append(stack, n)
			switch n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				functions = append(functions, n)
			}
			return true
		})
	}
}

// prepare finds what the rounds need to know of the program.
func (s *sharing) prepare() {
	again := map[types.Object]bool{} // variables that are assigned after their declaration
	called := map[ast.Expr]bool{}    // expressions that are called, not used as values
	s.walk(func(n ast.Node, _ []ast.Node) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			s.decls[s.info.Defs[n.Name]] = n
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
			if x := s.receiver(n); x != nil {
				if _, pointer := s.typeOf(x).Underlying().(*types.Pointer); !pointer {
					if _, wants := s.callee(n).Signature().Recv().Type().(*types.Pointer); wants {
						s.take(x)
					}
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				s.take(n.X)
			}
		case *ast.SliceExpr:
			if _, array := s.typeOf(n.X).Underlying().(*types.Array); array {
				s.take(n.X)
			}
		case *ast.BlockStmt:
			s.copies(n.List)
		case *ast.CaseClause:
			s.copies(n.Body)
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if v := s.object(left); v != nil && !s.isNew(left) {
					again[v] = true
				}
			}
		}
	})
	for v := range again {
		delete(s.fresh, v)
	}
	s.walk(func(n ast.Node, _ []ast.Node) {
		switch n := n.(type) {
		case *ast.FuncLit:
			s.dynamic[s.signatureOf(n)] = append(s.dynamic[s.signatureOf(n)], n)
		case *ast.Ident:
			if f, ok := s.info.Uses[n].(*types.Func); ok && !called[n] && s.decls[f] != nil {
				key := signatureKey(f.Signature())
				s.dynamic[key] = append(s.dynamic[key], s.decls[f])
			}
		}
	})
	s.publish()
}

// take notes that there may be a pointer to a variable or to a part of it.
func (s *sharing) take(e ast.Expr) {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := s.info.ObjectOf(x).(*types.Var); ok {
			s.taken[v] = true
		}
	case *ast.SelectorExpr:
		if v, ok := s.info.Uses[x.Sel].(*types.Var); ok {
			s.taken[v] = true
		}
	case *ast.IndexExpr:
		if _, array := s.typeOf(x.X).Underlying().(*types.Array); array {
			s.take(x.X)
		}
	}
}

// copies finds the way to copy a struct: b := a, and below it b.field = … for
// fields that must not refer to what those of a refer to.
func (s *sharing) copies(list []ast.Stmt) {
	for i, statement := range list {
		define, ok := statement.(*ast.AssignStmt)
		if !ok || define.Tok != token.DEFINE || len(define.Lhs) != 1 {
			continue
		}
		v := s.object(define.Lhs[0])
		if v == nil {
			continue
		}
		for _, next := range list[i+1:] {
			set, ok := next.(*ast.AssignStmt)
			if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != 1 {
				break
			}
			field, ok := ast.Unparen(set.Lhs[0]).(*ast.SelectorExpr)
			if !ok || s.object(field.X) != v || s.isPointer(field.X) {
				break
			}
			if s.fresh[v] == nil {
				s.fresh[v] = map[types.Object]bool{}
			}
			s.fresh[v][s.object(field)] = true
		}
	}
}

// add notes that something is shared.
func (s *sharing) add(key any, from types.Object) {
	if from != nil && key != nil && s.from[key] == nil {
		s.from[key] = from
		s.changed = true
	}
}

// refers tells whether values of a type may refer to memory that can be changed.
func (s *sharing) refers(t types.Type) bool {
	known, ok := s.holds[t]
	if ok {
		return known
	}
	s.holds[t] = false // until it is known: a type is in itself only through a pointer or the like
	yes := false
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Pointer:
		yes = true
	case *types.Interface:
		yes = !isError(t) // a script makes no errors of its own
	case *types.Array:
		yes = s.refers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			yes = yes || s.refers(f.Type())
		}
	case *types.Tuple:
		for v := range u.Variables() {
			yes = yes || s.refers(v.Type())
		}
	}
	s.holds[t] = yes
	return yes
}

func (s *sharing) memoryOf(t types.Type) memory { return memory(types.TypeString(t, nil)) }

func (s *sharing) isPointer(e ast.Expr) bool {
	_, ok := s.typeOf(e).Underlying().(*types.Pointer)
	return ok
}

// shared returns a variable that the value of an expression may be shared with,
// or nil. Within are the functions around it.
func (s *sharing) shared(e ast.Expr, within []ast.Node) types.Object {
	e = ast.Unparen(e)
	if !s.refers(s.typeOf(e)) {
		return nil
	}
	switch e := e.(type) {
	case *ast.Ident:
		return s.variable(s.info.ObjectOf(e), within)
	case *ast.SelectorExpr:
		return s.selected(e, within)
	case *ast.IndexExpr:
		if v := s.shared(e.X, within); v != nil {
			return v
		}
		if _, array := s.typeOf(e.X).Underlying().(*types.Array); array {
			return nil
		}
		return s.from[s.memoryOf(s.typeOf(e))]
	case *ast.SliceExpr:
		if _, array := s.typeOf(e.X).Underlying().(*types.Array); array {
			return s.place(e.X, within)
		}
		return s.shared(e.X, within)
	case *ast.StarExpr:
		if v := s.shared(e.X, within); v != nil {
			return v
		}
		return s.from[s.memoryOf(s.typeOf(e))]
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return s.place(e.X, within)
		}
	case *ast.TypeAssertExpr:
		return s.shared(e.X, within)
	case *ast.CompositeLit:
		if _, array := s.typeOf(e).Underlying().(*types.Array); array {
			return s.anyOf(e.Elts, within)
		}
	case *ast.CallExpr:
		return s.called(e, 0, within)
	}
	return nil
}

// anyOf is shared for the elements of a literal.
func (s *sharing) anyOf(elements []ast.Expr, within []ast.Node) types.Object {
	for _, e := range elements {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		if v := s.shared(e, within); v != nil {
			return v
		}
	}
	return nil
}

// variable is shared for the value of a variable.
func (s *sharing) variable(o types.Object, within []ast.Node) types.Object {
	v, ok := o.(*types.Var)
	if !ok {
		return nil
	}
	if s.common(v, within) {
		return v
	}
	if from := s.from[v]; from != nil && !s.whollyFresh(v) {
		return from
	}
	return s.behind(v)
}

// behind is shared for what pointers to a variable may have put there.
func (s *sharing) behind(v *types.Var) types.Object {
	if !s.taken[v] {
		return nil
	}
	if from := s.from[s.memoryOf(v.Type())]; from != nil {
		return from
	}
	if a, ok := v.Type().Underlying().(*types.Array); ok {
		return s.from[s.memoryOf(a.Elem())]
	}
	return nil
}

// common tells whether all matches have the same variable.
func (s *sharing) common(v *types.Var, within []ast.Node) bool {
	if v.Parent() == s.pkg.Scope() {
		return true
	}
	for _, f := range within {
		if f, ok := f.(*ast.FuncLit); ok && s.public[f] && (v.Pos() < f.Pos() || v.Pos() >= f.End()) && !v.IsField() {
			return true
		}
	}
	return false
}

// whollyFresh tells whether a struct was copied with all fields that refer to
// anything set anew.
func (s *sharing) whollyFresh(v *types.Var) bool {
	u, ok := v.Type().Underlying().(*types.Struct)
	if !ok || s.fresh[v] == nil {
		return false
	}
	for f := range u.Fields() {
		if s.refers(f.Type()) && !s.fresh[v][f] {
			return false
		}
	}
	return true
}

// selected is shared for a field.
func (s *sharing) selected(e *ast.SelectorExpr, within []ast.Node) types.Object {
	field, ok := s.info.Uses[e.Sel].(*types.Var)
	if !ok || !field.IsField() {
		return nil
	}
	for _, f := range s.path(e) {
		if from := s.from[f]; from != nil {
			return from
		}
		if from := s.behind(f); from != nil {
			return from
		}
	}
	if path := packageOf(field); path == "container/list" || path == "container/ring" {
		if from := s.from[contained(path)]; from != nil && types.IsInterface(field.Type()) {
			return from
		}
	}
	if own, ok := s.object(e.X).(*types.Var); ok && s.fresh[own][field] && !s.common(own, within) {
		return s.behind(own)
	}
	if from := s.shared(e.X, within); from != nil {
		return from
	}
	if p, ok := s.typeOf(e.X).Underlying().(*types.Pointer); ok {
		return s.from[s.memoryOf(p.Elem())]
	}
	return nil
}

// path returns the fields from an expression to the one that is selected: more
// than one when structs are embedded.
func (s *sharing) path(e *ast.SelectorExpr) []*types.Var {
	var list []*types.Var
	selection := s.info.Selections[e]
	if selection == nil {
		return nil
	}
	t := selection.Recv()
	for _, i := range selection.Index() {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		u, ok := t.Underlying().(*types.Struct)
		if !ok {
			break
		}
		list = append(list, u.Field(i))
		t = u.Field(i).Type()
	}
	return list
}

// place returns a variable of which an expression is a part, for a pointer to it.
func (s *sharing) place(e ast.Expr, within []ast.Node) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := s.info.ObjectOf(e).(*types.Var); ok && s.common(v, within) {
			return v
		}
	case *ast.SelectorExpr:
		if s.isPointer(e.X) {
			return s.shared(e.X, within)
		}
		return s.place(e.X, within)
	case *ast.IndexExpr:
		if _, array := s.typeOf(e.X).Underlying().(*types.Array); array {
			return s.place(e.X, within)
		}
		return s.shared(e.X, within)
	case *ast.StarExpr:
		return s.shared(e.X, within)
	}
	return nil
}

// callee returns the function that a call names, or nil: it calls a value.
func (s *sharing) callee(n *ast.CallExpr) *types.Func {
	f, _ := s.object(n.Fun).(*types.Func)
	return f
}

// receiver returns the receiver of a call of a method, or nil.
func (s *sharing) receiver(n *ast.CallExpr) ast.Expr {
	x, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	if !ok || s.info.Selections[x] == nil || s.info.Selections[x].Kind() != types.MethodVal {
		return nil
	}
	return x.X
}

// received is shared for the receiver as the method gets it.
func (s *sharing) received(n *ast.CallExpr, x ast.Expr, within []ast.Node) types.Object {
	if _, pointer := s.callee(n).Signature().Recv().Type().Underlying().(*types.Pointer); pointer && !s.isPointer(x) {
		return s.place(x, within)
	}
	return s.shared(x, within)
}

// targets returns the functions of the script that a call may call.
func (s *sharing) targets(n *ast.CallExpr) []ast.Node {
	if f := s.callee(n); f != nil {
		if d := s.decls[f]; d != nil {
			return []ast.Node{d}
		}
		return nil
	}
	if f, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
		return []ast.Node{f}
	}
	if f, ok := s.typeOf(n.Fun).Underlying().(*types.Signature); ok {
		return s.dynamic[signatureKey(f)]
	}
	return nil
}

func (s *sharing) signatureOf(f *ast.FuncLit) string {
	return signatureKey(s.typeOf(f).(*types.Signature))
}

// signatureKey is the same for functions of one type, whatever their parameters
// are called.
func signatureKey(f *types.Signature) string {
	key := ""
	for _, list := range []*types.Tuple{f.Params(), f.Results()} {
		for v := range list.Variables() {
			key += types.TypeString(v.Type(), nil) + ","
		}
		key += ";"
	}
	if f.Variadic() {
		key += "..."
	}
	return key
}

// called is shared for a result of a call.
func (s *sharing) called(n *ast.CallExpr, number int, within []ast.Node) types.Object {
	if s.isConversion(n) {
		return s.shared(n.Args[0], within)
	}
	if name := s.builtin(n); name != "" {
		if name == "append" {
			return s.shared(n.Args[0], within)
		}
		return nil
	}
	for _, f := range s.targets(n) {
		if from := s.from[outcome{f, number}]; from != nil {
			return from
		}
	}
	f := s.callee(n)
	if f == nil || s.decls[f] != nil {
		return nil
	}
	// A function of the library may return what it was given.
	for _, arg := range n.Args {
		if from := s.shared(arg, within); from != nil {
			return from
		}
	}
	if x := s.receiver(n); x != nil {
		if from := s.received(n, x, within); from != nil {
			return from
		}
	}
	if types.IsInterface(s.typeOf(n)) {
		return s.from[contained(packageOf(f))]
	}
	return nil
}

func packageOf(o types.Object) string {
	if o.Pkg() == nil {
		return ""
	}
	return o.Pkg().Path()
}

// flow follows the values that a node moves.
func (s *sharing) flow(n ast.Node, within []ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		s.assign(n.Lhs, n.Rhs, within)
	case *ast.ValueSpec:
		if len(n.Values) > 0 {
			left := make([]ast.Expr, len(n.Names))
			for i := range n.Names {
				left[i] = n.Names[i]
			}
			s.assign(left, n.Values, within)
		}
	case *ast.RangeStmt:
		if n.Value != nil && s.refers(s.typeOf(n.Value)) {
			from := s.shared(n.X, within)
			if _, array := s.typeOf(n.X).Underlying().(*types.Array); from == nil && !array {
				from = s.from[s.memoryOf(s.typeOf(n.Value))]
			}
			s.store(n.Value, from)
		}
	case *ast.ReturnStmt:
		s.returned(n, within)
	case *ast.TypeSwitchStmt:
		s.typeSwitch(n, within)
	case *ast.CompositeLit:
		s.literal(n, within)
	case *ast.CallExpr:
		s.arguments(n, within)
	}
}

// link joins variables whose address was taken with the memory behind pointers
// of their type.
func (s *sharing) link() {
	for o := range s.taken {
		v := o.(*types.Var)
		if from := s.from[v]; from != nil && !s.whollyFresh(v) && s.refers(v.Type()) {
			s.add(s.memoryOf(v.Type()), from)
			if a, ok := v.Type().Underlying().(*types.Array); ok {
				s.add(s.memoryOf(a.Elem()), from)
			}
		}
	}
}

// assign follows values into what stands on the left.
func (s *sharing) assign(left, right []ast.Expr, within []ast.Node) {
	if len(left) == len(right) {
		for i := range left {
			s.store(left[i], s.shared(right[i], within))
		}
		return
	}
	// v, ok := …, or the results of a call
	for i := range left {
		if call, ok := ast.Unparen(right[0]).(*ast.CallExpr); ok {
			if t := s.typeOf(left[i]); isBlank(left[i]) || s.refers(t) {
				s.store(left[i], s.called(call, i, within))
			}
		} else if i == 0 {
			s.store(left[i], s.shared(right[0], within))
		}
	}
}

// store notes that a place holds a shared value.
func (s *sharing) store(to ast.Expr, from types.Object) {
	if from == nil {
		return
	}
	switch to := ast.Unparen(to).(type) {
	case *ast.Ident:
		if v, ok := s.info.ObjectOf(to).(*types.Var); ok && !isBlank(to) && s.refers(v.Type()) {
			s.add(v, from)
		}
	case *ast.SelectorExpr:
		if f, ok := s.info.Uses[to.Sel].(*types.Var); ok {
			s.add(f, from)
		}
	case *ast.IndexExpr:
		if _, array := s.typeOf(to.X).Underlying().(*types.Array); array {
			s.store(to.X, from)
			return
		}
		s.add(s.memoryOf(s.typeOf(to)), from)
	case *ast.StarExpr:
		s.add(s.memoryOf(s.typeOf(to)), from)
	}
}

func (s *sharing) returned(n *ast.ReturnStmt, within []ast.Node) {
	if len(within) == 0 {
		return
	}
	f := within[len(within)-1]
	results := resultsOf(f)
	switch {
	case len(n.Results) == 0 && results != nil:
		i := 0
		for _, field := range results.List {
			for _, name := range field.Names {
				s.add(outcome{f, i}, s.shared(name, within))
				i++
			}
		}
	case len(n.Results) == 1 && results.NumFields() > 1:
		if call, ok := ast.Unparen(n.Results[0]).(*ast.CallExpr); ok {
			for i := range results.NumFields() {
				s.add(outcome{f, i}, s.called(call, i, within))
			}
		}
	default:
		for i, e := range n.Results {
			s.add(outcome{f, i}, s.shared(e, within))
		}
	}
}

func resultsOf(f ast.Node) *ast.FieldList {
	switch f := f.(type) {
	case *ast.FuncDecl:
		return f.Type.Results
	case *ast.FuncLit:
		return f.Type.Results
	}
	return nil
}

func (s *sharing) typeSwitch(n *ast.TypeSwitchStmt, within []ast.Node) {
	assign, ok := n.Assign.(*ast.AssignStmt)
	if !ok {
		return
	}
	from := s.shared(ast.Unparen(assign.Rhs[0]).(*ast.TypeAssertExpr).X, within)
	for _, clause := range n.Body.List {
		if v := s.info.Implicits[clause]; v != nil && from != nil && s.refers(v.Type()) {
			s.add(v, from)
		}
	}
}

// literal follows the values in a composite literal; those of an array are its
// own value.
func (s *sharing) literal(n *ast.CompositeLit, within []ast.Node) {
	t := s.typeOf(n).Underlying()
	if p, ok := t.(*types.Pointer); ok { // &T left out
		t = p.Elem().Underlying()
	}
	for i, e := range n.Elts {
		var key ast.Expr
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			key, e = pair.Key, pair.Value
		}
		from := s.shared(e, within)
		switch t := t.(type) {
		case *types.Struct:
			field := t.Field(min(i, t.NumFields()-1))
			if name, ok := key.(*ast.Ident); ok {
				field, _ = s.info.Uses[name].(*types.Var)
			}
			if from != nil && field != nil {
				s.add(field, from)
			}
		case *types.Slice:
			s.add(s.memoryOf(t.Elem()), from)
		case *types.Map:
			s.add(s.memoryOf(t.Elem()), from)
			if key != nil {
				s.add(s.memoryOf(t.Key()), s.shared(key, within))
			}
		}
	}
}

// arguments follows the values that a call hands over.
func (s *sharing) arguments(n *ast.CallExpr, within []ast.Node) {
	if s.isConversion(n) {
		return
	}
	switch s.builtin(n) {
	case "append", "copy":
		slice, ok := s.typeOf(n.Args[0]).Underlying().(*types.Slice)
		if !ok || !s.refers(slice.Elem()) {
			return
		}
		for _, arg := range n.Args[1:] {
			s.add(s.memoryOf(slice.Elem()), s.shared(arg, within))
		}
		return
	case "":
	default:
		return
	}
	f := s.callee(n)
	if f != nil && s.decls[f] == nil {
		s.kept(f, n, within)
		return
	}
	for _, target := range s.targets(n) {
		if d, ok := target.(*ast.FuncDecl); ok && d.Recv != nil && len(d.Recv.List[0].Names) == 1 {
			if x := s.receiver(n); x != nil {
				if v := s.info.Defs[d.Recv.List[0].Names[0]]; v != nil && s.refers(v.Type()) {
					s.add(v, s.received(n, x, within))
				}
			}
		}
		s.handed(n, target, within)
	}
}

// handed follows arguments to the parameters of a function.
func (s *sharing) handed(n *ast.CallExpr, target ast.Node, within []ast.Node) {
	params := s.params(target)
	spread := len(n.Args) == 1 && len(params) > 1 // the results of a call
	for i, p := range params {
		if p == nil || !s.refers(p.Type()) {
			continue
		}
		last := i == len(params)-1 && s.variadic(target)
		switch {
		case spread:
			if call, ok := ast.Unparen(n.Args[0]).(*ast.CallExpr); ok {
				s.add(p, s.called(call, i, within))
			}
		case last && !n.Ellipsis.IsValid():
			elem := p.Type().Underlying().(*types.Slice).Elem()
			for _, arg := range n.Args[min(i, len(n.Args)):] {
				s.add(s.memoryOf(elem), s.shared(arg, within))
			}
		case i < len(n.Args):
			s.add(p, s.shared(n.Args[i], within))
		}
	}
}

// params returns the parameters of a function, nil for one without a name.
func (s *sharing) params(f ast.Node) []*types.Var {
	var list []*types.Var
	t := typeOfFunction(f)
	for _, field := range t.Params.List {
		for _, name := range field.Names {
			v, _ := s.info.Defs[name].(*types.Var)
			list = append(list, v)
		}
	}
	return list
}

func (s *sharing) variadic(f ast.Node) bool {
	list := typeOfFunction(f).Params.List
	if len(list) == 0 {
		return false
	}
	_, ok := list[len(list)-1].Type.(*ast.Ellipsis)
	return ok
}

func typeOfFunction(f ast.Node) *ast.FuncType {
	if d, ok := f.(*ast.FuncDecl); ok {
		return d.Type
	}
	return f.(*ast.FuncLit).Type
}

// kept follows values into the containers of the library, and to the methods of
// the script that package heap calls.
func (s *sharing) kept(f *types.Func, n *ast.CallExpr, within []ast.Node) {
	path := packageOf(f)
	if path != "container/list" && path != "container/ring" && path != "container/heap" {
		return
	}
	for _, arg := range n.Args {
		from := s.shared(arg, within)
		if from == nil {
			continue
		}
		if path != "container/heap" {
			s.add(contained(path), from)
			continue
		}
		for o, d := range s.decls {
			if o.Name() == "Push" && d.Recv != nil {
				for _, p := range s.params(d) {
					s.add(p, from)
				}
			}
		}
	}
	if path == "container/heap" {
		for o, d := range s.decls {
			if o.Name() == "Pop" && d.Recv != nil {
				s.add(contained(path), s.from[outcome{d, 0}])
			}
		}
	}
}
