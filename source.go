// Package colosseum has the source of the SDK, so that a host can compile games
// on machines that do not have the source tree.
package colosseum

import (
	"embed"
	"io/fs"
	"strings"
)

// What a game is compiled from, besides its own folder. Games import sdk and
// sdk/plugin, which import the others.
//
//go:embed go.mod go.sum sdk/*.go sdk/driver/*.go sdk/plugin/*.go sdk/wire/*.go
var files embed.FS

// SDK returns the content of the files from which the packages of the SDK for games
// are compiled, by their path in the module: its go.mod and go.sum, and Go files
// without tests.
func SDK() map[string][]byte {
	content := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		content[name], err = files.ReadFile(name)
		return err
	})
	if err != nil {
		panic(err) // embedded files can be read
	}
	return content
}
