// Package oldkernel replaces a process of a test by a program for which some system
// calls fail, as on older kernels and in containers that refuse them.
package oldkernel

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	seccomp "github.com/elastic/go-seccomp-bpf"
)

// Exec executes a program. For it and its descendants, some system calls fail with the
// given error. Exec returns only after an error.
func Exec(failure syscall.Errno, calls []string, program ...string) error {
	path, err := exec.LookPath(program[0])
	if err != nil {
		return err
	}
	runtime.LockOSThread() // a filter belongs to a thread; the one that executes the program becomes its first
	err = seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Policy: seccomp.Policy{
		DefaultAction: seccomp.ActionAllow,
		Syscalls:      []seccomp.SyscallGroup{{Names: calls, Action: seccomp.ActionErrno | seccomp.Action(failure)}},
	}})
	if err != nil {
		return err
	}
	return syscall.Exec(path, program, os.Environ())
}
