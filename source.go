// Package colosseum has the source of the SDK, so that a host can compile games
// on machines that do not have the source tree, and the languages of programs that are
// handed in.
package colosseum

import (
	"embed"
	"io/fs"
	"strings"
)

// What a game is compiled from, besides its own folder. Games import sdk and
// sdk/plugin, which import the others.
//
//go:embed go.mod go.sum sdk/sdk.mod sdk/*.go sdk/driver/*.go sdk/plugin/*.go sdk/wire/*.go sdk/wire/pb/*.go
var files embed.FS

//go:embed configs/languages/*.yaml
var languages embed.FS

// Languages returns the files that describe languages, in the top folder.
func Languages() fs.FS {
	folder, err := fs.Sub(languages, "configs/languages")
	if err != nil {
		panic(err) // the path is valid
	}
	return folder
}

// SDK returns the content of the files from which the packages of the SDK for games
// are compiled, by their path in their module: go.mod, go.sum, and Go files without
// tests. The go.mod is sdk/sdk.mod, which requires only what they need.
func SDK() map[string][]byte {
	content := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(name, "_test.go") || name == "go.mod" {
			return err
		}
		content[strings.Replace(name, "sdk/sdk.mod", "go.mod", 1)] = read(name)
		return nil
	})
	if err != nil {
		panic(err) // embedded files can be read
	}
	return content
}

// Module returns the go.mod of Colosseum, with the libraries of all its parts.
func Module() []byte { return read("go.mod") }

func read(name string) []byte {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // embedded files can be read
	}
	return content
}
