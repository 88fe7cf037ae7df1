package program

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// maxCores is how many cores a CPUSet can have.
const maxCores = len(unix.CPUSet{}) * 64

// coreNumbers returns the numbers of the cores that this process can use.
func coreNumbers() (numbers []int) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	for i := range maxCores {
		if set.IsSet(i) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// pinned calls start, which starts a process. The process and all that it starts run on
// the core alone.
func (c *Core) pinned(start func() error) error {
	if c == nil || c.number < 0 {
		return start()
	}
	// A new process has the cores of the thread that starts it.
	runtime.LockOSThread()
	var before, set unix.CPUSet
	set.Set(c.number)
	if unix.SchedGetaffinity(0, &before) != nil || unix.SchedSetaffinity(0, &set) != nil {
		runtime.UnlockOSThread()
		return start()
	}
	err := start()
	if unix.SchedSetaffinity(0, &before) == nil { // else the thread ends with its goroutine
		runtime.UnlockOSThread()
	}
	return err
}

// awaitExit waits until a child has ended, and leaves it to be waited for.
func awaitExit(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}
