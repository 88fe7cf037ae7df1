package colosseum

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// locked lists the packages in which names tell which methods need a lock. The table of
// locks is in docs/architecture.md.
var locked = []string{
	"host/internal/play/*", "host/internal/contests/*", "host/internal/submissions/*", "host/internal/games/*", "host/internal/records/*", "host/internal/base/*", "host/internal/server",
	"host/internal/cluster", "host/internal/cluster/*", "host/internal/clients/*",
	"coco/internal/*",
}

// unlocked lists the methods and functions that use what a lock guards without it, and why.
var unlocked = map[string]string{
	"serving.New":                 "nobody else knows the desk yet",
	"serving.NewInCluster":        "nobody else knows the desk yet",
	"catalog.Catalog.Reconfigure": "update calls its function with mu held",
	"catalog.Catalog.withdraw":    "update calls its function with mu held",
	"catalog.version.describe":    "nobody else knows the version yet",
	"players.newPerHour":          "nobody else knows it yet",
	"contest.NewRatings":          "nobody else knows them yet",
	"rating.Book.foldLocked":      "it needs fits, and locks mu after that",
	"seat.Seat.reportLocked":      "it needs changing, and locks mu after that",
	"cluster.listings.init":       "nobody else knows them yet",
}

// TestNamesTellWhichMethodsNeedALock checks names, not types, so that it is quick and
// simple:
//   - A function that calls a method whose name ends in Locked has locked a mutex before,
//     or its own name ends in Locked. A function literal that runs later locks by itself.
//   - A method that uses a field below a mutex that "guards the fields below" locks that
//     mutex, or its name ends in Locked.
//   - A method whose name ends in Locked does not lock a mutex of its receiver, and calls
//     no method of its receiver that does.
func TestNamesTellWhichMethodsNeedALock(t *testing.T) {
	used := map[string]bool{}
	for _, pattern := range locked {
		dirs, err := filepath.Glob(pattern)
		if err != nil || len(dirs) == 0 {
			t.Fatalf("found no package %s: %v", pattern, err)
		}
		for _, dir := range dirs {
			for _, f := range faults(t, dir) {
				if _, known := unlocked[f.function]; known {
					used[f.function] = true
					continue
				}
				t.Error(f)
			}
		}
	}
	for _, function := range slices.Sorted(maps.Keys(unlocked)) {
		if !used[function] {
			t.Errorf("%s follows the rules, want it not to be listed in unlocked", function)
		}
	}
}

// lockFault is a function that breaks a rule of TestNamesTellWhichMethodsNeedALock.
type lockFault struct {
	function string // as in unlocked
	at       token.Position
	rule     string
}

func (f lockFault) String() string { return fmt.Sprintf("%v: %s %s", f.at, f.function, f.rule) }

// lockedPackage is what the rules need to know of a package.
type lockedPackage struct {
	dir   string
	files *token.FileSet
	guard map[string]map[string]string // by type and field: the mutex that guards it
	locks map[string][]string          // by type and method, "Match.Line": the mutexes of the receiver that it locks
	found []lockFault
}

func faults(t *testing.T, dir string) []lockFault {
	t.Helper()
	p := &lockedPackage{dir: filepath.Base(dir), files: token.NewFileSet(), guard: map[string]map[string]string{}, locks: map[string][]string{}}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var functions []*ast.FuncDecl
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(p.files, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				functions = append(functions, d)
			case *ast.GenDecl:
				p.addTypes(d)
			}
		}
	}
	for _, f := range functions {
		if typ, receiver := receiverOf(f); receiver != "" {
			p.locks[typ+"."+f.Name.Name] = lockedBy(f.Body, receiver)
		}
	}
	for _, f := range functions {
		p.check(f)
	}
	return p.found
}

// addTypes notes which fields of structs a mutex guards: those below it, up to the next one.
func (p *lockedPackage) addTypes(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		s, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		typ, ok := s.Type.(*ast.StructType)
		if !ok {
			continue
		}
		fields, mutex := map[string]string{}, ""
		for _, f := range typ.Fields.List {
			if name, ok := f.Type.(*ast.SelectorExpr); ok && len(f.Names) == 1 && strings.HasSuffix(name.Sel.Name, "Mutex") {
				if mutex = ""; strings.Contains(f.Comment.Text(), "guards the field") {
					mutex = f.Names[0].Name
				}
				continue
			}
			for _, n := range f.Names {
				if mutex != "" {
					fields[n.Name] = mutex
				}
			}
		}
		p.guard[s.Name.Name] = fields
	}
}

