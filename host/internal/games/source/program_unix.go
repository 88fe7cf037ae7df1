//go:build unix

package source

import (
	"io/fs"
	"os"
	"syscall"
)

// exe is the end of the name of a program.
const exe = ""

// programs returns the names that a game's program can have in its folder.
func programs(folder string) []string { return []string{folder, "game"} }

func executable(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }

// Private reports whether only this user can change the files in a folder.
func Private(folder string) bool {
	info, err := os.Stat(folder)
	if err != nil {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().Perm()&0o022 == 0 && int(owner.Uid) == os.Geteuid()
}
