package player

import "os/exec"

// Windows has no process groups that could be ended together: only the program
// itself is ended.
func leadGroup(*exec.Cmd) bool { return false }

// Windows has no polite way to end a program either.
func (p *Program) ask()  { p.cmd.Process.Kill() }
func (p *Program) kill() { p.cmd.Process.Kill() }

func groupAlive(int) bool { return false }
