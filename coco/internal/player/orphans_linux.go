package player

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
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

// reapStrays reaps the adopted processes that have exited outside of the groups of their
// programs. They would stay zombies as long as coco runs.
func (ps *programs) reapStrays() {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // proc(5): ID (NAME) STATE PARENT ...
	for _, file := range files {
		text, _ := os.ReadFile(file) // fails if the process is gone
		var id, parent int
		var state string
		fmt.Sscan(string(text), &id)
		fmt.Sscan(string(text[bytes.LastIndexByte(text, ')')+1:]), &state, &parent)
		if state == "Z" && parent == os.Getpid() && !ps.ids[id] {
			syscall.Wait4(id, nil, syscall.WNOHANG, nil)
		}
	}
}
