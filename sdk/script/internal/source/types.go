package source

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
func (s *Source) checkTypes() []Problem {
	generics, err := genericTypes()
	if err != nil {
		return []Problem{{Text: err.Error()}}
	}
	var found mistakes
	config := types.Config{
		GoVersion: symbols.Language,
		Importer:  importer{generics},
		Sizes:     types.SizesFor("gc", "amd64"),
		Error: func(err error) {
			e := err.(types.Error) // as types.Config promises
			found.add(s.Position(e.Pos), withHint(e.Msg), e.Soft)
		},
	}
	s.Info = types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{},
	}
	s.Pkg, _ = config.Check("main", s.Fset, s.Files, &s.Info) // config.Error has received the error
	if len(found) == 0 && s.Pkg.Scope().Lookup("main") == nil {
		return []Problem{{Text: "func main is missing: write func main() { plugin.Serve(game) }"}}
	}
	return found.causes()
}

// mistakes are the errors of the type checker, in its order.
type mistakes []mistake

type mistake struct {
	Problem
	soft bool // a name that is not used
}

// add appends a mistake. Text that begins with a tab continues the one before.
func (m *mistakes) add(at token.Position, text string, soft bool) {
	if more, ok := strings.CutPrefix(text, "\t"); ok && len(*m) > 0 {
		last := &(*m)[len(*m)-1]
		last.Text += fmt.Sprintf("; %s at %s:%d", more, filepath.Base(at.Filename), at.Line)
		return
	}
	*m = append(*m, mistake{Problem{at.Filename, at.Line, at.Column, text}, soft})
}

// causes leaves out mistakes that follow from others: an undefined name is
// reported once, and names that are not used only in files without other
// mistakes, because the wrong code might use them.
func (m mistakes) causes() []Problem {
	slices.SortStableFunc(m, func(a, b mistake) int { return Compare(a.Problem, b.Problem) })
	wrong := map[string]bool{} // files
	for _, one := range m {
		if !one.soft {
			wrong[one.File] = true
		}
	}
	var problems []Problem
	reported := map[string]bool{}
	for _, one := range m {
		undefined := strings.Contains(one.Text, "undefined")
		if one.soft && wrong[one.File] || undefined && reported[one.Text] {
			continue
		}
		reported[one.Text] = true
		problems = append(problems, one.Problem)
	}
	return problems
}

// library has the types of the packages that a script can import, except plugin. They do
// not change, and all scripts share them.
var library symbols.Types

var plugin = sync.OnceValues(func() (*types.Package, error) {
	sdk, err := library.Import(symbols.SDK)
	if err != nil {
		return nil, err
	}
	return servePackage(sdk), nil
})

// servePackage returns package plugin as scripts see it, with Serve alone.
func servePackage(sdk *types.Package) *types.Package {
	p := types.NewPackage(symbols.Plugin, "plugin")
	game := types.NewParam(token.NoPos, p, "game", sdk.Scope().Lookup("Game").Type())
	p.Scope().Insert(types.NewFunc(token.NoPos, p, "Serve", types.NewSignatureType(nil, nil, nil, types.NewTuple(game), nil, false)))
	p.MarkComplete()
	return p
}

// importer imports packages of generic functions, plugin, and others of the library.
type importer struct{ generics packages }

func (i importer) Import(path string) (*types.Package, error) {
	switch {
	case path == symbols.Plugin:
		return plugin()
	case i.generics[path] != nil:
		return i.generics[path], nil
	default:
		return library.Import(path)
	}
}

// packages imports those of its own.
type packages map[string]*types.Package

func (p packages) Import(path string) (*types.Package, error) {
	if p := p[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no package %q", path)
}
