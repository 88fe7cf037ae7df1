package player

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"colosseum/internal/group"
	"colosseum/internal/locale"
)

// grace is how long a program gets to end after SIGTERM.
const grace = 2 * time.Second

// Program is a running program.
type Program struct {
	cmd    *exec.Cmd
	group  *group.Group  // nil: it is in coco's
	stderr *stderr       // nil: the program writes to coco's own
	done   chan struct{} // closed when it has exited and was reaped
}

// programs are the running programs of all players. They are waited for, unlike other
// children, which coco has only adopted.
type programs struct {
	mu  sync.Mutex // guards the field below; it is held while a program starts
	ids map[int]bool
}

var running = programs{ids: map[int]bool{}}

func (ps *programs) start(p *Program, ownGroup bool) (err error) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ownGroup {
		adoptOrphans()
		p.group, err = group.Start(p.cmd, 0)
	} else {
		err = p.cmd.Start()
	}
	if err != nil {
		return err
	}
	ps.ids[p.cmd.Process.Pid] = true
	return nil
}

func (ps *programs) wait(cmd *exec.Cmd) {
	cmd.Wait()
	ps.mu.Lock()
	defer ps.mu.Unlock()
	delete(ps.ids, cmd.Process.Pid)
}

// startProgram starts the program of a player with coco's environment, that of the
// player, and env. With ownGroup, the program is in a group of its own. The stderr of
// a program that plays is kept, see type stderr.
func startProgram(cfg Config, env []string, stdin, stdout *os.File, ownGroup bool) (*Program, error) {
	command := cfg.Command
	cmd := exec.Command(command[0], command[1:]...)
	if errors.Is(cmd.Err, exec.ErrDot) {
		cmd.Err = nil // allow a program of this folder by its bare name, as is usual on Windows
	}
	cmd.Env = slices.Concat(inherited(), cfg.Env, cfg.Questions.env(), env)
	cmd.ExtraFiles = cfg.Questions.extra()
	defer cfg.Questions.started()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, os.Stderr
	p := &Program{cmd: cmd, done: make(chan struct{})}
	if !cfg.Spectate {
		to := cfg.Stderr
		if to == nil {
			to = os.Stderr
		}
		kept, theirs, err := newStderr(to)
		if err != nil {
			return nil, locale.Errorf("cannot create a pipe: %w", err)
		}
		defer theirs.Close()
		p.stderr, cmd.Stderr = kept, theirs
	}
	if err := running.start(p, ownGroup); err != nil {
		if p.stderr != nil {
			p.stderr.pipe.Close()
		}
		text := locale.Errorf("cannot start the program: %v", err)
		file, here := os.Stat(command[0])
		switch {
		case here != nil || file.IsDir():
		case errors.Is(err, exec.ErrNotFound):
			text = locale.Errorf("cannot start the program: %v; for the file of this folder write ./%s", err, command[0])
		case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC):
			text = locale.Errorf("cannot start the program: %v; name what runs it before it, like python3 %s, or make it executable: chmod +x and a first line like #!/usr/bin/env python3", err, command[0])
		case errors.Is(err, fs.ErrNotExist):
			text = locale.Errorf("cannot start the program: %v; the file exists, but not the interpreter that its first line (#!) names", err)
		}
		return nil, &Failed{text}
	}
	if p.stderr != nil {
		go p.stderr.copy() // ends with the last writer of the pipe, or in close
	}
	go func() { // ends when the program exits
		running.wait(cmd)
		close(p.done)
	}()
	return p, nil
}

// status describes how the program exited, in the system's words.
func (p *Program) status() string { return p.cmd.ProcessState.String() }

func (p *Program) failure() error {
	if p.cmd.ProcessState.Success() {
		return nil
	}
	return &Failed{locale.Errorf("the program failed: %s", p.status())}
}

// stop ends the program with its group: with SIGTERM, and after grace with SIGKILL. On
// Windows, which has no SIGTERM, it kills them at once.
func (p *Program) stop() {
	force, giveUp := time.After(grace), time.After(2*grace)
	poll := time.NewTicker(10 * time.Millisecond) // the system reports no end of a group
	defer poll.Stop()
	p.terminate()
	for p.alive() {
		select {
		case <-poll.C:
		case <-force:
			p.kill()
		case <-giveUp: // it has another owner now, or is blocked in the kernel
			return
		}
	}
	if p.group != nil {
		p.group.End()
	}
}

func (p *Program) terminate() {
	if p.group != nil {
		p.group.Terminate()
	} else {
		p.cmd.Process.Signal(syscall.SIGTERM)
	}
}

func (p *Program) kill() {
	if p.group != nil {
		p.group.Kill()
	} else {
		p.cmd.Process.Kill()
	}
}

// alive reports whether the program, or any process of its own group, is running.
func (p *Program) alive() bool {
	select {
	case <-p.done:
		return p.group != nil && groupAlive(p.cmd.Process.Pid)
	default:
		return true
	}
}
