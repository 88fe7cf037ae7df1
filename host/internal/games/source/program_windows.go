package source

import (
	"io/fs"
	"os"
)

// exe is the end of the name of a program.
const exe = ".exe"

// programs returns the names that a game's program can have in its folder. A batch
// file can start an interpreter.
func programs(folder string) []string {
	return []string{folder + exe, "game" + exe, folder + ".bat", "game.bat"}
}

// executable returns true: on Windows the name decides.
func executable(fs.FileInfo) bool { return true }

// Private is described for Unix. Folders of a user inherit their rights.
func Private(folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && info.IsDir()
}
