package sqlite

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// lowerPriority gives the calling goroutine a thread of its own with the lowest
// priority, also for the use of the disk. The thread ends with the goroutine.
func lowerPriority() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 19) // on Linux 0 is the thread
}
