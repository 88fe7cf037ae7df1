package loadtest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// spent holds what some processes have used since they started.
type spent struct {
	cpu      time.Duration
	resident int // KiB
}

// tick is the unit of CPU time in /proc: 1/100 s on all of Linux's platforms.
const tick = time.Second / 100

// usage returns what processes have used, added up. It reads /proc, which only
// Linux has.
func usage(pids []int) (spent, error) {
	var s spent
	for _, pid := range pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return s, fmt.Errorf("read CPU time and memory of process %d: %w", pid, err)
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return s, fmt.Errorf("read CPU time and memory of process %d: %w", pid, err)
		}
		// The program's name, in parentheses, can contain spaces.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		_, resident, found := bytes.Cut(status, []byte("VmRSS:"))
		if len(fields) < 13 || !found {
			return s, fmt.Errorf("process %d has ended", pid)
		}
		for _, field := range fields[11:13] { // user and system time
			n, err := strconv.Atoi(string(field))
			if err != nil {
				return s, fmt.Errorf("read CPU time and memory of process %d: %w", pid, err)
			}
			s.cpu += time.Duration(n) * tick
		}
		n, err := strconv.Atoi(string(bytes.Fields(resident)[0]))
		if err != nil {
			return s, fmt.Errorf("read CPU time and memory of process %d: %w", pid, err)
		}
		s.resident += n
	}
	return s, nil
}
