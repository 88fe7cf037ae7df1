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

// Threads returns the number of threads of a process, or of all processes of the
// process group that it leads; 0 if it is not known.
func Threads(pid int, group bool) (n int) {
	if !group {
		var info unix.Stat_t
		if unix.Stat(fmt.Sprintf("/proc/%d/task", pid), &info) != nil || info.Nlink < 2 {
			return 0
		}
		return int(info.Nlink) - 2 // a folder for each, and the entries . and ..
	}
	for fields := range members(pid) {
		n += int(number(fields[17]))
	}
	return n
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

// members yields the state of each process of a group, and the fields after it in
// /proc/PID/stat: at least 18.
func members(group int) iter.Seq[[][]byte] {
	return func(yield func([][]byte) bool) {
		stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
		for _, path := range stats {
			stat, err := os.ReadFile(path)
			if err != nil {
				continue // it has just ended
			}
			fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // the name before it can hold anything
			if len(fields) >= 18 && string(fields[2]) == strconv.Itoa(group) && !yield(fields) {
				return
			}
		}
	}
}

func number(digits []byte) uint64 {
	n, _ := strconv.ParseUint(string(digits), 10, 64) // the system's own digits
	return n
}
