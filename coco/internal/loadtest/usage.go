package loadtest

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"colosseum/internal/locale"
)

// spent is the CPU time and memory of some processes.
type spent struct {
	cpu      time.Duration // since their start
	resident int           // KiB
}

// tick is the unit of CPU time in /proc.
const tick = time.Second / 100

// usage returns the sums for some processes. It reads /proc, which only Linux has.
func usage(pids []int) (s spent, err error) {
	for _, pid := range pids {
		if err := s.add(pid); err != nil {
			return s, locale.Errorf("read CPU time and memory of process %d: %w", pid, err)
		}
	}
	return s, nil
}

func (s *spent) add(pid int) error {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return err
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return err
	}
	// The program's name, in parentheses, can contain spaces.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	_, memory, found := bytes.Cut(status, []byte("VmRSS:"))
	if len(fields) < 13 || !found {
		return locale.Errorf("it has ended")
	}
	var user, system, resident int
	_, err = fmt.Sscan(fmt.Sprintf("%s %s %s", fields[11], fields[12], memory), &user, &system, &resident)
	s.cpu += time.Duration(user+system) * tick
	s.resident += resident
	return err
}
