package store

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// lowerPriority gives the calling goroutine a thread of its own with the lowest
// priority, which also counts for its use of the disk. The thread ends with the
// goroutine.
func lowerPriority() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 19) // on Linux 0 is the thread
}
