// Package program runs a competitor's program as the player of one seat, as coco
// does: a process that reads the match from stdin and writes its moves to stdout.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/base/arrival"
	"colosseum/host/internal/games/sandbox"
	"colosseum/internal/group"
	"colosseum/protocol"
)

// Limits are a server's limits on a client.
type Limits struct {
	Line    int // bytes of a line from the program
	Backlog int // bytes that the program has not read yet
}

// For returns the limits in a match of a game whose lines can have the given number of bytes;
// 0 if the game does not say.
func (l Limits) For(maxLine int) Limits {
	l.Line = max(l.Line, maxLine)
	return l
}

// EndGrace is the usual grace for End.
const EndGrace = 3 * time.Second

// termGrace is the time between Terminate and Kill.
const termGrace = time.Second

// Program is a running program. It is a match.Player; its methods can be called
// concurrently, except Play and End.
type Program struct {
	cmd                   *exec.Cmd
	group                 *group.Group
	stdin, stdout, stderr *os.File // the host's ends
	isolation             Isolation
	control               *sandbox.Group // nil: none
	freezes               bool           // control can stop it; guarded by turn.mu
	counting              counting
	turn                  turn
	limits                Limits
	arrivals              *arrival.Reader // of stdout
	tail                  string          // of stderr; set when pipes are done
	exited                chan struct{}   // closed when the process has ended
	pipes                 sync.WaitGroup  // waits for the goroutines on stdout and stderr

	mu       sync.Mutex // guards the fields below
	changed  *sync.Cond // signals work for the goroutine write
	queue    []byte     // to write, at most limits.Backlog; full: the program is killed
	writing  bool       // a part of the queue is being written
	since    time.Time  // the end of the last write
	closing  bool       // the input ends after the queue
	catching bool       // the program runs until the queue is empty
	dropping bool       // the program no longer reads: Send drops
	fault    string     // why the program was killed; empty: it was not
}

// Start starts a program in a group of its own, so that Ctrl-C on the terminal
// does not reach it, and its children end with it. End must be called.
func Start(command Command, limits Limits) (*Program, error) {
	name := command.Args[0]
	p := &Program{cmd: command.cmd(), isolation: command.isolation, limits: limits, exited: make(chan struct{}), since: time.Now()}
	if !command.ponders {
		p.turn.core = command.core
	}
	p.changed = sync.NewCond(&p.mu)
	if err := p.start(command); err != nil {
		return nil, hint(fmt.Errorf("start the program %s: %w", name, err), filepath.Join(command.folder, name), name)
	}
	p.turn.mu.Lock()
	p.applyLocked() // it begins with the first question
	p.turn.mu.Unlock()
	p.pipes.Go(func() { p.tail = readTail(p.stderr) }) // ends with the last writer of the pipe, or in End
	go p.wait()                                        // ends with the process
	go p.write()                                       // ends after End
	if !p.isolation.off() {
		go p.watch() // ends with the process
	}
	return p, nil
}

// cmd returns the command to execute, before it is confined.
func (c Command) cmd() *exec.Cmd {
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir = c.folder
	if !c.isolation.off() {
		cmd.Path, cmd.Err, cmd.Env = c.path, nil, append(c.isolation.environment(), c.env...)
		return cmd
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "COCO_PIPE") { // set if this process itself is a player's
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, c.env...) // of two values the last one counts
	return cmd
}

// start makes the pipes and starts the process. After an error, nothing is left
// open.
func (p *Program) start(c Command) (err error) {
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
	start := func() error {
		return c.core.pinned(func() (err error) {
			p.group, err = group.Start(p.cmd, 0)
			return err
		})
	}
	if c.isolation.off() {
		p.control, err = sandbox.Account(p.cmd, start)
	} else {
		c.policy.Pinned = c.core != nil
		p.control, err = sandbox.Start(p.cmd, c.isolation.Level, c.policy, start)
	}
	if err == nil {
		p.freezes, p.counting = p.control != nil, p.howToCount()
	}
	return err
}

func (p *Program) wait() {
	awaitExit(p.cmd.Process.Pid)
	p.turn.mu.Lock()
	p.keepLocked()
	p.turn.mu.Unlock()
	_ = p.cmd.Wait() // ProcessState has the result
	p.group.End()    // its children
	p.control.Close()
	close(p.exited)
}

