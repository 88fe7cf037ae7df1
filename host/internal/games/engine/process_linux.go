package engine

import (
	"golang.org/x/sys/unix"

	"colosseum/host/internal/games/sandbox"
)

// systemEnv returns the variables with a game's search path and temporary folder.
func systemEnv(temporary string) []string {
	return []string{"PATH=" + sandbox.Path, "TMPDIR=" + temporary}
}

// lowerPriority makes the system prefer other processes to those of a group, with
// all their threads.
func lowerPriority(pid int) { _ = unix.Setpriority(unix.PRIO_PGRP, pid, 10) }
