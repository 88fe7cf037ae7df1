package sandbox

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Measure returns what a process uses. With group set, it returns the threads and the
// memory of all processes of the group that it leads, and the memory of the largest one.
func Measure(pid int, group bool) (all Usage) {
	if !group {
		u, _ := measure(fmt.Sprintf("/proc/%d/status", pid))
		u.Together = u.Memory
		return u
	}
	files, _ := filepath.Glob("/proc/[0-9]*/status") // the pattern is well formed
	for _, path := range files {
		if u, of := measure(path); of == pid {
			all.Processes++
			all.Threads += u.Threads
			all.Together += u.Memory
			all.Memory = max(all.Memory, u.Memory)
		}
	}
	return all
}

// measure reads the status of a process, which is empty if it has just ended. Group is
// its process group.
func measure(path string) (u Usage, group int) {
	status, err := os.ReadFile(path)
	if err == nil {
		u.Processes = 1
	}
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
// they use the disk, and are in no folder. With group set, it returns that of all
// processes of the group that it leads.
func Deleted(pid int, group bool) (size int64) {
	pids := []string{strconv.Itoa(pid)}
	if group {
		pids = pids[:0]
		stats, _ := filepath.Glob("/proc/[0-9]*/status") // the pattern is well formed
		for _, path := range stats {
			if _, of := measure(path); of == pid {
				pids = append(pids, filepath.Base(filepath.Dir(path)))
			}
		}
	}
	var files []string
	for _, pid := range pids {
		open, _ := filepath.Glob("/proc/" + pid + "/fd/*") // the pattern is well formed
		files = append(files, open...)
	}
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

// CPUTicks returns the CPU time that the processes of a process group have used, in
// ticks. It is unknown without /proc, and while one of the processes runs.
func CPUTicks(group int) (ticks uint64, known bool) {
	for fields := range members(group) {
		if string(fields[0]) == "R" {
			return 0, false
		}
		known = true
		ticks += number(fields[11]) + number(fields[12]) // user and system time
	}
	return ticks, known
}

// Ended reports whether all processes of a process group have ended, although some of them
// can still be in the system's table.
func Ended(group int) bool {
	for fields := range members(group) {
		if state := string(fields[0]); state != "Z" && state != "X" {
			return false
		}
	}
	return true
}

// members yields the state of each process of a group, and the fields after it in
// /proc/PID/stat: at least 13.
func members(group int) iter.Seq[[][]byte] {
	return func(yield func([][]byte) bool) {
		stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
		for _, path := range stats {
			stat, err := os.ReadFile(path)
			if err != nil {
				continue // it has just ended
			}
			fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // the name before it can hold anything
			if len(fields) >= 13 && string(fields[2]) == strconv.Itoa(group) && !yield(fields) {
				return
			}
		}
	}
}

func number(digits []byte) uint64 {
	n, _ := strconv.ParseUint(string(digits), 10, 64) // the system's own digits
	return n
}