// kill kills the program because of a fault.
func (p *Program) kill(fault string) {
	p.mu.Lock()
	p.blameLocked(fault)
	p.mu.Unlock()
	p.group.Kill()
}

// blameLocked keeps the first fault, and drops the queue.
func (p *Program) blameLocked(fault string) {
	if p.fault == "" {
		p.fault = fault
	}
	p.dropping, p.queue = true, nil
}

// Send implements match.Player.
func (p *Program) Send(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.dropping || p.closing:
	case len(p.queue)+len(b) > p.limits.Backlog:
		p.blameLocked(fmt.Sprintf("it left %d bytes unread", p.limits.Backlog))
		p.group.Kill()
	default:
		p.queue = append(p.queue, b...)
		p.changed.Signal()
		if len(p.queue) > p.limits.Backlog/2 && !p.catching { // it might be stopped for a long time
			p.catching = true
			p.setReading(true)
		}
	}
}

// Written implements match.Player.
func (p *Program) Written() (since time.Time, done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.since, len(p.queue) == 0 && !p.writing
}

// Lag implements match.Player.
func (p *Program) Lag() time.Duration { return 0 }

// Probe implements match.Player.
func (p *Program) Probe() {}

// Away implements match.Player.
func (p *Program) Away(string, time.Time) {}

// Unread implements match.Player.
func (p *Program) Unread(before time.Time) bool { return p.arrivals.Unread(before) }

// Cut implements match.Player.
func (p *Program) Cut() { p.kill("it did not read its input") }

// Ended implements match.Player. It does nothing: for a program, the end of its
// input is the end of the match; see End.
func (p *Program) Ended(protocol.MatchResult) {}

// write writes the queue to stdin, and closes stdin after End.
func (p *Program) write() {
	defer p.stdin.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if p.catching && len(p.queue) == 0 {
			p.catching = false
			p.setReading(false)
		}
		for len(p.queue) == 0 && !p.closing && !p.dropping {
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
		if err != nil { // it has closed its stdin or has ended
			p.dropping, p.queue = true, nil
			return
		}
	}
}

// Exit describes how a program ended.
type Exit struct {
	Status string // in the system's words, e.g. "exit status 1", with a note if it lacked memory
	Fault  string // why it was killed; empty: it ended by itself
	OK     bool   // it ended by itself, with status 0
	Stderr string // the last 2 KiB at most
	// OutOfTurn is the CPU time that it used while it should have been stopped. It is part
	// of what the answers after it are charged.
	OutOfTurn time.Duration
}

// CloseInput closes the program's stdin once everything sent has been written.
func (p *Program) CloseInput() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closing = true
	p.changed.Signal()
}

// Yield lowers the priority of the program and its group for the rest of their lives,
// so that programs that still play have the cores.
func (p *Program) Yield() {
	p.group.Yield()
	p.control.Yield()
}

// End closes the program's stdin once everything sent has been written, and waits
// until the program and its group have ended. It kills a program that does not end within
// grace, which can be 0. It must be called once.
func (p *Program) End(grace time.Duration) Exit {
	p.CloseInput()
	p.finish()
	if !p.endsWithin(grace) {
		p.mu.Lock()
		p.blameLocked(fmt.Sprintf("it did not end within %v of the end of its input", grace))
		p.mu.Unlock()
		p.group.Terminate()
		if !p.endsWithin(termGrace) {
			p.group.Kill()
			<-p.exited
		}
	}
	// A child that has left the group can keep the pipes open.
	soon := time.Now().Add(termGrace)
	_ = p.stdin.SetWriteDeadline(soon)
	_ = p.stdout.SetReadDeadline(soon)
	_ = p.stderr.SetReadDeadline(soon)
	p.pipes.Wait()
	_ = p.stdout.Close()
	_ = p.stderr.Close()
	p.turn.mu.Lock()
	outOfTurn := p.turn.excess
	p.turn.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	state := p.cmd.ProcessState
	exit := Exit{Status: state.String() + p.isolation.memory(state), Fault: p.fault, OK: p.fault == "" && state.Success(), Stderr: p.tail, OutOfTurn: outOfTurn}
	if exit.Fault == "" {
		exit.Fault = p.isolation.exceeded(state)
	}
	return exit
}

// endsWithin waits for the end of the process, and reports whether it came in time.
func (p *Program) endsWithin(grace time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(grace):
		return false
	}
}
