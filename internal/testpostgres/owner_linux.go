package testpostgres

import (
	"os/exec"
	"syscall"
)

// endWithParent ends a command when this process ends in any way, such as at a test's
// timeout.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGINT }
