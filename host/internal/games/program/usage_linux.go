package program

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
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
