//go:build unix

package player

import (
	"os/exec"
	"syscall"
)

// leadGroup makes a program start its own process group, so that its children can be
// ended with it. It reports whether the system has such groups.
func leadGroup(cmd *exec.Cmd) bool {
	adoptOrphans()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return true
}

func (p *Program) terminate() { p.signal(syscall.SIGTERM) }
func (p *Program) kill()      { p.signal(syscall.SIGKILL) }

func (p *Program) signal(s syscall.Signal) {
	if p.ownGroup {
		syscall.Kill(-p.cmd.Process.Pid, s) // the system does not reuse the ID of a group that has members
		return
	}
	p.cmd.Process.Signal(s)
}

// groupAlive reports whether a group has members after its leader's exit.
func groupAlive(leader int) bool {
	reapOrphans(leader)
	return syscall.Kill(-leader, 0) == nil
}
