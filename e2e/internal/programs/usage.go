package programs

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Resident returns the resident memory of the host and its games in KiB.
func (h *Host) Resident(t testing.TB) int {
	t.Helper()
	return h.memory(t, "VmRSS:")
}

// Peak returns the sum of the most resident memory that the host and each of its games
// have used, in KiB.
func (h *Host) Peak(t testing.TB) int {
	t.Helper()
	return h.memory(t, "VmHWM:")
}

func (h *Host) memory(t testing.TB, line string) int {
	t.Helper()
	total := MemoryOf(t, h.Cmd.Process.Pid, line)
	for _, child := range h.children {
		total += MemoryOf(t, child, line)
	}
	return total
}

// ResidentOf returns the resident memory of a process in KiB.
func ResidentOf(t testing.TB, pid int) int {
	t.Helper()
	return MemoryOf(t, pid, "VmRSS:")
}

// MemoryOf returns the value of a line in a process's status, in KiB.
func MemoryOf(t testing.TB, pid int, line string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := bytes.Cut(status, []byte(line))
	if !ok {
		t.Fatalf("got no %s in the status of process %d", line, pid)
	}
	n, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// CPU returns the CPU seconds used by the host, and by its games.
func (h *Host) CPU(t testing.TB) [2]float64 {
	t.Helper()
	var seconds [2]float64
	seconds[0] = CPUOf(t, h.Cmd.Process.Pid)
	for _, child := range h.children {
		seconds[1] += CPUOf(t, child)
	}
	return seconds
}

// CPUOf returns the CPU seconds used by a process.
func CPUOf(t testing.TB, pid int) float64 {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	const ticks = 100 // per second, on every Linux
	return float64(user+system) / ticks
}
