package script

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sync"

	"colosseum/sdk/script/symbols"
)

// checkTypes runs Go's type checker. Its messages are the compiler's.
func (s *source) checkTypes() []Problem {
	library, err := library()
	if err != nil {
		return []Problem{{Text: err.Error()}}
	}
	var c complaints
	config := types.Config{
		GoVersion: symbols.Language,
		Importer:  importer(library),
		Sizes:     types.SizesFor("gc", "amd64"),
		Error: func(err error) {
			e := err.(types.Error) // as types.Config promises
			p := s.fset.Position(e.Pos)
			c = append(c, Problem{p.Filename, p.Line, p.Column, e.Msg})
		},
	}
	s.info = types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
	}
	s.pkg, _ = config.Check("main", s.fset, s.files, &s.info) // its error is the first that Error got
	if len(c) == 0 && s.pkg.Scope().Lookup("main") == nil {
		return []Problem{{Text: "there is no func main() { plugin.Serve(game) }"}}
	}
	return c
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