// check checks one function.
func (p *lockedPackage) check(f *ast.FuncDecl) {
	typ, receiver := receiverOf(f)
	name := p.dir + "." + f.Name.Name
	if typ != "" {
		name = p.dir + "." + typ + "." + f.Name.Name
	}
	fault := func(at token.Pos, rule string, args ...any) {
		p.found = append(p.found, lockFault{name, p.files.Position(at), fmt.Sprintf(rule, args...)})
	}
	needs := strings.HasSuffix(f.Name.Name, "Locked")
	own := append(lockedBy(f.Body, receiver), literalsLock(f.Body, receiver)...)
	if needs {
		for _, mutex := range lockedBy(f.Body, receiver) {
			fault(f.Pos(), "locks %s", mutex)
		}
	}
	var visit func(body ast.Node, has, inLiteral bool)
	visit = func(body ast.Node, has, inLiteral bool) {
		later := laterCalls(body)
		ast.Inspect(body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				visit(n.Body, has && !later[n], true)
				return false
			case *ast.GoStmt:
				if _, literal := n.Call.Fun.(*ast.FuncLit); !literal {
					return false
				}
			case *ast.CallExpr:
				callee, ok := n.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				switch name := callee.Sel.Name; {
				case name == "Lock":
					has = true
				case strings.HasSuffix(name, "Locked") && !has:
					fault(n.Pos(), "calls %s without a lock", name)
				case needs && !inLiteral && isName(callee.X, receiver) && len(p.locks[typ+"."+name]) > 0:
					fault(n.Pos(), "calls %s, which locks again", name)
				}
			case *ast.SelectorExpr:
				if mutex := p.guard[typ][n.Sel.Name]; !needs && mutex != "" && isName(n.X, receiver) && !slices.Contains(own, mutex) {
					fault(n.Pos(), "uses %s without %s", n.Sel.Name, mutex)
				}
			}
			return true
		})
	}
	if f.Body != nil {
		visit(f.Body, needs, false)
	}
}

// isName reports whether an expression is a name, which is not empty.
func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && name != "" && id.Name == name
}

// receiverOf returns the type and the name of the receiver of a method.
func receiverOf(f *ast.FuncDecl) (typ, name string) {
	if f.Recv == nil {
		return "", ""
	}
	r := f.Recv.List[0]
	expr := r.Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	if id, ok := expr.(*ast.Ident); ok {
		typ = id.Name
	}
	if len(r.Names) == 1 {
		name = r.Names[0].Name
	}
	return typ, name
}

// lockedBy returns the mutexes of a receiver that a function locks, outside of function
// literals.
func lockedBy(body *ast.BlockStmt, receiver string) (mutexes []string) {
	if body == nil {
		return nil
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Lock" {
				if mutex, ok := f.X.(*ast.SelectorExpr); ok && isName(mutex.X, receiver) {
					mutexes = append(mutexes, mutex.Sel.Name)
				}
			}
		}
		return true
	})
	return mutexes
}

// literalsLock returns the mutexes of a receiver that the function literals of a function
// lock.
func literalsLock(body *ast.BlockStmt, receiver string) (mutexes []string) {
	if body == nil {
		return nil
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok {
			mutexes = append(mutexes, lockedBy(f.Body, receiver)...)
		}
		return true
	})
	return mutexes
}

// laterCalls returns the function literals that run later or on another goroutine: those of
// go statements, and those that go to AfterFunc or to a method Go.
func laterCalls(body ast.Node) map[*ast.FuncLit]bool {
	later := map[*ast.FuncLit]bool{}
	note := func(e ast.Expr) {
		if f, ok := e.(*ast.FuncLit); ok {
			later[f] = true
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			note(n.Call.Fun)
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "AfterFunc" || f.Sel.Name == "Go") {
				for _, arg := range n.Args {
					note(arg)
				}
			}
		}
		return true
	})
	return later
}
