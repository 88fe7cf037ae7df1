//go:build unix

package engine

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// passOn lets a command inherit a file, and returns its number there.
func passOn(cmd *exec.Cmd, f *os.File) (number int, err error) {
	cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	return 2 + len(cmd.ExtraFiles), nil // after stdin, stdout and stderr
}

// killed reports whether a signal ended the process.
func killed(e *exec.ExitError) bool { return endedBy(e) != "" }

// endedBy returns the signal that ended a process; "" means that it exited.
func endedBy(e *exec.ExitError) string {
	s, ok := e.Sys().(syscall.WaitStatus)
	if !ok || !s.Signaled() {
		return ""
	}
	if name := unix.SignalName(s.Signal()); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", s.Signal())
}
