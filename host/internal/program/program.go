// Package program runs a competitor's program as the player on one seat: a
// process that reads the match from its standard input and writes its moves to
// its standard output, as coco runs it.
package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"colosseum/host/internal/arrival"
	"colosseum/protocol"
)

// Limits on what a program may do; a server has the same.
type Limits struct {
	Line    int // bytes of a line that it writes
	Backlog int // bytes that wait for it to be read
}

// Farewell is how long a program usually gets to end when its input has ended.
const Farewell = 3 * time.Second

// grace is how long it may take to end when it was asked to with SIGTERM.
const grace = time.Second

// Program is a running program. It is a match.Player.
type Program struct {
	cmd                   *exec.Cmd
	stdin, stdout, stderr *os.File // our ends
	limits                Limits
	arrivals              *arrival.Reader // of stdout
	complaints            tail
	exited                chan struct{}  // closed when the process has ended
	pipes                 sync.WaitGroup // the goroutines on stdout and stderr

	mu      sync.Mutex // guards the fields below
	changed *sync.Cond // signals more to write
	queue   []byte     // to be written, at most limits.Backlog
	writing bool       // a part that was taken off the queue
	since   time.Time  // when all had been written
	last    bool       // nothing more will be sent
	deaf    bool       // it does not read: what is sent is dropped
	fault   string     // why it was ended by force; empty: it was not
}

// Start starts a program, in a process group of its own: Ctrl-C on the terminal
// is not for it, and what it starts ends with it. End must be called.
func Start(command []string, limits Limits) (*Program, error) {
	cmd := exec.Command(command[0], command[1:]...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "COCO_PIPE") { // of a match that we may be part of
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p := &Program{cmd: cmd, limits: limits, exited: make(chan struct{}), since: time.Now()}
	p.changed = sync.NewCond(&p.mu)
	if err := p.start(); err != nil {
		text := fmt.Errorf("start the program %s: %w", command[0], err)
		if _, here := os.Stat(command[0]); here == nil && errors.Is(err, exec.ErrNotFound) {
			text = fmt.Errorf("%w; for the file of this folder write ./%s", text, command[0])
		}
		return nil, text
	}
	p.pipes.Go(func() { _, _ = p.complaints.ReadFrom(p.stderr) }) // ends with the last writer of the pipe, or in End
	go p.wait()                                                   // ends with the process
	go p.write()                                                  // ends after End
	return p, nil
}

// start makes the pipes and starts the process; of a process that does not
// start nothing is left.
func (p *Program) start() (err error) {
	var ours, theirs []*os.File
	defer func() {
		for _, f := range theirs {
			_ = f.Close()
		}
		if err != nil {
			for _, f := range ours {
				_ = f.Close()
			}
		}
	}()
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		if i == 0 {
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	p.stdin, p.stdout, p.stderr = ours[0], ours[1], ours[2]
	if p.arrivals, err = arrival.NewReader(p.stdout); err != nil {
		return err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	return p.cmd.Start()
}

func (p *Program) wait() {
	_ = p.cmd.Wait()          // how it ended is in its state
	p.signal(syscall.SIGKILL) // what it may have started and left
	close(p.exited)
}

// signal sends to the whole process group. A group that is gone is no error.
func (p *Program) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

// kill ends the program by force, for a reason.
func (p *Program) kill(fault string) {
	p.mu.Lock()
	p.blame(fault)
	p.mu.Unlock()
	p.signal(syscall.SIGKILL)
}

// blame keeps the first fault. Called with mu held.
func (p *Program) blame(fault string) {
	if p.fault == "" {
		p.fault = fault
	}
	p.deaf, p.queue = true, nil
}

// Send implements match.Player.
func (p *Program) Send(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.deaf || p.last:
	case len(p.queue)+len(b) > p.limits.Backlog:
		p.blame(fmt.Sprintf("it left %d bytes unread", p.limits.Backlog))
		p.signal(syscall.SIGKILL)
	default:
		p.queue = append(p.queue, b...)
		p.changed.Signal()
	}
}

// Written implements match.Player.
func (p *Program) Written() (since time.Time, done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.since, len(p.queue) == 0 && !p.writing
}

// Unread implements match.Player.
func (p *Program) Unread(before time.Time) bool { return p.arrivals.Unread(before) }

// Cut implements match.Player.
func (p *Program) Cut() { p.kill("it did not read its input") }

// Ended implements match.Player. A program learns of the end by the end of its
// input; see End.
func (p *Program) Ended(protocol.MatchResult) {}

// write writes what is queued, and then the end of the input.
func (p *Program) write() {
	defer p.stdin.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for len(p.queue) == 0 && !p.last && !p.deaf {
			p.changed.Wait()
		}
		if len(p.queue) == 0 {
			return
		}
		part := p.queue
		p.queue, p.writing = nil, true
		p.mu.Unlock()
		_, err := p.stdin.Write(part)
		p.mu.Lock()
		p.writing, p.since = false, time.Now()
		if err != nil { // it has closed its input, or has ended
			p.deaf, p.queue = true, nil
			return
		}
	}
}

// Exit is how a program ended.
type Exit struct {
	Status string // in the system's words, e.g. "exit status 1"
	Fault  string // why it was ended by force; empty: it ended by itself
	OK     bool   // it ended by itself, with success
	Stderr string // the end of what it wrote there
}

// End lets the program read what was sent, ends its input, and waits until it
// has ended: for the time given, which may be none, by itself, and then by
// force. Nothing of it is left then.
func (p *Program) End(patience time.Duration) Exit {
	p.mu.Lock()
	p.last = true
	p.changed.Signal()
	p.mu.Unlock()
	if !p.gone(patience) {
		p.mu.Lock()
		p.blame(fmt.Sprintf("it did not end within %v of the end of its input", patience))
		p.mu.Unlock()
		p.signal(syscall.SIGTERM)
		if !p.gone(grace) {
			p.signal(syscall.SIGKILL)
			<-p.exited
		}
	}
	// A process that has left the group may keep the pipes open; not for us.
	soon := time.Now().Add(grace)
	_ = p.stdin.SetWriteDeadline(soon)
	_ = p.stdout.SetReadDeadline(soon)
	_ = p.stderr.SetReadDeadline(soon)
	p.pipes.Wait()
	_ = p.stdout.Close()
	_ = p.stderr.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	state := p.cmd.ProcessState
	return Exit{Status: state.String(), Fault: p.fault, OK: p.fault == "" && state.Success(), Stderr: p.complaints.String()}
}

// gone waits for the end of the process for some time.
func (p *Program) gone(patience time.Duration) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}
