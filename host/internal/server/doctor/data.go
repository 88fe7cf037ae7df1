package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// privateFiles are the files in the data folder that the host creates for its own
// user only.
var privateFiles = []string{"colosseum.db", "colosseum.db-wal", "colosseum.db-shm", "verification_password"}

// Exposed describes what other users can read or change in a data folder, and
// returns the command that prevents it; both are empty if there is nothing. It
// accepts a group that can read: the host gives groups no rights, so an operator did.
// On Windows it finds nothing.
func Exposed(folder string) (problem, remedy string) {
	info, err := os.Stat(folder)
	if err != nil || !hasModes {
		return "", "" // not made yet
	}
	mode := info.Mode().Perm()
	if mode&0o022 != 0 {
		return fmt.Sprintf("others can create and remove files in it (mode %04o)", mode), "chmod go-w,o-rwx " + folder
	}
	if mode&0o001 == 0 {
		return "", "" // only the owner and the group can open files in it
	}
	var open []string
	for _, name := range privateFiles {
		if info, err := os.Stat(filepath.Join(folder, name)); err == nil && info.Mode().Perm()&0o006 != 0 {
			open = append(open, fmt.Sprintf("%s (mode %04o)", name, info.Mode().Perm()))
		}
	}
	if len(open) == 0 {
		return "", ""
	}
	return "others can read " + strings.Join(open, ", "), "chmod o-rwx " + folder
}

// dataFolder checks that other users can't read the files in the data folder.
func dataFolder(folder string) Finding {
	const what = "files in the data folder"
	if problem, remedy := Exposed(folder); problem != "" {
		return warn(what, problem, remedy)
	}
	if !hasModes {
		return ok(what, "which users can read them is not examined on this system")
	}
	return ok(what, "they are private")
}
