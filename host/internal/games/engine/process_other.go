//go:build unix && !linux

package engine

import "os"

// systemEnv returns the variables with a game's search path, which is that of the
// host, and its temporary folder.
func systemEnv(temporary string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temporary}
}

// lowerPriority does nothing.
func lowerPriority(int) {}
