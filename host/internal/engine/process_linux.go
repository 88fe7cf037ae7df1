package engine

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"colosseum/host/internal/sandbox"
)

// systemEnv returns where a game finds programs and has its temporary folder.
func systemEnv(temporary string) []string {
	return []string{"PATH=" + sandbox.Path, "TMPDIR=" + temporary}
}

// lowerPriority makes the system prefer other processes to those of a group, with
// all their threads.
func lowerPriority(pid int) { _ = unix.Setpriority(unix.PRIO_PGRP, pid, 10) }

// cpuTicks returns the CPU time that the processes of a group have used, in ticks.
// It is unknown without /proc, and while one of the processes runs.
func cpuTicks(group int) (ticks uint64, known bool) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		// The name can hold anything; the fields after it begin with the state.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 13 || string(fields[2]) != strconv.Itoa(group) {
			continue
		}
		if string(fields[0]) == "R" {
			return 0, false
		}
		known = true
		for _, field := range fields[11:13] { // user and system time
			n, _ := strconv.ParseUint(string(field), 10, 64) // the system's own digits
			ticks += n
		}
	}
	return ticks, known
}
