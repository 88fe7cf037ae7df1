package player

import "os/exec"

// Windows cannot end a process group: only the program itself is ended.
func leadGroup(*exec.Cmd) bool { return false }

// Windows has no SIGTERM.
func (p *Program) terminate() { p.cmd.Process.Kill() }
func (p *Program) kill()      { p.cmd.Process.Kill() }

func groupAlive(int) bool { return false }

func (*programs) reapStrays() {}
