package program

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// peakMemory returns the most memory that a process used at once, in bytes; 0 if it
// is not known. A process begins with the peak of the one that started it, so it is
// known only if it is higher than the host's.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	own, err := os.ReadFile("/proc/self/status")
	if !ok || err != nil {
		return 0
	}
	_, line, _ := bytes.Cut(own, []byte("\nVmHWM:"))
	line, _, _ = bytes.Cut(line, []byte(" kB\n"))
	if kb, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64); err != nil || usage.Maxrss <= kb {
		return 0
	}
	return usage.Maxrss << 10
}

// tasks returns the number of threads of a process, or of all processes of its group;
// 0 if it is not known.
func tasks(pid int, group bool) (n int) {
	if !group {
		var info unix.Stat_t
		if unix.Stat(fmt.Sprintf("/proc/%d/task", pid), &info) != nil || info.Nlink < 2 {
			return 0
		}
		return int(info.Nlink) - 2 // a folder for each, and the entries . and ..
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		// The name can hold anything; the fields after it begin with the state.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 18 || string(fields[2]) != strconv.Itoa(pid) {
			continue
		}
		threads, _ := strconv.Atoi(string(fields[17])) // the system's own digits
		n += threads
	}
	return n
}
