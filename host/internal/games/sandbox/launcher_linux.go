package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// launcherPath is this program, even if its file has been replaced since.
const launcherPath = "/proc/self/exe"

// init makes every program that imports this package its own launcher, tests too. It
// runs before most other packages are initialised, which saves half of the time.
func init() {
	if len(os.Args) == 0 || os.Args[0] != launcherName {
		return
	}
	err := run(os.Args[1:])
	fmt.Fprintln(os.Stderr, "confine the process:", err)
	os.Exit(1)
}

// run confines this process and executes the program. It returns only after an error.
func run(args []string) error {
	// Capabilities and filters belong to a thread; the one that executes the program
	// becomes its first thread.
	runtime.LockOSThread()
	if len(args) < 3 {
		return errors.New("only the host starts the launcher")
	}
	var l launch
	if err := json.Unmarshal([]byte(args[0]), &l); err != nil {
		return err
	}
	// Writing beyond FileBytes is an error for the program instead of its end.
	signal.Ignore(syscall.SIGXFSZ)
	if err := unix.CloseRange(uint(l.Descriptors), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		if err := closeFrom(l.Descriptors); err != nil {
			return err
		}
	}
	if l.Dir != "" {
		if err := os.Chdir(l.Dir); err != nil {
			return err
		}
	}
	if err := l.join(); err != nil {
		return fmt.Errorf("join its control group: %w", err)
	}
	if l.Rights {
		// If the machine lacks memory, the system ends games before others.
		_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // not without /proc
		if err := dropRights(); err != nil {
			return err
		}
	}
	if l.Files {
		if err := l.restrictFiles(); err != nil {
			return fmt.Errorf("restrict its files: %w", err)
		}
	}
	if err := l.setLimits(); err != nil {
		return err
	}
	if l.Calls {
		if err := l.restrictCalls(os.Getpid()); err != nil {
			return fmt.Errorf("restrict its system calls: %w", err)
		}
	}
	// A limit on data bounds heap, stacks and private mappings. One on address space would
	// be useless, because the runtimes of Go and Java reserve far more than they use. It is
	// the last one, because the launcher itself can need more.
	if l.Memory > 0 {
		if err := setLimit("memory", unix.RLIMIT_DATA, uint64(l.Memory)); err != nil {
			return err
		}
	}
	err := syscall.Exec(args[1], args[2:], os.Environ())
	return fmt.Errorf("execute %s: %w", args[1], err)
}

// closeFrom marks the files from number first on, so that they are closed when the
// program is executed. It is for kernels before 5.11.
func closeFrom(first int) error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		var fd int
		if _, err := fmt.Sscan(e.Name(), &fd); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// dropRights gives up all capabilities for good. Without no_new_privs a program of
// root would get them back.
func dropRights() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP+16; c++ { // the kernel can know more than this program
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) // only root can do it, and only root needs it
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // since Linux 4.3
	none := [2]unix.CapUserData{}
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return fmt.Errorf("give up the capabilities: %w", err)
	}
	return nil
}

// Limits of every confined process.
const (
	maxDescriptors = 1024 // open files
	maxPending     = 256  // pending signals and timers, whose number all processes of a user share
)

// setLimits sets the limits of the process except that of its memory.
func (l *launch) setLimits() error {
	err := errors.Join(setLimit("core dumps", unix.RLIMIT_CORE, 0), setLimit("open files", unix.RLIMIT_NOFILE, maxDescriptors))
	if l.Rights {
		err = errors.Join(err, setLimit("files", unix.RLIMIT_FSIZE, uint64(l.FileBytes)), setLimit("message queues", unix.RLIMIT_MSGQUEUE, 0),
			setLimit("pending signals", unix.RLIMIT_SIGPENDING, maxPending), setLimit("stack", unix.RLIMIT_STACK, maxStack))
	}
	var now syscall.Rlimit
	if l.Rights && syscall.Getrlimit(unix.RLIMIT_NPROC, &now) == nil && now.Max < math.MaxInt64 {
		// It counts all threads of a user: the host must not run out of them.
		err = errors.Join(err, setLimit("threads", unix.RLIMIT_NPROC, now.Max/4*3))
	}
	if l.CPU > 0 {
		err = errors.Join(err, setLimit("CPU time", unix.RLIMIT_CPU, uint64(l.CPU)))
	}
	return err
}

// setLimit sets a limit of the process, not above that of the host.
func setLimit(what string, resource int, value uint64) error {
	var now syscall.Rlimit
	err := syscall.Getrlimit(resource, &now)
	if err == nil {
		limit := syscall.Rlimit{Cur: min(value, now.Max), Max: min(value, now.Max)}
		if resource == unix.RLIMIT_STACK {
			limit.Cur = min(value, now.Cur) // C libraries make the stacks of all threads as large
		}
		err = syscall.Setrlimit(resource, &limit)
	}
	if err != nil {
		return fmt.Errorf("limit its %s: %w", what, err)
	}
	return nil
}
