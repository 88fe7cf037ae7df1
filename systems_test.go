package colosseum

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
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
	for _, system := range []string{"windows/amd64", "darwin/arm64", "freebsd/amd64"} {
		t.Run(system, func(t *testing.T) {
			name, processor, _ := strings.Cut(system, "/")
			cfg := packages.Config{
				Mode:  packages.LoadAllSyntax,
				Env:   append(os.Environ(), "GOOS="+name, "GOARCH="+processor, "CGO_ENABLED=0"),
				Tests: true,
				ParseFile: func(files *token.FileSet, file string, text []byte) (*ast.File, error) {
					parsed, err := parser.ParseFile(files, file, text, parser.SkipObjectResolution)
					if parsed != nil && !strings.HasPrefix(file, root) {
						withoutBodies(parsed) // the libraries compile
					}
					return parsed, err
				},
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

func withoutBodies(f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
}
