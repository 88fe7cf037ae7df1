package script

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"colosseum/sdk/script/symbols"
)

// checkTypes runs Go's type checker. Its messages are the compiler's.
func (s *source) checkTypes() []Problem {
	library, err := library()
	if err != nil {
		return []Problem{{Text: err.Error()}}
	}
	var found mistakes
	config := types.Config{
		GoVersion: symbols.Language,
		Importer:  importer(library),
		Sizes:     types.SizesFor("gc", "amd64"),
		Error: func(err error) {
			e := err.(types.Error) // as types.Config promises
			found.add(s.fset.Position(e.Pos), e.Msg, e.Soft)
		},
	}
	s.info = types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
	}
	s.pkg, _ = config.Check("main", s.fset, s.files, &s.info) // its error is the first that Error got
	if len(found) == 0 && s.pkg.Scope().Lookup("main") == nil {
		return []Problem{{Text: "there is no func main() { plugin.Serve(game) }"}}
	}
	return found.causes()
}

// mistakes are what the type checker has found, in its order.
type mistakes []mistake

type mistake struct {
	Problem
	soft bool // a name that is not used: the checker goes on as if nothing were
}

// add notes a mistake. Text that begins with a tab belongs to the one before.
func (m *mistakes) add(at token.Position, text string, soft bool) {
	if more, ok := strings.CutPrefix(text, "\t"); ok && len(*m) > 0 {
		last := &(*m)[len(*m)-1]
		last.Text += fmt.Sprintf("; %s at %s:%d", more, filepath.Base(at.Filename), at.Line)
		return
	}
	*m = append(*m, mistake{Problem{at.Filename, at.Line, at.Column, text}, soft})
}

// causes leaves out what follows from another mistake: each further use of a
// name that is undefined, and in a file with other mistakes, names that are not
// used, for what is wrong there may use them.
func (m mistakes) causes() []Problem {
	slices.SortStableFunc(m, func(a, b mistake) int { return inOrder(a.Problem, b.Problem) })
	wrong := map[string]bool{} // files
	for _, one := range m {
		if !one.soft {
			wrong[one.File] = true
		}
	}
	var problems []Problem
	told := map[string]bool{}
	for _, one := range m {
		undefined := strings.Contains(one.Text, "undefined")
		if one.soft && wrong[one.File] || undefined && told[one.Text] {
			continue
		}
		told[one.Text] = true
		problems = append(problems, one.Problem)
	}
	return problems
}

// library holds the types of the packages that a script may import. They do not
// change, and so one set serves all.
var library = sync.OnceValues(func() (map[string]*types.Package, error) {
	packages, err := symbols.Types(token.NewFileSet())
	if err != nil {
		return nil, err
	}
	packages[pluginPath] = servePackage(packages[symbols.SDK])
	return packages, nil
})

// servePackage is what package plugin is to a script.
func servePackage(sdk *types.Package) *types.Package {
	p := types.NewPackage(pluginPath, "plugin")
	game := types.NewParam(token.NoPos, p, "game", sdk.Scope().Lookup("Game").Type())
	p.Scope().Insert(types.NewFunc(token.NoPos, p, "Serve", types.NewSignatureType(nil, nil, nil, types.NewTuple(game), nil, false)))
	p.MarkComplete()
	return p
}

type importer map[string]*types.Package

func (i importer) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil && p.Complete() {
		return p, nil
	}
	return nil, fmt.Errorf("there is no package %q for scripts", path) // checkFiles has refused it
}
