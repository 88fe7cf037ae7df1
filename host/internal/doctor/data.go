package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// privateFiles names what the host keeps in the data folder and makes for its own
// user alone.
var privateFiles = []string{"colosseum.db", "colosseum.db-wal", "colosseum.db-shm", "verification_password"}

// Exposed returns what in a data folder other users can get at, and what to do
// about it; empty: nothing. A group that may read is left alone: the host gives
// it no rights, so somebody did, perhaps for backups.
func Exposed(folder string) (problem, remedy string) {
	info, err := os.Stat(folder)
	if err != nil {
		return "", "" // it is not there yet
	}
	mode := info.Mode().Perm()
	if mode&0o022 != 0 {
		return fmt.Sprintf("others may make and remove files in it (mode %04o)", mode), "chmod go-w,o-rwx " + folder
	}
	if mode&0o001 == 0 {
		return "", "" // only those with rights of the owner or the group get in
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

// dataFolder checks that others can't read what is in the data folder.
func dataFolder(folder string) Finding {
	const what = "files in the data folder"
	if problem, remedy := Exposed(folder); problem != "" {
		return warn(what, problem, remedy)
	}
	return ok(what, "they are private")
}
