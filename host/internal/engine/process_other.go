//go:build unix && !linux

package engine

import "os"

// systemEnv returns where a game finds programs, which is where the host does, and has
// its temporary folder.
func systemEnv(temporary string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temporary}
}

// lowerPriority does nothing.
func lowerPriority(int) {}
