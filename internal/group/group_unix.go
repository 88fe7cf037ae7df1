//go:build unix

package group

import (
	"os/exec"
	"syscall"
)

// Group is a program with its descendants, except those that have left its process
// group. Its methods can be called concurrently.
type Group struct {
	leader int
}

func start(cmd *exec.Cmd, _ int64) (*Group, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Group{cmd.Process.Pid}, nil
}

// Kill kills the group.
func (g *Group) Kill() { g.signal(syscall.SIGKILL) }

// Terminate asks the group to end.
func (g *Group) Terminate() { g.signal(syscall.SIGTERM) }

// End kills the rest of the group, after the program itself has ended.
func (g *Group) End() { g.Kill() }

// Alive reports whether any process of the group runs, or has not been waited for.
func (g *Group) Alive() bool { return syscall.Kill(-g.leader, 0) == nil }

// The system does not reuse the ID of a group that has members.
func (g *Group) signal(s syscall.Signal) { _ = syscall.Kill(-g.leader, s) }
