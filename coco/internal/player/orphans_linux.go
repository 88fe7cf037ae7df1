package player

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes coco the parent of its descendants whose parent exits.
// Otherwise that is the system's first process, which in a container may reap
// them late or never, and until then they count as alive.
func adoptOrphans() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// reapOrphans reaps the exited members of a process group whose leader was
// reaped.
func reapOrphans(leader int) {
	for {
		if pid, err := syscall.Wait4(-leader, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
			return
		}
	}
}
