package doctor

import (
	"errors"
	"math"

	"golang.org/x/sys/windows"
)

// maxSocketPath is the longest path of a folder for sockets. go-plugin creates one,
// although games use TCP ports.
const maxSocketPath = windows.MAX_PATH - 1

// hasModes means that a file's mode says which users can open it. Windows has lists of
// users instead.
const hasModes = false

// freeSpace returns how many bytes this user can write to the disk of a folder.
func freeSpace(folder string) (free uint64, err error) {
	path, err := windows.UTF16PtrFromString(folder)
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
	}
	return free, err
}

// dataLimit returns the greatest number: there is no such limit.
func dataLimit() (uint64, error) { return math.MaxUint64, nil }

// Files returns the greatest number: there is no such limit.
func Files() int { return math.MaxInt32 }

// inUse reports whether another process listens at an address.
func inUse(err error) bool { return errors.Is(err, windows.WSAEADDRINUSE) }
