package clusters

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/group"
)

// Process is a program that can be killed and started again. Its output is appended to a
// file.
type Process struct {
	Name string
	Log  string // path
	Env  []string

	words []string
	mu    sync.Mutex // guards the fields below
	cmd   *exec.Cmd  // nil: it was never started
	done  chan struct{}
}

// Start starts the program, in a group of its own: Ctrl-C does not reach it.
func (p *Process) Start() error {
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.words[0], p.words[1:]...)
	cmd.Env = append(os.Environ(), p.Env...)
	cmd.Stdout, cmd.Stderr = log, log
	programs.EndWithParent(cmd)
	g, err := group.Start(cmd, 0)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	done := make(chan struct{})
	go func() { // ends with the program
		_ = cmd.Wait()
		g.End()
		close(done)
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd, p.done = cmd, done
	return nil
}

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// PID returns the ID of the process.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd.Process.Pid
}

// Signal sends a signal. A program that has ended ignores it.
func (p *Process) Signal(sig os.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(sig)
	}
}

// End sends a signal, and waits until the program has ended.
func (p *Process) End(sig os.Signal) {
	p.Signal(sig)
	if done := p.Done(); done != nil {
		<-done
	}
}

// ended returns an error with the end of the log if the program has ended.
func (p *Process) ended() error {
	select {
	case <-p.Done():
		return fmt.Errorf("%s has ended; the end of its log:\n%s", p.Name, p.Tail(20))
	default:
		return nil
	}
}

// Tail returns the last telling lines of the log; see [programs.Telling].
func (p *Process) Tail(n int) string {
	text, _ := os.ReadFile(p.Log) // without a log there are no lines
	return strings.Join(programs.Telling(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), n), "\n")
}
