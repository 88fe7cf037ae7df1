package group

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// tick is the unit of the times in /proc, on all systems that Go supports.
const tick = 10 * time.Millisecond

// Work returns the CPU time that the group has used, including that of processes that
// have ended. On systems other than Linux it is 0.
func (g *Group) Work() time.Duration {
	proc, err := os.Open("/proc")
	if err != nil {
		return 0
	}
	names, _ := proc.Readdirnames(-1)
	_ = proc.Close()
	leader := strconv.Itoa(g.leader)
	var sum time.Duration
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has ended
		}
		// After the name, which is in parentheses: state, parent and group; utime, stime,
		// cutime and cstime are the 12th to the 15th (proc_pid_stat(5)).
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 15 || string(fields[2]) != leader {
			continue
		}
		pid, _ := strconv.Atoi(name)
		work, known := processWork(pid)
		times := fields[13:15] // of the children that it has waited for
		if !known {
			times = fields[11:15]
		}
		for _, field := range times {
			n, _ := strconv.ParseInt(string(field), 10, 64)
			work += time.Duration(n) * tick
		}
		sum += work
	}
	return sum
}

// LeaderWork returns the CPU time that all threads of the program have used, without other
// processes. It is known on Linux, until the program has been waited for.
func (g *Group) LeaderWork() (work time.Duration, known bool) { return processWork(g.leader) }

func processWork(pid int) (work time.Duration, known bool) {
	// clock_getcpuclockid(3) of C libraries computes the clock in this way.
	const scheduler = 2
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|scheduler), &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
