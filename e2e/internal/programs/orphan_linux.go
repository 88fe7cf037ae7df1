package programs

import (
	"os/exec"
	"syscall"
)

// EndWithParent ends a program when this process ends in any way, such as at a test's
// timeout.
func EndWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
