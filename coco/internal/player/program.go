package player

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// grace is how long a program may take to end after it was asked to.
const grace = 2 * time.Second

// Program is a program that was started.
type Program struct {
	cmd  *exec.Cmd
	tree bool          // it leads a process group of its own
	done chan struct{} // closed when it has exited and was reaped
}

// startProgram starts a program. The environment tells it the pipes of this
// match, never those of a match that coco itself may be part of.
func startProgram(command, env []string, stdin, stdout *os.File, alone bool) (*Program, error) {
	cmd := exec.Command(command[0], command[1:]...)
	if errors.Is(cmd.Err, exec.ErrDot) {
		cmd.Err = nil // the user has named a program of this folder, as is usual on Windows
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "COCO_PIPE") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, os.Stderr
	p := &Program{cmd: cmd, done: make(chan struct{})}
	if alone {
		p.tree = leadGroup(cmd)
	}
	if err := cmd.Start(); err != nil {
		text := fmt.Sprintf("cannot start the program: %v", err)
		file, here := os.Stat(command[0])
		switch {
		case here != nil || file.IsDir():
		case errors.Is(err, exec.ErrNotFound):
			text += "; for the file of this folder write ./" + command[0]
		case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC):
			text += "; name what runs it before it, like python3 " + command[0] + ", or make it executable: chmod +x and a first line like #!/usr/bin/env python3"
		case errors.Is(err, fs.ErrNotExist):
			text += "; the file is there, but not what its first line (#!) says shall run it"
		}
		return nil, &Failed{text}
	}
	go func() { // until the program exits
		cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// status tells how the program exited, in the system's words.
func (p *Program) status() string { return p.cmd.ProcessState.String() }

func (p *Program) failure() error {
	if p.cmd.ProcessState.Success() {
		return nil
	}
	return &Failed{"the program failed: " + p.status()}
}

// stop ends the program and what it has started: politely, and after a while
// by force.
func (p *Program) stop() {
	force, giveUp := time.After(grace), time.After(2*grace)
	look := time.NewTicker(10 * time.Millisecond) // nobody tells when a whole group has ended
	defer look.Stop()
	p.ask()
	for p.alive() {
		select {
		case <-look.C:
		case <-force:
			p.kill()
		case <-giveUp: // it is not ours any more, or the system cannot end it
			return
		}
	}
}

// alive says whether the program runs, or any process of its group.
func (p *Program) alive() bool {
	select {
	case <-p.done:
		return p.tree && groupAlive(p.cmd.Process.Pid)
	default:
		return true
	}
}
