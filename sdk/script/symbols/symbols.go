// Package symbols holds what a script may import: the compiled functions,
// types and values for the interpreter, and their types for the checker. All
// but this file is generated; to change it, change Packages and run
// go generate.
package symbols

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"reflect"

	"golang.org/x/tools/go/gcexportdata"
)

//go:generate go test -run TestTablesAreThoseOfTheLibrary -update .

// Language is the Go version that scripts and compiled games have in common:
// what the interpreter knows of the language, and which part of the standard
// library it may use.
const Language = "go1.21"

// SDK is the import path of the interface for authors.
const SDK = "colosseum/sdk"

// Package is one that a script may import.
type Package struct {
	Path   string
	Except string // regular expression of names that it may not use; empty: none
}

// Packages is the list. On it is what computes and nothing else: no package
// that knows the time, draws at random, talks to the world or to other
// goroutines, reflects, or consists of generic functions, which the interpreter
// does not have. (Title is deprecated.)
var Packages = []Package{
	{Path: "bufio"},
	{Path: "bytes", Except: "^Title$"},
	{Path: SDK},
	{Path: "container/heap"},
	{Path: "container/list"},
	{Path: "container/ring"},
	{Path: "encoding/hex"},
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

// Symbols is the table for the interpreter: values by name, by the import path
// followed by the name of the package. The generated files fill it.
var Symbols = map[string]map[string]reflect.Value{}

//go:embed types.gz
var exported []byte

// Types returns the packages for a type checker, by import path, and with them
// those that they mention. Each call returns new ones.
func Types(fset *token.FileSet) (map[string]*types.Package, error) {
	packed, err := gzip.NewReader(bytes.NewReader(exported))
	if err != nil {
		return nil, fmt.Errorf("read the types of the library: %w", err)
	}
	data, err := io.ReadAll(packed)
	if err != nil {
		return nil, fmt.Errorf("read the types of the library: %w", err)
	}
	imports := map[string]*types.Package{}
	if _, err := gcexportdata.ReadBundle(bytes.NewReader(data), fset, imports); err != nil {
		return nil, fmt.Errorf("read the types of the library: %w", err)
	}
	return imports, nil
}
