// Package bridge lets a chess engine play: it translates between the stream of a match and
// UCI. An engine of another protocol needs a type like uci, and another game a type like
// position.
package bridge

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"colosseum/internal/locale"
)

// Failed reports that the engine failed.
type Failed struct{ Text error }

func (e *Failed) Error() string                { return e.Text.Error() }
func (e *Failed) In(l *locale.Language) string { return l.Error(e.Text) }
func (e *Failed) Unwrap() error                { return e.Text }

func failed(text error) error { return &Failed{text} }

const (
	maxLine  = 1 << 20 // bytes of a line of an engine
	quitting = 2 * time.Second
)

// process is an engine that reads and writes lines.
type process struct {
	name  string
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string // closed when the engine's output ends; unbuffered, so the engine waits for its reader
	fault error       // of reading; valid when lines is closed
	done  chan struct{}
	trace io.Writer // nil: none
}

func startProcess(command []string, trace io.Writer) (*process, error) {
	p := &process{name: command[0], cmd: exec.Command(command[0], command[1:]...), lines: make(chan string), done: make(chan struct{}), trace: trace}
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.in = in
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, failed(locale.Errorf("cannot start the engine: %w", err))
	}
	go func() { // ends when the engine's output ends, or with close
		defer close(p.lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, maxLine)
		for scanner.Scan() {
			select {
			case p.lines <- strings.TrimSpace(scanner.Text()):
			case <-p.done:
				return
			}
		}
		p.fault = scanner.Err()
	}()
	return p, nil
}

// send writes a line to the engine. An engine that has ended is noticed by the next await.
func (p *process) send(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	p.note("> ", line)
	_, _ = io.WriteString(p.in, line+"\n")
}

func (p *process) note(mark, line string) {
	if p.trace != nil {
		fmt.Fprintln(p.trace, mark+line)
	}
}

// errSilent reports that the engine has not written the awaited line in time.
var errSilent = errors.New("no answer in time")

// await reads lines until want accepts one. It fails when the engine's output ends, with
// errSilent after the given time, and with errOver when the match ends, unless it is nil.
func (p *process) await(limit time.Duration, match *stream, want func(line string) bool) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case line, open := <-p.lines:
			if !open {
				return p.ended()
			}
			p.note("< ", line)
			if want(line) {
				return nil
			}
		case line, open := <-match.early():
			if match.keep(line, open) {
				return errOver
			}
		case <-timer.C:
			return errSilent
		}
	}
}

// ended returns how the engine ended, after the end of its output.
func (p *process) ended() error {
	if p.fault != nil {
		return failed(locale.Errorf("could not read from the engine %s: %w", p.name, p.fault))
	}
	if err := p.wait(); err != nil {
		return failed(locale.Errorf("the engine %s ended: %w", p.name, err))
	}
	return failed(locale.Errorf("the engine %s ended, with exit status 0", p.name))
}

// wait waits for the process, which must end soon.
func (p *process) wait() error {
	kill := time.AfterFunc(quitting, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	return p.cmd.Wait()
}

// close ends the engine, politely at first.
func (p *process) close() {
	p.send("quit")
	_ = p.in.Close()
	close(p.done)
	if p.cmd.ProcessState != nil {
		return
	}
	_ = p.wait() // closes the engine's output, so nobody needs to read the rest
}
