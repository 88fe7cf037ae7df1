//go:build unix

package player

import (
	"os/exec"
	"syscall"
)

// leadGroup puts a program that is about to start into a process group of its
// own, so that its children can be ended with it.
func leadGroup(cmd *exec.Cmd) bool {
	adoptOrphans()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return true
}

func (p *Program) ask()  { p.signal(syscall.SIGTERM) }
func (p *Program) kill() { p.signal(syscall.SIGKILL) }

func (p *Program) signal(s syscall.Signal) {
	if p.tree {
		syscall.Kill(-p.cmd.Process.Pid, s) // a group keeps its number as long as it has members
		return
	}
	p.cmd.Process.Signal(s)
}

// groupAlive says whether a group has members after its leader's exit.
func groupAlive(leader int) bool {
	buryOrphans(leader)
	return syscall.Kill(-leader, 0) == nil
}
