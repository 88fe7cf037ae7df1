//go:build unix

package pgserver

import (
	"os/exec"
	"syscall"
)

// asOwner makes a command run as an account; nil: as this process's. It has a process
// group of its own, so that Ctrl-C in a terminal does not end it.
func asOwner(cmd *exec.Cmd, as *account) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd)
	if as != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: as.Uid, Gid: as.Gid}
	}
}
