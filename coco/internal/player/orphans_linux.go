package player

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes coco the new parent of descendants when their parent exits.
// Otherwise that is process 1, which in a container can reap them late or never;
// until then they count as alive.
func adoptOrphans() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// reapOrphans reaps the exited members of a process group. Its leader must have been
// reaped.
func reapOrphans(leader int) {
	for {
		if pid, err := syscall.Wait4(-leader, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
			return
		}
	}
}
