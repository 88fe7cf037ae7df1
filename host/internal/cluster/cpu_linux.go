package cluster

import (
	"os"
	"strconv"
	"strings"
)

// cpuTimes returns the time that all cores of the machine have been busy, and all their
// time, in ticks; see proc_stat(5).
func cpuTimes() (busy, all uint64, ok bool) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, false
	}
	return parseTimes(string(b))
}

// parseTimes reads the first line: cpu user nice system idle iowait irq softirq steal …
func parseTimes(stat string) (busy, all uint64, ok bool) {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, 0, false
	}
	for i, text := range fields[1:9] { // the rest is part of user and nice
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return 0, 0, false
		}
		all += n
		if i != 3 && i != 4 {
			busy += n
		}
	}
	return busy, all, true
}
