package colosseum

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"

	"colosseum/internal/test/long"
)

// TestEverythingCompilesOnOtherSystems checks types only: compiling for a system takes
// more than two minutes of CPU time, because all libraries are compiled as well.
func TestEverythingCompilesOnOtherSystems(t *testing.T) {
	long.Only(t, "it checks the types of all packages for three systems")
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	// Most files are those of all systems: each is parsed once.
	files := token.NewFileSet()
	var parsed sync.Map // *ast.File by path
	parse := func(files *token.FileSet, path string, text []byte) (*ast.File, error) {
		if file, ok := parsed.Load(path); ok {
			return file.(*ast.File), nil
		}
		file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		if err != nil {
			return file, err
		}
		if !strings.HasPrefix(path, root) {
			withoutBodies(file) // the libraries compile
		}
		parsed.Store(path, file)
		return file, nil
	}
	for _, system := range []string{"windows/amd64", "darwin/arm64", "freebsd/amd64"} {
		t.Run(system, func(t *testing.T) {
			name, processor, _ := strings.Cut(system, "/")
			cfg := packages.Config{
				// Only errors are looked at, not what the type checker can say of each expression.
				Mode:      packages.LoadAllSyntax &^ packages.NeedTypesInfo,
				Env:       append(os.Environ(), "GOOS="+name, "GOARCH="+processor, "CGO_ENABLED=0"),
				Tests:     true,
				Fset:      files,
				ParseFile: parse,
			}
			loaded, err := packages.Load(&cfg, "./...")
			if err != nil {
				t.Fatal(err)
			}
			if len(loaded) < 100 {
				t.Errorf("got %d packages, want at least 100", len(loaded))
			}
			for _, p := range loaded {
				if strings.HasSuffix(p.ID, ".test") {
					continue // the go command has written it
				}
				for _, err := range p.Errors {
					t.Errorf("%s: %v", p.ID, err)
				}
			}
		})
	}
}

// withoutBodies removes the bodies of functions, and the elements of tables whose type does not
// depend on them.
func withoutBodies(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			d.Body = nil
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				variables, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for _, value := range variables.Values {
					if table, ok := value.(*ast.CompositeLit); ok && sized(table.Type) {
						table.Elts = nil
					}
				}
			}
		}
	}
}

// sized reports whether the type of a table does not depend on its elements, as that of
// [...]int{1, 2} does.
func sized(typ ast.Expr) bool {
	array, ok := typ.(*ast.ArrayType)
	if !ok {
		return true
	}
	_, open := array.Len.(*ast.Ellipsis)
	return !open
}
