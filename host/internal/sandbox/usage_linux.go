package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Measure returns what a process uses. With group set, it returns the threads of all
// processes of the group that it leads, and the memory of the largest one.
func Measure(pid int, group bool) (all Usage) {
	if !group {
		u, _ := measure(fmt.Sprintf("/proc/%d/status", pid))
		return u
	}
	files, _ := filepath.Glob("/proc/[0-9]*/status") // the pattern is well formed
	for _, path := range files {
		if u, of := measure(path); of == pid {
			all.Threads += u.Threads
			all.Memory = max(all.Memory, u.Memory)
		}
	}
	return all
}

// measure reads the status of a process, which is empty if it has just ended. Group is
// its process group.
func measure(path string) (u Usage, group int) {
	status, _ := os.ReadFile(path)
	for line := range bytes.Lines(status) {
		name, text, _ := bytes.Cut(line, []byte(":"))
		fields := bytes.Fields(text)
		if len(fields) == 0 {
			continue
		}
		n, _ := strconv.ParseInt(string(fields[0]), 10, 64) // the lines below have the system's own digits
		switch string(name) {
		case "NSpgid":
			group = int(n)
		case "Threads":
			u.Threads = int(n)
		case "RssAnon", "VmSwap", "VmPTE":
			u.Memory += n << 10
		}
	}
	return u, group
}

// Deleted returns the size of the files that a process has deleted and has still open:
// they use the disk, and are in no folder.
func Deleted(pid int) (size int64) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is well formed
	seen := map[[2]uint64]bool{}
	for _, path := range files {
		var info unix.Stat_t
		if unix.Stat(path, &info) != nil || info.Nlink > 0 || info.Mode&unix.S_IFMT != unix.S_IFREG {
			continue
		}
		if id := [2]uint64{uint64(info.Dev), info.Ino}; !seen[id] {
			seen[id] = true
			size += info.Size
		}
	}
	return size
}
