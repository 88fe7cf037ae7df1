//go:build !windows

package locale

// system returns nothing: elsewhere the environment has the language.
func system() string { return "" }
