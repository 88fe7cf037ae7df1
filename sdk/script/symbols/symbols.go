// Package symbols has the packages that a script can import: compiled functions,
// types and values for the interpreter, and their types for the type checker. All
// files except this one and the test are generated; to change them, change
// Packages and run go generate.
package symbols

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
)

//go:generate go test -run TestGeneratedFilesAreCurrent -update .

// Language is the version of Go for scripts and compiled games: of the language,
// because the interpreter knows no newer one, and of the standard library.
const Language = "go1.21"

// Import paths of the packages for authors.
const (
	SDK    = "colosseum/sdk"
	Plugin = SDK + "/plugin" // scripts see only its function Serve
)

// Package is a package that a script can import.
type Package struct {
	Path   string
	Except string // regular expression of names that are left out; empty: none
}

// Packages lists all packages that a script can import, except Plugin. They only compute: none reads a clock,
// draws random numbers, does input or output, communicates with goroutines,
// uses reflection, or consists of generic functions, which the interpreter does not
// support. (Title is deprecated.)
var Packages = []Package{
	{Path: "bufio"},
	{Path: "bytes", Except: "^Title$"},
	{Path: SDK},
	{Path: "container/heap"},
	{Path: "container/list"},
	{Path: "container/ring"},
	{Path: "encoding/hex"},
	{Path: "encoding/json", Except: "^(Unm|M)arshaler$|Token$|FieldError$|UTF8Error$"}, // a script's types cannot implement the interfaces
	{Path: "errors", Except: "^As$"}, // needs the methods of script types
	{Path: "fmt", Except: "^(Print|Scan)"},
	{Path: "hash/crc32"},
	{Path: "hash/fnv"},
	{Path: "io", Except: "^Pipe"},
	{Path: "math"},
	{Path: "math/big"},
	{Path: "math/bits"},
	{Path: "regexp"},
	{Path: "sort"},
	{Path: "strconv"},
	{Path: "strings", Except: "^Title$"},
	{Path: "text/tabwriter"},
	{Path: "unicode"},
	{Path: "unicode/utf8"},
}

// Symbols has the values for the interpreter, by "path/name" of the package and
// then by name. The generated files fill it.
var Symbols = map[string]map[string]reflect.Value{}

//go:embed types.zip
var exported []byte

// Types reads the types of the packages, and of those that they mention.
type Types struct {
	mu       sync.Mutex // guards the fields below
	files    *zip.Reader
	packages map[string]*types.Package // by import path; those that are only mentioned are not complete
}

// Import implements types.Importer. It reads a package at its first call, because all of
// them take longer than the other steps of a small script together.
func (t *Types) Import(path string) (*types.Package, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.packages[path]; p != nil && p.Complete() {
		return p, nil
	}
	p, err := t.read(path)
	if err != nil {
		return nil, fmt.Errorf("read the types of %s: %w", path, err)
	}
	return p, nil
}

func (t *Types) read(path string) (*types.Package, error) {
	if t.files == nil {
		files, err := zip.NewReader(bytes.NewReader(exported), int64(len(exported)))
		if err != nil {
			return nil, err
		}
		t.files, t.packages = files, map[string]*types.Package{}
	}
	file, err := t.files.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return gcexportdata.Read(file, token.NewFileSet(), t.packages, path)
}
