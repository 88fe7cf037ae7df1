//go:build unix

package doctor

import (
	"errors"
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxSocketPath is the longest path of a socket in bytes, from unix(7): Linux has
// 108 with the zero at the end, other systems have 104.
const maxSocketPath = 103

// hasModes means that a file's mode says which users can open it.
const hasModes = true

// freeSpace returns how many bytes this user can write to the disk of a folder.
func freeSpace(folder string) (uint64, error) {
	var s unix.Statfs_t
	err := unix.Statfs(folder, &s)
	return uint64(s.Bavail) * uint64(s.Bsize), err
}

// dataLimit returns how many bytes of data a child process can have.
func dataLimit() (uint64, error) {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_DATA, &limit)
	return uint64(limit.Max), err
}

// Files returns how many files this process can have open at the same time.
func Files() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxInt32
	}
	return int(min(uint64(limit.Max), math.MaxInt32)) // Go raises the soft limit to the hard one
}

// inUse reports whether another process listens at an address.
func inUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
