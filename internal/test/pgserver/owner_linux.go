package pgserver

import (
	"os/exec"
	"syscall"
)

// endWithParent ends a command when this process ends in any way, such as at a test's
// timeout, or when the thread ends that has started it.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGINT }
