//go:build unix

package source

import "io/fs"

// exe is the end of the name of a program.
const exe = ""

// programs returns the names that a game's program can have in its folder.
func programs(folder string) []string { return []string{folder, "game"} }

func executable(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }
