package engine

import (
	"fmt"
	"os"
)

// The path of a socket fits into 104 bytes with its final 0 on some systems
// (macOS; Linux takes 108), and go-plugin adds two names to that of our folder.
const maxFolderPath = 104 - 1 - len("/plugin-dir4294967295/plugin4294967295")

// socketFolder makes a private folder for the socket of one child. When the
// usual place has too long a name, as a child could not tell, it is in /tmp.
func socketFolder() (string, error) {
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		dir, err := os.MkdirTemp(parent, "colosseum-")
		if err != nil {
			return "", err
		}
		if len(dir) <= maxFolderPath {
			return dir, nil
		}
		_ = os.Remove(dir)
	}
	return "", fmt.Errorf("%s is too long a name for the folder of a socket: set TMPDIR to a shorter one", os.TempDir())
}
