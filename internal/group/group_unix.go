//go:build unix

package group

import (
	"os/exec"
	"sync"
	"syscall"
)

// Group is a program with its descendants, except those that have left its process
// group. Its methods can be called concurrently.
type Group struct {
	leader int

	mu    sync.Mutex // guards the field below
	ended bool
}

func start(cmd *exec.Cmd, _ int64) (*Group, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Group{leader: cmd.Process.Pid}, nil
}

// Kill kills the group.
func (g *Group) Kill() { g.signal(syscall.SIGKILL) }

// Terminate asks the group to end.
func (g *Group) Terminate() { g.signal(syscall.SIGTERM) }

// Stop stops the processes of the group until Continue. They can still be killed.
func (g *Group) Stop() { g.signal(syscall.SIGSTOP) }

// Continue lets a stopped group go on.
func (g *Group) Continue() { g.signal(syscall.SIGCONT) }

// Yield lowers the priority of the group, so that it gets about a tenth of the time of
// another process that needs the same core.
func (g *Group) Yield() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.ended {
		_ = syscall.Setpriority(syscall.PRIO_PGRP, g.leader, 10)
	}
}

// End kills the rest of the group, after the program itself has ended.
func (g *Group) End() {
	g.Kill()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
}

// Alive reports whether any process of the group runs, or has not been waited for.
func (g *Group) Alive() bool { return syscall.Kill(-g.leader, 0) == nil }

// The system does not reuse the ID of a group that has members, but after its end the
// group could be another one.
func (g *Group) signal(s syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.ended {
		_ = syscall.Kill(-g.leader, s)
	}
}
