package sandbox

import (
	"path/filepath"
	"slices"
)

// RealPath returns the absolute path without links.
func RealPath(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// Within reports whether a path is one of the folders or below it. All are absolute
// and without links.
func Within(path string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		rel, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(rel)
	})
}
