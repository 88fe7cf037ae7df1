package player

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes coco the parent of processes that lose theirs below it.
// Otherwise they go to the system's first process, which in a container may
// take its time to bury them, and until then they count as alive.
func adoptOrphans() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// buryOrphans reaps the dead of a process group whose leader was reaped.
func buryOrphans(leader int) {
	for {
		if pid, err := syscall.Wait4(-leader, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
			return
		}
	}
}
