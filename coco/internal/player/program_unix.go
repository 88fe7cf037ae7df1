//go:build unix

package player

import "syscall"

// groupAlive reports whether a group has members after its leader's exit.
func groupAlive(leader int) bool {
	reapOrphans(leader)
	return syscall.Kill(-leader, 0) == nil
}
