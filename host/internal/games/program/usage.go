package program

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"colosseum/host/internal/games/sandbox"
)

// exceeded returns which limit ended a process that the host did not kill, or "". The
// system kills a process that has used its CPU time with SIGKILL.
func (i Isolation) exceeded(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if i.off() || i.CPU == 0 || !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		return ""
	}
	// The system measures in ticks when it ends a process, and exactly afterwards; on a
	// busy machine the difference was up to a third.
	if used := state.UserTime() + state.SystemTime(); used < i.CPU/2 {
		return ""
	}
	return fmt.Sprintf("it used more than %v of CPU time", time.Duration(i.seconds())*time.Second)
}

// seconds returns the limit on CPU time, rounded up.
func (i Isolation) seconds() int64 { return int64((i.CPU + time.Second - 1) / time.Second) }

// memory returns a note for a process that failed after it had used much of its
// memory, or "". Each runtime fails in its own way, and some of them say nothing.
func (i Isolation) memory(state *os.ProcessState) string {
	if i.off() || state.Success() || i.Memory == 0 {
		return ""
	}
	peak := peakMemory(state)
	if peak < i.Memory/2 {
		return ""
	}
	return fmt.Sprintf(" (it used %d of %d MiB of memory)", min(peak, i.Memory)>>20, i.Memory>>20)
}

// watch kills a confined program with too many threads or too much memory.
func (p *Program) watch() {
	ticker := time.NewTicker(sandbox.WatchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-p.exited:
			return
		case <-ticker.C:
		}
		used, most := sandbox.Measure(p.cmd.Process.Pid, p.isolation.Processes), p.isolation.Memory
		switch {
		case used.Threads > sandbox.MaxThreads:
			p.kill(fmt.Sprintf("it had %d threads, more than %d", used.Threads, sandbox.MaxThreads))
			return
		case most > 0 && used.Memory > most+sandbox.Excess:
			p.kill(fmt.Sprintf("it used %d MiB of memory, more than %d", used.Memory>>20, most>>20))
			return
		}
	}
}
