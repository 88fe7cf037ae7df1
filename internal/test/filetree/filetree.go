// Package filetree creates and lists folders in tests.
package filetree

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// New writes files, by their paths, into a temporary folder and returns it. A path
// that ends in * is that of an executable file.
func New(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, tree := t.TempDir(), fstest.MapFS{}
	for path, text := range files {
		path, executable := strings.CutSuffix(path, "*")
		tree[path] = &fstest.MapFile{Data: []byte(text)}
		if executable {
			tree[path].Mode = 0o111
		}
	}
	if err := os.CopyFS(dir, tree); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Made ends a test if err is not nil. It skips the test if the system has no such
// files (errors.ErrUnsupported).
func Made(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Names returns what a folder holds, sorted.
func Names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
