package clusters

import (
	"os/exec"
	"syscall"
)

// endWithParent ends a program when this process ends in any way, such as at a test's
// timeout.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
